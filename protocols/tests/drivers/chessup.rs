//! ChessUp: every vector in both directions, and bytes that are no message.

use crate::common::shared;
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::drivers::chessup::BoardMessage;
use flagfall_protocols::drivers::chessup::host::HostCommand;
use flagfall_protocols::drivers::find;
use flagfall_protocols::square::Square;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn every_vector_both_ways() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let mut seen = [0; 2];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        if vector["device"] != "chessup" {
            continue;
        }
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        let mut again = Vec::new();
        let read = if vector["dir"] == "host->device" {
            seen[0] += 1;
            let command = HostCommand::decode(&bytes).expect("a command");
            command.encode(&mut again);
            match command {
                HostCommand::Move { from, to } => json!({"type": "move", "uci": format!("{from}{to}")}),
                HostCommand::MoveTaken => json!({"type": "ack_move"}),
                HostCommand::State => json!({"type": "get_state"}),
                HostCommand::PlayOverTheBoard => json!({"type": "settings_phone_otb"}),
                other => panic!("{other:?}"),
            }
        } else {
            seen[1] += 1;
            let message = BoardMessage::decode(&bytes).expect("a message");
            message.encode(&mut again);
            let BoardMessage::Move { from, to } = message else { panic!("{message:?}") };
            json!({"type": "move", "uci": format!("{from}{to}")})
        };
        assert_eq!(read, vector["meaning"], "{line}");
        assert_eq!(hex(&again), hex(&bytes), "{line}");
    }
    assert_eq!(seen, [4, 1]);
}

#[test]
fn messages_that_the_page_does_not_list_are_refused() {
    for bad in [
        &[][..],
        &[0xa3],
        &[0xa3, 0x35, 8, 0, 0, 0],
        &[0xa3, 0x35, 0, 0, 0, 8],
        &[0xa3, 0x35, 0, 0, 0, 0, 0],
        &[0xa3, 0x34, 0, 0, 0, 0],
        &[0; 71],
        &[0; 74],
    ] {
        assert_eq!(BoardMessage::decode(bad), None, "{bad:x?}");
    }
    for bad in [&[][..], &[0x67, 0], &[0x99, 64, 0], &[0x99, 0], &[0xb9, 5], &[0x22]] {
        assert_eq!(HostCommand::decode(bad), None, "{bad:x?}");
    }
    assert_eq!(BoardMessage::decode(&[1; 73]), Some(BoardMessage::State(&[1; 73])));
    assert_eq!(BoardMessage::decode(&[0x97, 5]), Some(BoardMessage::Promotion(&[5])));
    assert!(find("chessup").is_none(), "there is no driver");
}

proptest! {
    #[test]
    fn messages_are_written_as_they_were_read(bytes in prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..80),
        proptest::collection::vec(0..8u8, 4).prop_map(|squares| [&[0xa3, 0x35], &squares[..]].concat()),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(|fen| [&[0x66], &fen[..]].concat()),
        (0..64u8, 0..64u8).prop_map(|(from, to)| vec![0x99, from, to]),
        any::<u8>().prop_map(|byte| vec![byte]),
    ]) {
        let (mut board, mut host) = (Vec::new(), Vec::new());
        if let Some(message) = BoardMessage::decode(&bytes) {
            message.encode(&mut board);
            prop_assert_eq!(&board, &bytes);
        }
        if let Some(command) = HostCommand::decode(&bytes) {
            command.encode(&mut host);
            prop_assert_eq!(&host, &bytes);
        }
    }
}

#[test]
fn squares_are_counted_from_a1() {
    let square = |name| Square::parse(name).expect("a square");
    let shown = HostCommand::Move { from: square("b1"), to: square("h8") };
    let mut bytes = Vec::new();
    shown.encode(&mut bytes);
    BoardMessage::Move { from: square("b1"), to: square("h8") }.encode(&mut bytes);
    assert_eq!(hex(&bytes), "99013fa33501000707");
}
