//! Every vector of Chessnut boards in the shared file of Bluetooth boards, both directions.

use crate::common::{Rig, anomalies, events, shared};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers::chessnut::framing::{Framed, Framing};
use flagfall_protocols::drivers::chessnut::host::HostCommand;
use flagfall_protocols::drivers::chessnut::message::{Message, placement};
use flagfall_protocols::drivers::{chessnut, chessnut_move};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::square::Square;
use serde_json::{Value, json};

#[test]
fn every_vector() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let mut seen = [0; 4];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        let (kind, info) = match vector["device"].as_str() {
            Some("chessnut-air") => (0, &chessnut::INFO),
            Some("chessnut-move") => (2, &chessnut_move::INFO),
            _ => continue,
        };
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        let characteristic = vector["char"].as_str().expect("text");
        // The bytes do not hold the origin that a meaning names.
        let mut wanted = vector["meaning"].clone();
        wanted.as_object_mut().expect("an object").remove("note");
        if vector["dir"] == "host->device" {
            seen[kind] += 1;
            assert_eq!(uuid(chessnut::CHANNELS[0].write), characteristic, "{line}");
            assert_eq!(host(&bytes, &wanted), wanted, "{line}");
        } else {
            seen[kind + 1] += 1;
            let channel = chessnut::CHANNELS.iter().position(|channel| uuid(channel.notify) == characteristic);
            let channel = u8::try_from(channel.expect("a channel of ours")).expect("few");
            assert_eq!(board(info, channel, &bytes, &wanted), wanted, "{line}");
        }
    }
    assert_eq!(seen, [12, 10, 6, 2]);
}

fn uuid(id: Option<u128>) -> String {
    let digits = format!("{:032x}", id.expect("a characteristic"));
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// Returns the names of the squares whose bit or number is not zero.
fn lit(is: impl Fn(usize, usize) -> bool) -> Vec<String> {
    let squares = Square::all().filter(|square| is(usize::from(square.file()), usize::from(square.rank())));
    squares.map(|square| square.to_string()).collect()
}

fn host(bytes: &[u8], wanted: &Value) -> Value {
    let (mut commands, mut rest) = (Vec::new(), bytes);
    while let Some((command, length)) = HostCommand::decode(rest) {
        commands.push(command);
        rest = &rest[length..];
    }
    assert!(rest.is_empty(), "{}", hex(bytes));
    let mut again = Vec::new();
    commands.iter().for_each(|command| command.encode(&mut again));
    assert_eq!(hex(&again), hex(bytes));
    match *commands.as_slice() {
        [HostCommand::Realtime] => json!({"type": "mode_realtime"}),
        [HostCommand::Upload] => json!({"type": "mode_upload"}),
        [HostCommand::Battery | HostCommand::MoveBattery] => json!({"type": "get_battery"}),
        [HostCommand::Version(1)] => json!({"type": "get_mcu_version"}),
        [HostCommand::Version(0)] => json!({"type": "get_ble_version"}),
        [HostCommand::Games] => json!({"type": "get_file_count"}),
        [HostCommand::TransferReady] => json!({"type": "transfer_ready"}),
        [HostCommand::Transfer(1)] => json!({"type": "transfer_file", "which": "newest"}),
        [HostCommand::Pieces] => json!({"type": "get_piece_status"}),
        [HostCommand::Kind, HostCommand::Games] => json!({"type": "probe_board_type"}),
        [HostCommand::Beep { hertz, millis }] => json!({"type": "beep", "hz": hertz, "ms": millis}),
        [HostCommand::Lights(lights)] => {
            json!({"type": "leds", "squares": lit(|file, rank| lights[7 - rank] & 0x80 >> file != 0)})
        }
        [HostCommand::Colours(colours)] => {
            // The order is the one of a position: h8 g8 … a1, low half first.
            let half = |file: usize, rank: usize| {
                let place = 8 * (7 - rank) + (7 - file);
                colours[place / 2] >> (4 * (place % 2)) & 15
            };
            assert_eq!(lit(|file, rank| !matches!(half(file, rank), 0 | 3)), Vec::<String>::new());
            json!({"type": "leds_rgb", "blue": lit(|file, rank| half(file, rank) == 3)})
        }
        [HostCommand::Move { squares, force }] => {
            json!({"type": "auto_move", "fen": placement(&squares).expect("pieces").to_string(), "force": force})
        }
        ref other => panic!("{other:?}: {wanted}"),
    }
}

fn board(info: &DriverInfo, channel: u8, bytes: &[u8], wanted: &Value) -> Value {
    let mut framing = Framing::new(channel);
    let mut framed = Vec::new();
    bytes.iter().for_each(|byte| framing.push(*byte, &mut |one| framed.push(one)));
    assert!(!framing.holds());
    let mut rig = Rig::new(info);
    rig.bytes_on(channel, bytes);
    let (reported, wrong) = (events(&rig.log), anomalies(&rig.log));
    let [one] = *framed.as_slice() else { panic!("{framed:?}") };
    let message = match one {
        Framed::Anomaly { anomaly: Anomaly::BadField, at } => {
            assert_eq!((at.channel, at.start, at.end), (channel, 0, bytes.len() as u64));
            assert_eq!((reported, wrong), (vec![], vec![Anomaly::BadField]));
            let odd = bytes[2..34].iter().flat_map(|byte| [byte & 15, byte >> 4]).find(|code| *code > 12).expect("an odd code");
            return json!({"type": "invalid", "why": format!("piece code {odd}")});
        }
        Framed::Anomaly { anomaly, .. } => panic!("{anomaly:?}"),
        Framed::Message { message, at } => {
            assert_eq!((at.channel, at.start, at.end), (channel, 0, bytes.len() as u64));
            message
        }
    };
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(hex(&again), hex(bytes));
    assert_eq!(wrong, []);
    match message {
        Message::Board { squares, .. } => {
            let shown = placement(&squares).expect("pieces");
            assert_eq!(reported, [DeviceEvent::Frame(shown)]);
            // The bytes do not say how the board lies: the game finds it out.
            if wanted["reversed"] == true {
                return json!({"type": "board", "fen": shown.rotated().to_string(), "reversed": true});
            }
            json!({"type": "board", "fen": shown.to_string()})
        }
        Message::Battery { .. } | Message::MoveBattery { .. } => {
            let [DeviceEvent::Battery(battery)] = *reported.as_slice() else { panic!("{reported:?}") };
            assert_eq!(message.battery(), Some((battery.percent, battery.charging)));
            json!({"type": "battery", "percent": battery.percent, "charging": battery.charging})
        }
        Message::Accepted => {
            assert_eq!(reported, []);
            json!({"type": "ack"})
        }
        Message::NotReady => {
            assert_eq!(reported, []);
            json!({"type": "not_ready"})
        }
        other => panic!("{other:?}"),
    }
}
