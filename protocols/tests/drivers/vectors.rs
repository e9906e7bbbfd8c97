//! Every vector of a single board in the shared file, both directions, compared as complete JSON.

pub(crate) mod meaning;

use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::driver::{Input, Output};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::ClockMessage;
use flagfall_protocols::drivers::dgt::ee::EeReader;
use flagfall_protocols::drivers::dgt::framing::{Framed, Framing};
use flagfall_protocols::drivers::dgt::host_decoder::{HostDecoder, HostItem};
use flagfall_protocols::event::DeviceEvent;
use serde_json::Value;

use crate::common::{Rig, anomalies, events, ms, shared};

/// These messages are read but not written in this form: an acknowledgement carries its mark only in the first hour byte.
const NOT_CANONICAL: [(&str, &str); 2] =
    [("8d000a0a10082a053100", "mark in both hour bytes"), ("8d000a00100c0a000000", "mark in the second hour byte only")];

#[test]
fn every_vector_of_a_single_board() {
    let Some(text) = shared("protocols/dgt-vectors.jsonl") else { return };
    let (mut up, mut down, mut odd) = (0, 0, 0);
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        match (vector["link"].as_str(), vector["dir"].as_str()) {
            (Some("single" | "pegasus"), Some("board->host")) => {
                up += 1;
                odd += usize::from(!from_board(&vector));
            }
            (Some("single" | "pegasus"), Some("host->board")) => {
                down += 1;
                from_host(&vector);
            }
            (Some("bus" | "i2c"), _) => {}
            other => panic!("a vector of another kind: {other:?}"),
        }
    }
    assert!(up >= 80 && down >= 40, "{up} {down}");
    assert_eq!(odd, NOT_CANONICAL.len());
}

/// Returns whether the message is written as it was read.
fn from_board(vector: &Value) -> bool {
    let text = vector["hex"].as_str().expect("hex");
    let bytes = unhex(text).expect("hex");
    let mut framing = Framing::default();
    let (last, rest) = bytes.split_last().expect("bytes");
    for &byte in rest {
        assert_eq!(framing.push(byte), None, "{text}");
    }
    let Some(Framed::Message { id, data, at }) = framing.push(*last) else { panic!("{text}: no message") };
    assert_eq!((at.start, at.end), (0, bytes.len() as u64));
    let message = BoardMessage::decode(id, data).expect("known");
    assert_eq!(meaning::of_board(&message), vector["meaning"], "{text}");

    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(hex(&again), text);
    if let BoardMessage::EeMoves(data) = message {
        let mut tags = Vec::new();
        EeReader::new(data).for_each(|(tag, _)| tag.encode(&mut tags));
        assert_eq!(hex(&tags), hex(data));
    }
    let BoardMessage::Clock(raw) = message else { return true };
    let canonical = ClockMessage::decode(&raw).encode() == raw;
    assert_eq!(canonical, NOT_CANONICAL.iter().all(|(known, _)| *known != text), "{text}");
    canonical
}

fn from_host(vector: &Value) {
    let text = vector["hex"].as_str().expect("hex");
    let bytes = unhex(text).expect("hex");
    let mut decoder = HostDecoder::new();
    let mut items: Vec<_> = bytes.iter().map(|&byte| decoder.push(byte)).collect();
    let Some(Some(HostItem::Message(message))) = items.pop() else { panic!("{text}: no message") };
    assert!(items.iter().all(Option::is_none), "{text}");
    assert_eq!(meaning::of_host(&message), vector["meaning"], "{text}");
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(hex(&again), text);
}

#[test]
fn recorded_games_are_read_without_anomaly() {
    // Each row has the file and its numbers of messages, board dumps, field updates and clock messages.
    for (file, counts) in
        [("data/traces/dgt-blitz-3+2.jsonl", [1, 131, 323]), ("data/traces/dgt-blitz-5+5-flagfall.jsonl", [1, 101, 854])]
    {
        let Some(text) = shared(file) else { continue };
        let mut rig = Rig::dgt();
        for (seq, line) in text.lines().enumerate() {
            let vector: Value = serde_json::from_str(line).expect("a JSON line");
            let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
            rig.feed(ms(100 * seq as u64), Input::Bytes { channel: 0, bytes: &bytes });
            assert!(from_board(&vector));
        }
        assert_eq!(anomalies(&rig.log), [], "{file}");
        let mut found = [0; 3];
        let mut baselines = 0;
        for event in events(&rig.log) {
            found[match event {
                DeviceEvent::Frame(_) => 0,
                DeviceEvent::Square { .. } => 1,
                DeviceEvent::Clock(reading) => {
                    baselines += usize::from(reading.baseline);
                    2
                }
                other => panic!("{other:?}"),
            }] += 1;
        }
        assert_eq!((found, baselines), (counts, 1), "{file}");
        // Each event names its bytes, without gaps or overlaps.
        let mut end = 0;
        for (_, output) in &rig.log {
            let Output::Event { bytes, .. } = output else { panic!("{output:?}") };
            assert_eq!(bytes.start, end);
            end = bytes.end;
        }
    }
}
