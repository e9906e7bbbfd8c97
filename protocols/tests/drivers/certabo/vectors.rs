//! Every vector of the shared file that concerns these boards, both directions.

use std::collections::BTreeMap;

use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::drivers::certabo::framing::{Form, Framed, Framing};
use flagfall_protocols::drivers::certabo::host::{HostCommand, HostDecoder};
use flagfall_protocols::drivers::certabo::message::{encode, occupied, placement, ranks, square};
use flagfall_protocols::drivers::certabo::{Calibration, Session};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use serde_json::{Value, json};

use super::{START, SessionRig, at, fen};
use crate::common::shared;

/// What the framing found in a text with silence after it.
#[derive(Default)]
struct Found {
    frames: Vec<Vec<u8>>,
    anomalies: Vec<(Anomaly, u64, u64)>,
}

impl Found {
    fn take(&mut self, framed: Option<Framed<'_>>) {
        match framed {
            Some(Framed::Frame { numbers, .. }) => self.frames.push(numbers.to_vec()),
            Some(Framed::Anomaly { anomaly, at }) => self.anomalies.push((anomaly, at.start, at.end)),
            None => {}
        }
    }

    fn read(&mut self, framing: &mut Framing, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.take(framing.push(*byte)));
    }
}

fn found(form: Form, bytes: &[u8]) -> Found {
    let (mut found, mut framing) = (Found::default(), Framing::new(form));
    found.read(&mut framing, bytes);
    found.take(framing.silence());
    found
}

/// The bytes and meanings of the vectors, by device and direction.
type Vectors = BTreeMap<(String, String), Vec<(Vec<u8>, Value)>>;

fn vectors() -> Option<Vectors> {
    let text = shared("protocols/ble-vectors.jsonl")?;
    let mut sorted: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        let word = |name: &str| vector[name].as_str().expect("text").to_owned();
        if ["certabo", "tabutronic"].iter().any(|family| word("device").starts_with(family)) {
            let bytes = unhex(&word("hex")).expect("hex");
            sorted.entry((word("device"), word("dir"))).or_default().push((bytes, vector["meaning"].clone()));
        }
    }
    Some(sorted)
}

fn of<'a>(all: &'a Vectors, device: &str, dir: &str) -> &'a [(Vec<u8>, Value)] {
    &all[&(device.to_owned(), dir.to_owned())]
}

#[test]
fn the_file_holds_the_known_numbers_of_vectors() {
    let Some(all) = vectors() else { return };
    let counts: Vec<_> = all.iter().map(|((device, dir), vectors)| (device.as_str(), dir.as_str(), vectors.len())).collect();
    assert_eq!(
        counts,
        [
            ("certabo-led", "host->device", 4),
            ("certabo-rfid", "device->host", 22),
            ("tabutronic-sentio", "device->host", 2),
            ("tabutronic-spectrum", "host->device", 2),
        ]
    );
}

/// Returns a text without its line ends. Some boards put line ends anywhere.
fn joined(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text").replace(['\r', '\n'], "")
}

fn written(numbers: &[u8], space: bool) -> Vec<u8> {
    let mut text = Vec::new();
    encode(&mut text, numbers, space, None);
    text
}

#[test]
fn frames_of_tags_are_read_and_written() {
    let Some(all) = vectors() else { return };
    let (mut whole, mut parts) = (0, Vec::new());
    for (index, (bytes, meaning)) in of(&all, "certabo-rfid", "device->host").iter().enumerate() {
        if meaning["type"] == "rfid_part" {
            parts.push(bytes);
            continue;
        }
        assert_eq!(meaning["type"], "rfid_frames");
        let Found { frames, anomalies } = found(Form::Tags, bytes);
        assert_eq!(json!(frames), meaning["frames"], "{index}");
        whole += frames.len();
        match index {
            // The lines end after 64 characters and before the end mark, and a space follows the last number.
            0 => assert_eq!(joined(&written(&frames[0], true)), joined(bytes)),
            // The acknowledgement follows the space.
            1 => {
                let both = [written(&frames[0], true), b"L".to_vec(), written(&frames[1], true)].concat();
                assert_eq!(joined(&both), joined(bytes));
            }
            2 => assert_eq!(written(&frames[0], false), bytes[18..]),
            _ => assert_eq!(written(&frames[0], false), *bytes, "{index}"),
        }
        assert_eq!(anomalies, if index == 2 { vec![(Anomaly::StrayByte, 0, 18)] } else { vec![] }, "{index}");
    }
    assert_eq!(whole, 21);

    // This frame comes in two parts and is cut inside its last number.
    let [first, second] = parts[..] else { panic!("two parts") };
    let (mut got, mut framing) = (Found::default(), Framing::new(Form::Tags));
    got.read(&mut framing, first);
    assert!(got.frames.is_empty());
    got.read(&mut framing, second);
    assert_eq!((got.frames.len(), got.anomalies.len()), (1, 0));
    assert_eq!(got.frames[0][315..], [3, 0, 84, 252, 170]);
    assert_eq!(joined(&written(&got.frames[0], false)), joined(&[&first[..], &second[..1]].concat()));
    assert_eq!(joined(second), "0L");
}

/// Returns the numbers of each frame, in order, with the two parts joined.
fn frames() -> Option<Vec<Vec<u8>>> {
    let all = vectors()?;
    let (mut got, mut framing) = (Found::default(), Framing::new(Form::Tags));
    for (bytes, meaning) in of(&all, "certabo-rfid", "device->host") {
        got.read(&mut framing, bytes);
        if meaning["part"] != json!(1) {
            got.take(framing.silence());
        }
    }
    assert_eq!(got.frames.len(), 22);
    Some(got.frames)
}

/// Returns the calibration that a frame of the initial position gives.
fn table(numbers: &[u8]) -> Calibration {
    let mut table = Calibration::default();
    for (index, tag) in (0..).zip(numbers.as_chunks().0) {
        if let Some(piece) = Placement::initial().get(square(index).expect("below 64")).piece() {
            table.add(*tag, piece).expect("tags are unique");
        }
    }
    table
}

/// Returns the position that one frame shows with this table.
fn frame_position(table: &Calibration, numbers: &[u8]) -> Placement {
    let mut placement = Placement::EMPTY;
    for (index, tag) in (0..).zip(numbers.as_chunks().0) {
        if let Some(piece) = table.piece(tag) {
            placement.set(square(index).expect("below 64"), Reading::Piece(piece));
        }
    }
    placement
}

/// Frames and the positions that they show with the table of frame 8. In two of them a rook and a pawn are exchanged. The file
/// calls frame 3 the initial position, but it shows the position after 1. e4.
const PLAYED: [(usize, &str); 5] = [
    (0, "r1bqkb1r/pppppppp/2n2n2/8/7R/8/PPPPPPP1/RNBQKBNP"),
    (1, "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P2P/8/PPPP1PP1/RNBQKBNR"),
    (2, "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P2P/8/PPPP1PP1/RNBQKBNR"),
    (3, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
    (4, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPR/RNBQKBNP"),
];

#[test]
fn a_set_is_learned_from_noisy_frames_and_read_by_its_table() {
    let Some(frames) = frames() else { return };
    let recorded = &frames[8..15];
    let mut rig = SessionRig::up(Session::new(Form::Tags));
    for (count, numbers) in (1..).zip(recorded) {
        assert_eq!(rig.session.calibration(), None, "{count} frames are too few");
        rig.frame(numbers);
    }
    assert_eq!(rig.session.calibration(), Some(&table(&frames[8])));
    let known = rig.session.calibration().expect("learned").clone();
    // The squares are reported as occupied until the set is known, then with their pieces.
    let occupied = DeviceEvent::Frame(fen("????????/????????/8/8/8/8/????????/????????"));
    assert_eq!(rig.take_events(), [DeviceEvent::Responding, occupied, DeviceEvent::Frame(fen(START))]);
    // From now on noise causes no event, not even a wrong tag in one frame of three.
    for numbers in [8, 15, 9, 10, 16, 11, 12, 18].map(|index| &frames[index]) {
        rig.frame(numbers);
    }
    assert_eq!((rig.take_events(), rig.anomalies.len(), rig.sent), (vec![], 0, 0));
    // These frames are other recordings of the same pieces.
    for (index, position) in PLAYED {
        assert_eq!(frame_position(&known, &frames[index]), fen(position), "frame {index}");
    }
}

#[test]
fn a_set_with_a_tag_that_changes_is_not_learned() {
    let Some(frames) = frames() else { return };
    // The tag on a8 is 1, 2, 3, 4, 2, 1, 1 … in these frames.
    let mut rig = SessionRig::up(Session::new(Form::Tags));
    frames[15..22].iter().for_each(|numbers| rig.frame(numbers));
    assert_eq!(rig.session.calibration(), None);
    assert!(rig.reported.iter().all(|event| !format!("{event:?}").contains('k')), "{:?}", rig.reported);
    // Five good frames of seven are enough.
    frames[8..12].iter().for_each(|numbers| rig.frame(numbers));
    assert_eq!(rig.session.calibration(), None);
    rig.frame(&frames[12]);
    assert_eq!(rig.session.calibration(), Some(&table(&frames[8])));
}

#[test]
fn frames_with_a_position_are_read_as_it() {
    let Some(all) = vectors() else { return };
    let wanted: Vec<_> = of(&all, "certabo-rfid", "device->host")
        .iter()
        .filter_map(|(bytes, meaning)| Some((meaning["fen"].as_str()?, found(Form::Tags, bytes).frames.remove(0))))
        .map(|(fen, numbers)| (numbers, fen))
        .collect();
    let [(start, initial), (lifted, without), (noisy, same)] = &wanted[..] else { panic!("three") };
    assert_eq!((*initial, without), (START, same));
    let mut rig = SessionRig::up(Session::with(table(start)));
    [start, start, start].iter().for_each(|numbers| rig.frame(numbers));
    assert_eq!(rig.take_events(), [DeviceEvent::Responding, DeviceEvent::Frame(fen(START))]);
    rig.frame(lifted);
    assert_eq!(rig.take_events(), [], "one frame causes no event");
    // Six tags are wrong in this frame; two of three frames have the right tags of those pieces.
    rig.frame(noisy);
    assert_eq!(rig.take_events(), [DeviceEvent::Frame(fen(without))]);
    [lifted, lifted, noisy, lifted].iter().for_each(|numbers| rig.frame(numbers));
    assert_eq!(rig.take_events(), []);
}

#[test]
fn frames_of_occupied_squares_are_read_and_written() {
    let Some(all) = vectors() else { return };
    for (bytes, meaning) in of(&all, "tabutronic-sentio", "device->host") {
        let Found { frames, anomalies } = found(Form::Occupancy, bytes);
        let numbers: [u8; 8] = frames.concat().try_into().expect("one frame");
        // The mask consists of the numbers of the ranks, in the order of the frame.
        let mut read = json!({"type": "occupancy", "mask": hex(&numbers)});
        let placement = placement(occupied(&numbers));
        let acknowledged = bytes.contains(&b'L');
        if acknowledged {
            let initial = Square::all().filter(|square| Placement::initial().get(*square) != Reading::Empty);
            let empty: Vec<_> =
                initial.filter(|square| placement.get(*square) == Reading::Empty).map(|s| s.to_string()).collect();
            read = json!({"type": "occupancy+ack", "mask": hex(&numbers), "empty": empty, "ack": "L"});
        }
        assert_eq!((&read, anomalies.len()), (meaning, 0));
        assert_eq!(ranks(occupied(&numbers)), numbers);
        match acknowledged {
            false => assert_eq!(written(&numbers, true), *bytes),
            true => assert_eq!(joined(&written(&numbers, false)) + "L", joined(bytes)),
        }
        let mut rig = SessionRig::up(Session::new(Form::Occupancy));
        for _ in 0..3 {
            rig.bytes(bytes);
            rig.advance(250);
        }
        assert_eq!(rig.take_events(), [DeviceEvent::Responding, DeviceEvent::Frame(placement)]);
        assert!(rig.anomalies.is_empty() && rig.session.calibration().is_none());
    }
}

fn commands(bytes: &[u8]) -> Vec<HostCommand> {
    let mut decoder = HostDecoder::default();
    let commands: Vec<_> = bytes.iter().filter_map(|byte| decoder.push(*byte)).collect();
    let mut again = Vec::new();
    commands.iter().for_each(|command| command.encode(&mut again));
    assert_eq!(hex(&again), hex(bytes));
    commands
}

fn mask(squares: &[Square]) -> u64 {
    squares.iter().map(|square| square.bit()).sum()
}

#[test]
fn lights_are_read_and_written() {
    let Some(all) = vectors() else { return };
    for (bytes, meaning) in of(&all, "certabo-led", "host->device") {
        assert_eq!(meaning["type"], "leds");
        let squares: Vec<_> = match &meaning["squares"] {
            Value::Array(names) => names.iter().map(|name| at(name.as_str().expect("a name"))).collect(),
            // The four back ranks, d6 and d3.
            _ => Square::all().filter(|square| ![2, 3, 4, 5].contains(&square.rank())).chain([at("d6"), at("d3")]).collect(),
        };
        let turned = meaning["reversed"] == json!(true);
        let squares: Vec<_> = squares.into_iter().map(|square| if turned { square.rotated() } else { square }).collect();
        assert_eq!(commands(bytes), [HostCommand::Lights(mask(&squares))], "{meaning}");
    }
    for (bytes, meaning) in of(&all, "tabutronic-spectrum", "host->device") {
        assert_eq!(meaning["type"], "leds_rgb");
        let names = meaning["corners_of"].as_array().cloned().unwrap_or_default();
        assert_eq!(names.is_empty(), meaning["off"] == json!(true));
        let squares: Vec<_> = names.iter().map(|name| at(name.as_str().expect("a name"))).collect();
        let colour = unhex(meaning["rgb"].as_str().unwrap_or("000000")).expect("hex").try_into().expect("three");
        assert_eq!(commands(bytes), [HostCommand::coloured(squares, colour)], "{meaning}");
    }
}
