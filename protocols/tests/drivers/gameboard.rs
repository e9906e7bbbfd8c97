//! Boards of the Gameboard UI Protocol: words in both directions, when each square is asked for, and answers that name no
//! square.

use crate::common::answering::{Line, Manner, healthy, often, silent};
use crate::common::{Rig, anomalies, events};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::gameboard::INFO;
use flagfall_protocols::drivers::gameboard::framing::{Found, Framing};
use flagfall_protocols::drivers::gameboard::host::{HostCommand, question};
use flagfall_protocols::drivers::gameboard::message::Message;
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;
use proptest::prelude::*;
use std::time::Duration;

fn square(name: &str) -> Square {
    Square::parse(name).expect("a square")
}

/// Returns the initial position as sensors see it.
fn start() -> Placement {
    let mut placement = Placement::initial();
    placement.0.iter_mut().filter(|reading| **reading != Reading::Empty).for_each(|reading| *reading = Reading::Occupied);
    placement
}

/// Returns the square of a question.
fn asked(question: &[u8]) -> Option<Square> {
    let word = question.strip_suffix(b"\r").expect("a line");
    if let HostCommand::Ask(square) = HostCommand::read(word) { Some(square) } else { None }
}

/// Returns the answer of a board in the initial position.
fn answer(question: &[u8]) -> Option<Vec<u8>> {
    let occupied = start().get(asked(question)?) == Reading::Occupied;
    Some(if occupied { b"#60\r".to_vec() } else { b"#20\r".to_vec() })
}

fn square_event(square_name: &str, reading: Reading) -> DeviceEvent {
    DeviceEvent::Square { square: square(square_name), reading }
}

#[test]
fn the_words_of_the_readme_are_read_and_written() {
    let e = |name, occupied| Some(Message::Square { square: square(name), occupied });
    let status = |occupied, count| Some(Message::Status { occupied, count });
    let position = b"RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr";
    let table: [(&[u8], Option<Message>); 15] = [
        (b"-f2", e("f2", false)),
        (b"+f4", e("f4", true)),
        (b"#30", status(false, 0x30)),
        (b"#60", status(true, 32)),
        (b"#7f", status(true, 63)),
        (b"#7F", status(true, 63)),
        (position, Some(Message::Position(start()))),
        (&position[1..], None),
        (b"-i2", None),
        (b"-f9", None),
        (b"-f", None),
        (b"-f22", None),
        (b"#3", None),
        (b"#3g", None),
        (b"?e1", None),
    ];
    for (word, message) in table {
        assert_eq!(Message::read(word), message, "{}", String::from_utf8_lossy(word));
    }
    let light = |sign, name| HostCommand::Light(sign, square(name));
    let table = [
        (&b"?e1"[..], HostCommand::Ask(square("e1"))),
        (b"-f2", light(b'-', "f2")),
        (b"+f4", light(b'+', "f4")),
        (b"*f3", light(b'*', "f3")),
        (b"!f5", light(b'!', "f5")),
        (b"^e1", light(b'^', "e1")),
        (b".f4", HostCommand::Out(Some(square("f4")))),
        (b".", HostCommand::Out(None)),
        (b"Sx", HostCommand::Other(b"Sx".to_vec())),
    ];
    for (word, command) in table {
        assert_eq!(HostCommand::read(word), command);
        let mut again = Vec::new();
        command.encode(&mut again);
        assert_eq!(again, [word, b"\r"].concat());
        assert_eq!((INFO.harmless)(0, &again), matches!(command, HostCommand::Ask(_)), "{command:?}");
    }
    let set = [b"S", &position[..]].concat();
    assert_eq!(HostCommand::read(&set), HostCommand::Set(position.to_vec()));
}

proptest! {
    #[test]
    fn words_are_read_as_they_are_written(index in 0u8..64, occupied: bool, count in 0u8..64, squares: u64) {
        let square = Square::wrapping(index);
        let mut placement = Placement::EMPTY;
        for square in Square::all().filter(|square| squares & square.bit() != 0) {
            placement.set(square, Reading::Occupied);
        }
        for message in [
            Message::Square { square, occupied },
            Message::Status { occupied, count },
            Message::Position(placement),
        ] {
            let mut word = Vec::new();
            message.encode(&mut word);
            prop_assert_eq!(Message::read(&word), Some(message));
        }
        prop_assert_eq!(asked(&question(square)), Some(square));
    }

    #[test]
    fn words_are_cut_at_white_space(words in prop::collection::vec("[!-~]{1,80}", 0..8), ends in "[ \t\r\n]{8}") {
        let mut framing = Framing::default();
        let mut line: Vec<u8> = Vec::new();
        for (word, end) in words.iter().zip(ends.bytes()) {
            line.extend(word.bytes().chain([end]));
        }
        let mut found = Vec::new();
        for byte in line {
            if let Some((Found::Word(word), _)) = framing.push(Instant::ZERO, byte) {
                found.push(String::from_utf8(word.to_vec()).expect("text"));
            }
        }
        let whole: Vec<String> = words.into_iter().filter(|word| word.len() <= 65).collect();
        prop_assert_eq!(found, whole);
    }
}

#[test]
fn all_squares_are_asked_for_and_reported_as_one_picture() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(10_000);
    assert_eq!(line.reported(), [DeviceEvent::Responding, DeviceEvent::Frame(start())]);
    assert_eq!(anomalies(&line.rig.log), []);
    let squares: Vec<_> = line.received.iter().map(|(_, question)| asked(question).expect("a question")).collect();
    // The squares are asked for once quickly, then again and again slowly.
    assert_eq!(squares[..128], Square::all().chain(Square::all()).collect::<Vec<_>>());
    assert!(line.received[64].0 < 5_000, "{:?}", line.received[64]);
    // The game asks for the picture although it has not changed.
    line.rig.command(DeviceCommand::ReadBoard);
    line.run(20_000);
    assert_eq!(line.count(DeviceEvent::Frame(start())), 2);
    // A change that the board sends is reported at once, and a known state is not reported again.
    line.send_from_device(b"-e2\r");
    line.send_from_device(b"-e2\r");
    assert_eq!(line.reported()[3..], [square_event("e2", Reading::Empty)]);
}

#[test]
fn the_events_of_a_board_that_never_answers_are_reported() {
    let mut line = Line::up(&INFO, silent());
    line.run(5_000);
    assert_eq!(line.reported(), []);
    assert!(line.received.iter().all(|(_, question)| question == b"?a1\r") && line.received.len() == 5, "{:?}", line.received);
    line.send_from_device(b"-e2\r");
    line.send_from_device(b"+e4\r");
    line.rig.command(DeviceCommand::ReadBoard);
    line.run(65_000);
    let all = [DeviceEvent::Responding, square_event("e2", Reading::Empty), square_event("e4", Reading::Occupied)];
    assert_eq!(line.reported(), all, "there is no picture, and no silence is reported for a board that never answered");
    assert!(line.received.len() <= 12, "the board is asked only now and then: {:?}", line.received);
}

/// An answer comes a second time after the question for the next square. It must not count as the answer for that square.
#[test]
fn answers_to_the_question_before_are_recognized() {
    let shifted: Manner = Box::new(|count, question| {
        let answer = answer(question).expect("a question");
        match count {
            // h2 is occupied and a3 is empty.
            15 => vec![(Duration::from_millis(5), answer.clone()), (Duration::from_millis(36), answer)],
            _ => vec![(Duration::from_millis(10), answer)],
        }
    });
    let mut line = Line::up(&INFO, shifted);
    line.run(12_000);
    assert!(anomalies(&line.rig.log).contains(&Anomaly::Unasked), "{:?}", anomalies(&line.rig.log));
    let shown = line.reported().iter().fold(None, |shown, event| match (shown, event) {
        (_, DeviceEvent::Frame(frame)) => Some(*frame),
        (Some(mut shown), DeviceEvent::Square { square, reading }) => {
            Placement::set(&mut shown, *square, *reading);
            Some(shown)
        }
        (shown, _) => shown,
    });
    assert_eq!((line.count(DeviceEvent::Frame(start())), shown), (1, Some(start())));
    assert!(line.count(DeviceEvent::Silent) == 0);
}

#[test]
fn a_board_that_sends_everything_twice_still_gives_a_picture() {
    let mut line = Line::up(&INFO, often(answer, &[30, 45]));
    line.run(20_000);
    assert_eq!(line.reported(), [DeviceEvent::Responding, DeviceEvent::Frame(start())]);
}

/// Each answer comes after the question was repeated, so it comes twice. It must never count for the next square.
#[test]
fn late_answers_are_taken_for_their_own_square() {
    for late in [1_010, 1_500, 1_990, 2_010, 2_900] {
        let manner: Manner =
            Box::new(move |_, question| vec![(Duration::from_millis(late), answer(question).expect("a question"))]);
        let mut line = Line::up(&INFO, manner);
        line.run(64 * (late + 100) + 10_000);
        assert_eq!(line.reported(), [DeviceEvent::Responding, DeviceEvent::Frame(start())], "{late}");
    }
}

/// Once all squares are known, one wrong answer changes nothing.
#[test]
fn one_wrong_answer_changes_no_square() {
    for wrong in [70, 90, 127] {
        let lying: Manner = Box::new(move |count, question| {
            let answer = answer(question).expect("a question");
            let lie = if answer == b"#60\r" { b"#20\r".to_vec() } else { b"#60\r".to_vec() };
            vec![(Duration::from_millis(10), if count == wrong { lie } else { answer })]
        });
        let mut line = Line::up(&INFO, lying);
        line.run(15_000);
        assert_eq!(line.reported(), [DeviceEvent::Responding, DeviceEvent::Frame(start())], "{wrong}");
    }
}

/// A change that the board did not report is found by asking, and it is accepted when the answer comes twice.
#[test]
fn a_change_without_an_event_is_found_by_asking() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(6_000);
    line.manner = healthy(|question| {
        let occupied = asked(question)? != square("e2") && start().get(asked(question)?) == Reading::Occupied;
        Some(if occupied { b"#5f\r".to_vec() } else { b"#1f\r".to_vec() })
    });
    line.run(13_000);
    assert_eq!(line.reported()[2..], [square_event("e2", Reading::Empty)]);
}

#[test]
fn a_position_that_the_board_sends_is_a_picture() {
    let mut rig = Rig::new(&INFO);
    let position = b"RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr\r\n";
    rig.bytes(position);
    rig.bytes(position);
    assert_eq!(events(&rig.log), [DeviceEvent::Frame(start())], "reported once");
    rig.bytes(b"RNBQKBNRPPPP.PPP............P...................pppppppprnbqkbnr\r\n");
    assert_eq!(events(&rig.log).len(), 2);
    rig.feed(Instant(1_000), Input::LinkDown);
    rig.bytes(position);
    assert_eq!(events(&rig.log).len(), 3, "it may be another board");
}

#[test]
fn a_board_that_stops_answering_is_silent() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(6_000);
    line.manner = silent();
    line.run(12_000);
    assert_eq!(line.count(DeviceEvent::Silent), 1);
    line.manner = healthy(answer);
    line.run(20_000);
    assert_eq!(line.reported()[2..], [DeviceEvent::Silent, DeviceEvent::Responding, DeviceEvent::Frame(start())]);
}
