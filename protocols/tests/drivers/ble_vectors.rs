//! Every vector of the shared file of Bluetooth boards that concerns a family with a driver here, both directions.

use crate::common::{Rig, anomalies, events, shared};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::drivers::chesslink::framing::{Framed, Framing, Speaker, value};
use flagfall_protocols::drivers::chesslink::host::HostCommand as LinkCommand;
use flagfall_protocols::drivers::chesslink::message::{Message, placement};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::framing as dgt;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::drivers::dgt_pegasus::host::{HostCommand, HostDecoder, Query};
use flagfall_protocols::drivers::dgt_pegasus::{change, reading};
use flagfall_protocols::drivers::{chesslink, dgt_pegasus};
use flagfall_protocols::square::{Reading, Square};
use serde_json::{Value, json};

#[test]
fn every_vector_of_a_family_with_a_driver() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let mut seen = [0; 4];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        // The bytes do not hold the origin that a meaning names, nor how the board lies.
        let mut wanted = vector["meaning"].clone();
        let object = wanted.as_object_mut().expect("an object");
        object.remove("note");
        let turned = object.remove("order").is_some_and(|order| order.as_str().expect("text").contains("turned"));
        let (kind, read) = match (vector["device"].as_str(), vector["dir"].as_str()) {
            (Some("dgt-pegasus"), Some("host->device")) => (0, pegasus_host(&bytes)),
            (Some("dgt-pegasus"), Some("device->host")) => (1, pegasus_board(&bytes)),
            (Some("millennium-chesslink"), Some("host->device")) => (2, link_host(&bytes, &wanted)),
            (Some("millennium-chesslink"), Some("device->host")) => (3, link_board(&bytes, turned)),
            _ => continue,
        };
        seen[kind] += 1;
        assert_eq!(read, wanted, "{line}");
        let info = [&dgt_pegasus::INFO, &chesslink::INFO][kind / 2];
        if kind % 2 == 1 {
            let mut rig = Rig::new(info);
            rig.bytes(&bytes);
            let unasked = wanted["type"] == "ack";
            assert_eq!((events(&rig.log).len(), anomalies(&rig.log).len()), if unasked { (0, 1) } else { (1, 0) }, "{line}");
        }
    }
    assert_eq!(seen, [15, 9, 9, 7]);
}

/// The tests of each family read the vectors of its devices. A device that no test names would be skipped.
#[test]
fn every_device_of_the_vectors_has_a_test() {
    const READ: [&str; 15] = [
        "certabo-led",
        "certabo-rfid",
        "chessnut-air",
        "chessnut-move",
        "chessup",
        "dgt-pegasus",
        "dgt3000-ble-gateway",
        "hos-eboard",
        "ichessone",
        "millennium-chesslink",
        "squareoff-gks",
        "squareoff-neo",
        "squareoff-pro",
        "tabutronic-sentio",
        "tabutronic-spectrum",
    ];
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let device =
        |line: &str| serde_json::from_str::<Value>(line).expect("a JSON line")["device"].as_str().expect("a name").to_owned();
    let devices: std::collections::BTreeSet<String> = text.lines().map(device).collect();
    assert_eq!(devices.iter().map(String::as_str).collect::<Vec<_>>(), READ);
}

fn pegasus_host(bytes: &[u8]) -> Value {
    let mut decoder = HostDecoder::default();
    let commands: Vec<_> = bytes.iter().filter_map(|byte| decoder.push(*byte)).collect();
    let mut again = Vec::new();
    commands.iter().for_each(|command| command.encode(&mut again));
    assert_eq!(hex(&again), hex(bytes));
    let name = |command: &HostCommand| match command {
        HostCommand::Query(Query::Reset) => "reset",
        HostCommand::Query(Query::Board) => "get_board",
        HostCommand::Query(Query::Updates) => "start_updates",
        HostCommand::Query(Query::Serial) => "get_short_serial",
        HostCommand::Query(Query::Trademark) => "get_trademark",
        HostCommand::Query(Query::HardwareVersion) => "get_hw_version",
        HostCommand::Query(Query::Battery) => "get_battery",
        HostCommand::Query(Query::Version) => "get_version",
        HostCommand::Query(Query::LongSerial) => "get_long_serial",
        HostCommand::Query(Query::LockState) => "get_lock_state",
        HostCommand::Query(Query::KeyState) => "get_devkey_state",
        HostCommand::LightsOut => "leds_off",
        HostCommand::Lights { .. } => "leds",
        HostCommand::DeveloperKey => "developer_key(6 key bytes replaced by 00)",
        HostCommand::Unknown(_) => "unknown",
    };
    match commands.as_slice() {
        [HostCommand::Lights { speed, repeat, intensity, squares }] => {
            let squares: Vec<_> = squares.iter().map(|square| squares::square(*square).expect("below 64").to_string()).collect();
            json!({"type": "leds", "speed": speed, "repeat": repeat, "brightness": intensity, "squares": squares})
        }
        [one] => json!({ "type": name(one) }),
        all => json!({"type": "app_burst", "commands": all.iter().map(name).collect::<Vec<_>>()}),
    }
}

fn pegasus_board(bytes: &[u8]) -> Value {
    let mut framing = dgt::Framing::default();
    let (last, rest) = bytes.split_last().expect("bytes");
    rest.iter().for_each(|byte| assert_eq!(framing.push(*byte), None));
    let Some(dgt::Framed::Message { id, data, .. }) = framing.push(*last) else { panic!("no message") };
    let message = BoardMessage::decode(id, data).expect("known");
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(hex(&again), hex(bytes));
    let text = |raw: &[u8]| String::from_utf8(raw.to_vec()).expect("ASCII");
    match message {
        BoardMessage::Board(codes) => {
            let occupied = |(index, code): (u8, &u8)| {
                let bit = 63 - u32::from(index);
                u64::from(reading(*code).expect("a code") == Reading::Occupied) << bit
            };
            let mask: u64 = (0u8..).zip(codes).map(occupied).sum();
            json!({"type": "board", "occupied_fen_mask": format!("{mask:016x}")})
        }
        BoardMessage::Field { index, code } => {
            let square = squares::square(index).expect("below 64").to_string();
            json!({"type": "field", "square": square, "placed": change(code).expect("a code") == Reading::Occupied})
        }
        BoardMessage::Battery(report) => {
            let status = if report.status & 1 != 0 { "charging" } else { "discharging" };
            json!({"type": "battery", "percent": report.percent, "status": status})
        }
        BoardMessage::Version { major, minor } => json!({"type": "version", "major": major, "minor": minor}),
        BoardMessage::Trademark(raw) => json!({"type": "trademark", "text": text(raw)}),
        BoardMessage::Serial(raw) => json!({"type": "short_serial", "serial": text(raw)}),
        other => panic!("{other:?}"),
    }
}

/// The text of one message, without check digits.
fn text_of(speaker: Speaker, bytes: &[u8]) -> Vec<u8> {
    let mut framing = Framing::new(speaker);
    let (last, rest) = bytes.split_last().expect("bytes");
    rest.iter().for_each(|byte| assert_eq!(framing.push(*byte), None));
    let Some(Framed::Message { text, .. }) = framing.push(*last) else { panic!("no message") };
    text.to_vec()
}

fn plain(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(byte & 0x7f)).collect()
}

fn link_host(bytes: &[u8], wanted: &Value) -> Value {
    let text = text_of(Speaker::Host, bytes);
    let command = LinkCommand::decode(&text).expect("a command");
    let mut again = Vec::new();
    command.encode(&mut again);
    assert_eq!(hex(&again), hex(bytes));
    let whole = plain(bytes);
    match command {
        LinkCommand::Version => json!({"type": "get_version", "text": whole}),
        LinkCommand::Board => json!({"type": "scan", "text": whole}),
        LinkCommand::LightsOut => json!({"type": "leds_off", "text": whole}),
        LinkCommand::Reset => json!({"type": "reset", "text": whole}),
        LinkCommand::Read { address } => json!({"type": "eeprom_read", "addr": address, "text": whole}),
        LinkCommand::Write { address, value } => {
            json!({"type": "eeprom_write", "addr": address, "value": value, "text": whole})
        }
        LinkCommand::Lights(digits) => lights(digits, wanted),
        LinkCommand::Other(_) => panic!("{whole}"),
    }
}

/// Returns which corners are lit, and compares them with those of the squares that the vector names.
fn lights(digits: &[u8; 164], wanted: &Value) -> Value {
    let values: Vec<u8> = digits.chunks_exact(2).map(|pair| value([pair[0], pair[1]]).expect("digits")).collect();
    let pattern = values[1..].iter().copied().find(|value| *value != 0).expect("something is lit");
    let mut corners = [0; 81];
    for square in wanted["lit_corners_of"].as_array().expect("squares") {
        let square = Square::parse(square.as_str().expect("text")).expect("a square");
        let (file, rank) = (usize::from(square.file()), usize::from(square.rank()));
        for (column, row) in [(7 - file, rank), (7 - file, rank + 1), (8 - file, rank), (8 - file, rank + 1)] {
            corners[9 * column + row] = pattern;
        }
    }
    assert_eq!(values[1..], corners);
    json!({"type": "leds", "slot": values[0], "lit_corners_of": wanted["lit_corners_of"], "pattern": format!("{pattern:02X}")})
}

fn link_board(bytes: &[u8], turned: bool) -> Value {
    let text = text_of(Speaker::Board, bytes);
    let message = Message::decode(&text).expect("a message");
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(plain(&again), plain(bytes));
    match message {
        Message::Version { major, minor } => json!({"type": "version", "major": major, "minor": minor, "text": plain(bytes)}),
        Message::Board(letters) => {
            let shown = placement(letters).expect("every square is known");
            let shown = if turned { shown.rotated() } else { shown };
            let parity = bytes.iter().any(|byte| byte & 0x80 != 0);
            json!({"type": "board", "fen": shown.to_string(), "parity": parity})
        }
        Message::Unlit => json!({"type": "ack", "of": "X"}),
        Message::Lit => json!({"type": "ack", "of": "L"}),
        Message::Written { address, value } => json!({"type": "ack", "of": "W", "addr": address, "value": value}),
        Message::Setting { .. } => panic!("no vector of this kind is known"),
    }
}
