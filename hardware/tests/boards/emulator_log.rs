//! The log that the emulated board keeps: `dgt/README.md#7`.

use std::time::Duration;

use crate::common::{ask, at, quick, sent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Emulator, Settings};
use flagfall_protocols::bytes::unhex;
use flagfall_protocols::drivers::dgt::ee::{EeReader, EeTag};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::{ClockTime, Instant};

fn log(board: &mut Emulator, when: Instant) -> Vec<EeTag> {
    let bytes = unhex(&ask(board, when, "49").concat()).unwrap();
    assert_eq!((bytes[0], usize::from(bytes[1]) * 128 + usize::from(bytes[2])), (0x8f, bytes.len()));
    EeReader::new(&bytes[3..]).map(|(tag, _)| tag).collect()
}

#[test]
fn the_board_keeps_a_log() {
    use EeTag::{Downloaded, End, Field, Initial, Nothing, PowerUp, Time};
    let mut board = Emulator::new(quick());
    board.load(&Script::parse("1 run\n3.2 lift e2\n4 place e4\n5 press left\n6 move d7 d5\n8.7 press right").unwrap());
    sent(&mut board, at(10_000));
    let tags = log(&mut board, at(10_000));
    assert_eq!(tags[..4], [Nothing, Nothing, Nothing, PowerUp]);
    assert_eq!(tags[4..36].iter().filter(|tag| matches!(tag, Field { code, .. } if *code > 0)).count(), 32);
    let rest = [
        Initial,
        Field { index: 52, code: 0, quick: false },
        Field { index: 36, code: 1, quick: false },
        Time { side: ClockSide::Left, time: ClockTime::hms(0, 5, 6) },
        Field { index: 11, code: 0, quick: false },
        Field { index: 27, code: 7, quick: false },
        Time { side: ClockSide::Right, time: ClockTime::hms(0, 5, 7) },
        End,
    ];
    assert_eq!(tags[36..], rest);
    let again = log(&mut board, at(20_000));
    assert_eq!(again[again.len() - 2..], [Downloaded, End]);
}

#[test]
fn one_piece_that_keeps_changing_is_logged_once() {
    let mut board = Emulator::new(Settings { clock: None, ..quick() });
    board.load(&Script::parse("1 lift e2\n2 place e2\n3 lift e2\n4 place e2\n5 lift d2").unwrap());
    sent(&mut board, at(6_000));
    let tags = log(&mut board, at(6_000));
    // The tag of the initial position is not written again, because only one piece had left its square.
    let e2 = EeTag::Field { index: 52, code: 1, quick: false };
    assert_eq!(tags[36..39], [EeTag::Initial, e2, EeTag::Field { index: 51, code: 0, quick: false }]);
}

#[test]
fn set_ups_are_marked_in_the_log() {
    let mut board = Emulator::new(Settings { clock: None, ..quick() });
    let script = "1 board 8/8/8/8/8/8/8/8\n2 board RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr\n\
                  3 board bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR";
    board.load(&Script::parse(script).unwrap());
    sent(&mut board, at(5_000));
    let marks: Vec<_> =
        log(&mut board, at(5_000)).into_iter().filter(|tag| !matches!(tag, EeTag::Field { .. } | EeTag::Nothing)).collect();
    use EeTag::{EmptyBoard, End, FourRows, Initial, InitialRotated, PowerUp};
    assert_eq!(marks[..3], [PowerUp, Initial, EmptyBoard]);
    assert!(marks.contains(&InitialRotated) && marks[3..].contains(&FourRows) && marks.last() == Some(&End), "{marks:?}");
}

#[test]
fn the_log_is_bounded() {
    let mut board = Emulator::new(Settings { clock: None, ..quick() });
    let mut script = Script::new();
    for line in Script::parse("0 lift e2\n0.3 place e4\n0.6 lift e4\n0.9 place e2").unwrap().steps() {
        for round in 0..2_000u32 {
            script.push(Duration::from_millis(1_200) * round + line.at, line.action);
        }
    }
    board.load(&script);
    sent(&mut board, at(2_500_000));
    let bytes = ask(&mut board, at(2_500_000), "49").concat();
    assert_eq!(bytes.len() / 2, 7939);
    assert!(bytes.starts_with("8f3e03") && bytes.ends_with("6b"));
}
