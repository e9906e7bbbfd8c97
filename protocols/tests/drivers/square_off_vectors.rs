//! Every vector of Square Off boards in the shared file of Bluetooth boards, both directions, and the captures as a whole.

use crate::common::{Rig, anomalies, events, ms, sent, shared};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::driver::Input;
use flagfall_protocols::drivers::square_off::framing::{Found, Framing};
use flagfall_protocols::drivers::square_off::gks;
use flagfall_protocols::drivers::square_off::host::{self, HostCommand, MAX_COMMAND, Signal};
use flagfall_protocols::drivers::square_off::message::{self, Decimal, MAX_TEXT, Message};
use flagfall_protocols::drivers::{square_off, square_off_neo};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use serde_json::{Value, json};

/// Returns the channel of the Neo for a characteristic; none = the characteristic is only written.
fn channel(characteristic: &str) -> Option<u8> {
    let whole = if characteristic == "2a19" { "00002a19-0000-1000-8000-00805f9b34fb" } else { characteristic };
    let id = u128::from_str_radix(&whole.replace('-', ""), 16).expect("hex");
    let channels = square_off_neo::INFO.ble.expect("met by radio").channels;
    let place = channels.iter().position(|channel| channel.notify == Some(id) || channel.write == Some(id));
    place.map(|place| u8::try_from(place).expect("few"))
}

#[test]
fn every_vector() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let mut seen = [0; 6];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        let mut wanted = vector["meaning"].clone();
        // These members describe the origin, not the bytes. The vectors of a Pro have the text without its bits.
        let note = wanted.as_object_mut().expect("an object").remove("note");
        if note == Some("start position".into()) {
            wanted["bits"] = "11000011".repeat(8).into();
        }
        let on = vector["char"].as_str().expect("a characteristic");
        let (kind, (read, again)) = match (vector["device"].as_str(), vector["dir"].as_str()) {
            (Some("squareoff-pro"), Some("host->device")) => (0, host_meaning(&bytes, false)),
            (Some("squareoff-pro"), Some("device->host")) => (1, board_meaning(0, &bytes)),
            (Some("squareoff-gks"), Some("host->device")) => (2, gks_host(&bytes)),
            (Some("squareoff-gks"), Some("device->host")) => (3, gks_board(&bytes)),
            (Some("squareoff-neo"), Some("host->device")) if channel(on).is_none() => (4, own_host(&bytes)),
            (Some("squareoff-neo"), Some("host->device")) => (4, host_meaning(&bytes, true)),
            (Some("squareoff-neo"), Some("device->host")) => (5, board_meaning(channel(on).expect("a channel"), &bytes)),
            _ => continue,
        };
        seen[kind] += 1;
        assert_eq!(hex(&again), hex(&bytes), "{line}");
        assert_eq!(read, wanted, "{line}");
        if kind == 1 || kind == 5 {
            let info = if kind == 1 { &square_off::INFO } else { &square_off_neo::INFO };
            let mut rig = Rig::new(info);
            rig.bytes_on(channel(on).expect("a channel"), &bytes);
            let expected = match wanted["type"].as_str().expect("text") {
                "go" | "in_sync" | "motor_done" | "other" => (0, vec![Anomaly::Unasked]),
                "battery" if wanted["millivolts"] == 4095.0 => (0, vec![Anomaly::BadField]),
                // A voltage is no percentage.
                "battery" if wanted.get("percent").is_none() => (0, vec![]),
                _ => (1, vec![]),
            };
            assert_eq!((events(&rig.log).len(), anomalies(&rig.log)), expected, "{line}");
        }
    }
    assert_eq!(seen, [9, 6, 4, 3, 128, 236]);
}

/// Returns the only message of these bytes.
fn one<M: std::fmt::Debug, const N: usize>(mut framing: Framing<M, N>, bytes: &[u8]) -> M {
    let mut found = Vec::new();
    for (count, byte) in (1..).zip(bytes) {
        framing.push(ms(0), *byte, |what, at| found.push((count, what, at)));
    }
    match (found.pop(), found.is_empty()) {
        (Some((count, Found::Message(message), at)), true) => {
            assert_eq!((count, at.start, at.end), (bytes.len(), 0, bytes.len() as u64));
            message
        }
        other => panic!("{other:?}"),
    }
}

fn ascii(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("ASCII")
}

fn value(number: Decimal) -> f64 {
    f64::from(number.digits) / 10f64.powi(number.places.into())
}

fn board_meaning(channel: u8, bytes: &[u8]) -> (Value, Vec<u8>) {
    let message = match channel {
        0 => one(Framing::<_, MAX_TEXT>::new(0, message::text), bytes),
        1 => one(Framing::<_, 3>::new(1, message::event), bytes),
        2 => one(Framing::<_, 64>::new(2, message::picture), bytes),
        _ => one(Framing::<_, 1>::new(3, message::percent), bytes),
    };
    let mut again = Vec::new();
    if channel == 0 {
        message.encode(&mut again)
    } else {
        message.encode_bare(&mut again)
    }
    let mut read = match message {
        Message::Field { square, placed } => json!({"type": "field", "square": square.to_string(), "placed": placed}),
        Message::Board(occupied) => {
            // The placement gives the meaning of the bits, square by square.
            let shown = message::placement(occupied);
            let order = ('a'..='h').flat_map(|file| ('1'..='8').map(move |rank| format!("{file}{rank}")));
            let occupied = |name: String| shown.get(Square::parse(&name).expect("a square")) == Reading::Occupied;
            let bits: String = order.map(|name| if occupied(name) { '1' } else { '0' }).collect();
            json!({"type": "board", "bits": bits})
        }
        Message::Volts(number) => json!({"type": "battery", "volts": value(number)}),
        Message::Millivolts(number) => json!({"type": "battery", "millivolts": value(number)}),
        Message::Percent(percent) => json!({"type": "battery", "percent": percent}),
        Message::Go => json!({"type": "go"}),
        Message::InSync => json!({"type": "in_sync"}),
        Message::Address => json!({"type": "other"}),
        Message::MotorDone => json!({"type": "motor_done"}),
    };
    if channel == 0 {
        read["text"] = ascii(&again).into();
    }
    (read, again)
}

fn host_meaning(bytes: &[u8], neo: bool) -> (Value, Vec<u8>) {
    let command = one(Framing::<_, MAX_COMMAND>::new(0, host::text), bytes);
    let mut again = Vec::new();
    command.encode(&mut again);
    let mut read = match command {
        HostCommand::Board => json!({"type": "get_board"}),
        HostCommand::Battery => json!({"type": "get_battery"}),
        HostCommand::Start(b'1') if !neo => json!({"type": "new_game"}),
        HostCommand::Lights(squares) if squares.is_empty() && !neo => json!({"type": "leds_off"}),
        HostCommand::Lights(squares) => {
            json!({"type": "leds", "squares": squares.iter().map(Square::to_string).collect::<Vec<_>>()})
        }
        HostCommand::Signal(Signal::Check) => json!({"type": "signal", "what": "check"}),
        HostCommand::Signal(Signal::WhiteWins) => json!({"type": "signal", "what": "white wins"}),
        HostCommand::Signal(Signal::BlackWins) => json!({"type": "signal", "what": "black wins"}),
        HostCommand::Signal(Signal::Draw) => json!({"type": "signal", "what": "draw"}),
        HostCommand::Start(_) | HostCommand::Address => json!({"type": "other"}),
        HostCommand::Other(ref text) if text == b"30#2000" => json!({"type": "other"}),
        other => panic!("{other:?}"),
    };
    read["text"] = ascii(&again).into();
    (read, again)
}

fn own_host(bytes: &[u8]) -> (Value, Vec<u8>) {
    let command = HostCommand::decode_own(bytes).expect("a command");
    let mut again = Vec::new();
    command.encode(&mut again);
    let kind = if matches!(command, HostCommand::Route(_)) { "motor_route" } else { "signal" };
    (json!({"type": kind, "text": ascii(&again)}), again)
}

fn gks_host(bytes: &[u8]) -> (Value, Vec<u8>) {
    let command = gks::host::HostCommand::decode(bytes).expect("a command");
    let mut again = Vec::new();
    command.encode(&mut again);
    let mut read = match command {
        gks::host::HostCommand::Connected => json!({"type": "connected"}),
        gks::host::HostCommand::BoardType => json!({"type": "get_type"}),
        gks::host::HostCommand::BatteryVolts => json!({"type": "get_battery"}),
        gks::host::HostCommand::Move(from, to) => json!({"type": "move", "uci": format!("{from}{to}")}),
        other => panic!("{other:?}"),
    };
    read["text"] = ascii(&again).into();
    (read, again)
}

fn gks_board(bytes: &[u8]) -> (Value, Vec<u8>) {
    let message = gks::Message::decode(bytes).expect("a message");
    let mut again = Vec::new();
    message.encode(&mut again);
    let mut read = match message {
        gks::Message::Kind(_) => json!({"type": "type"}),
        gks::Message::Done(code) => json!({"type": "ok", "code": code}),
        gks::Message::Battery(_, number) => json!({"type": "battery", "volts": value(number)}),
    };
    read["text"] = ascii(&again).into();
    (read, again)
}

/// Returns the notifications of a capture: microseconds, channel, bytes.
fn capture(text: &str, name: &str) -> Vec<(u64, u8, Vec<u8>)> {
    let vectors = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a JSON line"));
    let reported = vectors.filter(|vector| vector["capture"] == name && vector["dir"] == "device->host");
    let mut reported: Vec<_> = reported
        .map(|vector| {
            let at = (vector["t_ms"].as_f64().expect("a time") * 1000.0) as u64;
            let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
            (vector["seq"].as_u64().expect("a number"), at, channel(vector["char"].as_str().expect("text")), bytes)
        })
        .collect();
    reported.sort_by_key(|(seq, ..)| *seq);
    reported.into_iter().map(|(_, at, channel, bytes)| (at, channel.expect("a channel"), bytes)).collect()
}

/// Returns a session after all bytes of a capture.
fn fed(reported: &[(u64, u8, Vec<u8>)], active: bool, piece: usize) -> Rig {
    let mut rig = Rig::new(&square_off_neo::INFO);
    if active {
        rig.feed(ms(0), Input::LinkUp);
    }
    for (at, channel, bytes) in reported {
        for bytes in bytes.chunks(piece) {
            rig.feed(flagfall_protocols::time::Instant(*at), Input::Bytes { channel: *channel, bytes });
        }
    }
    rig
}

/// Returns the events of squares, and the changes of each picture with its time in seconds.
fn squares(rig: &Rig) -> (String, Vec<(f64, String)>) {
    let (mut fields, mut frames, mut before) = (Vec::new(), Vec::new(), Placement::EMPTY);
    for (at, output) in &rig.log {
        let flagfall_protocols::driver::Output::Event { event, .. } = output else { continue };
        match event {
            DeviceEvent::Square { square, reading } => {
                before.set(*square, *reading);
                fields.push(format!("{square}{}", if *reading == Reading::Empty { 'u' } else { 'd' }));
            }
            DeviceEvent::Frame(frame) => {
                let changed = Square::all().filter(|square| before.get(*square) != frame.get(*square));
                let sign = |square| if frame.get(square) == Reading::Empty { '-' } else { '+' };
                let changes: Vec<_> = changed.map(|square| format!("{}{square}", sign(square))).collect();
                frames.push((at.micros() as f64 / 1e6, changes.join(" ")));
                before = *frame;
            }
            _ => {}
        }
    }
    (fields.join(" "), frames)
}

/// 1.d4 c6 2.Bf4 c5 3.e3 d5 4.Nf3 Nf6 5.Nbd2 Bd7 6.Ne5 c4 7.Be2 e6 8.c3 Nh5 9.Qa4 Qd7 10.Nxd7 g6 11.Nf6+ Kd8 12.Qe8#: White's
/// hands, among them a piece of the other side that is put right three times, and the queen that is lifted and put back.
const HANDS: &str = "d2u d4d c1u f4d e2u e3d g1u f3d b1u d2d f3u e5d d7u d7d d7u d7d d7u d7d f1u e2d c2u c3d d1u a4d \
                     e5u d7u d7d d7u f6d a4u e8d e8u e8d e8u e8d e8u e8d e8u";

/// Black's moves, which the motor makes: no event reports them. Squares that become empty without a move are pieces that the
/// motor dragged aside; they are reported once. g7 is empty from 78.9 s until its pawn has moved, f6 from 93.8 s until its
/// knight has moved.
const MOTOR: &[&str] = &[
    "+c8",
    "+c6 -c7",
    "+c5 -c6",
    "+d5 -d7",
    "+f6 -g7 -g8",
    "-f6 +d7 -c8",
    "+c4 -c5 -d7",
    "+e6 -d7",
    "+h5",
    "+d7 -d8",
    "+g6",
    "+d8 -e8",
];

fn sorted(changes: &str) -> Vec<&str> {
    let mut words: Vec<_> = changes.split(' ').collect();
    words.sort_unstable();
    words
}

#[test]
fn a_captured_game_is_reported_whole_and_nothing_twice() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let reported = capture(&text, "neo-game-1");
    let pictures = reported.iter().filter(|(_, channel, _)| *channel == 2).count();
    assert_eq!((reported.len(), pictures), (166, 112));
    let rig = fed(&reported, false, usize::MAX);
    let (hands, frames) = squares(&rig);
    assert_eq!(hands, HANDS);
    // The first picture has no piece on c8. After it come the moves of the motor: 13 frames of 112 pictures.
    let changes: Vec<_> = frames[1..].iter().map(|(_, changes)| sorted(changes)).collect();
    assert_eq!(changes, MOTOR.iter().map(|changes| sorted(changes)).collect::<Vec<_>>());
    // While g7 is missing, only moves are reported: 126 s with seven frames.
    let times: Vec<_> = frames.iter().filter(|(at, _)| (78.9..205.3).contains(at)).map(|(at, _)| at.round()).collect();
    assert_eq!(times, [79.0, 94.0, 107.0, 136.0, 145.0, 193.0, 205.0]);
    // The capture holds eleven ends of motor moves and one address, which are not reported.
    assert_eq!(anomalies(&rig.log), [Anomaly::Unasked; 12]);
    let percents = events(&rig.log).into_iter().filter_map(|event| match event {
        DeviceEvent::Battery(battery) => Some(battery.percent),
        _ => None,
    });
    assert_eq!(percents.collect::<Vec<_>>(), [73, 76]);
    // Every event of a square is a change.
    assert_eq!(events(&rig.log).len(), 38 + 13 + 2);
}

#[test]
fn a_capture_reads_the_same_in_pieces_and_with_the_link_up() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    for (name, count) in [("neo-game-1", 166), ("neo-after-connect", 23), ("neo-whitepawn", 47)] {
        let reported = capture(&text, name);
        assert_eq!(reported.len(), count, "{name}");
        let whole = fed(&reported, false, usize::MAX);
        assert!(whole.log == fed(&reported, false, 1).log && whole.log == fed(&reported, false, 20).log, "{name}");
        let active = fed(&reported, true, usize::MAX);
        assert_eq!(squares(&active), squares(&whole), "{name}");
        assert!(sent(&active.log).iter().all(|(_, bytes)| bytes == b"30#R*" || bytes == b"4#*"), "{name}");
    }
}

#[test]
fn the_other_captures_are_read() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let rig = fed(&capture(&text, "neo-after-connect"), false, usize::MAX);
    let (hands, frames) = squares(&rig);
    assert_eq!((hands.as_str(), frames.len()), ("d2u d4d", 2));
    assert_eq!(sorted(&frames[1].1), ["+e5", "-e7"]);
    assert_eq!(anomalies(&rig.log), [Anomaly::Unasked]);

    // This host never subscribed to the Neo's own channels. It got only answers to 30#R and a battery value without
    // information.
    let rig = fed(&capture(&text, "neo-whitepawn"), false, usize::MAX);
    let (hands, frames) = squares(&rig);
    let changes: Vec<_> = frames[1..].iter().map(|(_, changes)| changes.as_str()).collect();
    assert_eq!(hands, "");
    assert_eq!(changes, ["-d7", "+d5", "-d5 +d7", "-d7", "+d5", "-d5", "+d7", "-d7", "+d5"]);
    assert_eq!(anomalies(&rig.log), [Anomaly::BadField; 7]);
}
