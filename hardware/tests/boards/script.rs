//! Scripts of hand motions: printed scripts are read back unchanged, and every error names its line and word.

use std::time::Duration;

use flagfall_hardware::emulator::script::{Action, Problem, Script, ScriptError};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Role, Square};
use flagfall_protocols::time::ClockTime;
use proptest::prelude::*;

const EVERY_VERB: &str = "\
0 board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR
1.5 run
2 lift e2
2.45 place e4
2.75 press left
3.000001 move g8 f6
4 press right
5 place e8 Q
5 lift a1
5.1 drop
6 slide a1 f1 1.25
8 stop
8 set left 1:30:00 right 0:00:59
9 flagsign off left
9 disconnect
10 connect
11 replace
12 misread c4 b 0.5
12 misread c4 empty 0.25
12.5 dropout a8 0.05
13 power off
14 power on
";

fn sq(name: &str) -> Square {
    Square::parse(name).unwrap()
}

#[test]
fn every_verb_is_read_and_printed() {
    let script = Script::parse(EVERY_VERB).unwrap();
    assert_eq!(script.to_string(), EVERY_VERB);
    assert_eq!(script.steps().len(), 22);
    assert_eq!(script.end(), Duration::from_secs(14));
}

#[test]
fn relative_times_and_comments() {
    let text = "# a game\n\n10 lift e2 # by White\n  +0.45   place e4\n+0.3 press left\n";
    assert_eq!(Script::parse(text).unwrap().to_string(), "10 lift e2\n10.45 place e4\n10.75 press left\n");
}

#[test]
fn scripts_can_be_built_in_code() {
    let mut script = Script::new();
    script.push(Duration::from_secs(2), Action::Press(ClockSide::Left));
    script.push(Duration::from_secs(1), Action::Lift(sq("e2")));
    script.push(Duration::from_secs(2), Action::Run);
    script.then(Duration::from_nanos(1_500), Action::Set { left: ClockTime::hms(0, 1, 2), right: ClockTime(0) });
    assert_eq!(script.to_string(), "1 lift e2\n2 press left\n2 run\n2.000001 set left 0:01:02 right 0:00:00\n");
}

#[test]
fn errors_name_line_and_word() {
    for (text, line, word_number, word, problem) in [
        ("x lift e2", 1, 1, "x", Problem::NotSeconds),
        ("\n#\n1.2345678 run", 3, 1, "1.2345678", Problem::NotSeconds),
        ("-1 run", 1, 1, "-1", Problem::NotSeconds),
        (". run", 1, 1, ".", Problem::NotSeconds),
        ("99999999999999999999 run", 1, 1, "99999999999999999999", Problem::NotSeconds),
        ("31536000 run\n+2 run", 2, 1, "+2", Problem::NotSeconds),
        ("2 run\n1 stop", 2, 1, "1", Problem::GoesBack),
        ("1 jump e2", 1, 2, "jump", Problem::UnknownVerb),
        ("1", 1, 2, "", Problem::UnknownVerb),
        ("1 lift e9", 1, 3, "e9", Problem::NotASquare),
        ("1 lift", 1, 3, "", Problem::NotASquare),
        ("1 place e4 X", 1, 4, "X", Problem::NotAPiece),
        ("1 place e4 QQ", 1, 4, "QQ", Problem::NotAPiece),
        ("1 board rnbqkbnr/8", 1, 3, "rnbqkbnr/8", Problem::NotAPlacement),
        ("1 board ?7/8/8/8/8/8/8/8", 1, 3, "?7/8/8/8/8/8/8/8", Problem::NotAPlacement),
        ("1 press up", 1, 3, "up", Problem::NotASide),
        ("1 slide a1 b3 1", 1, 4, "b3", Problem::NotStraight),
        ("1 slide a1 a1 1", 1, 4, "a1", Problem::NotStraight),
        ("1 slide a1 a4 fast", 1, 5, "fast", Problem::NotSeconds),
        ("1 set left 1:60:00 right 0:00:00", 1, 4, "1:60:00", Problem::NotAClockTime),
        ("1 set left 10:00:00 right 0:00:00", 1, 4, "10:00:00", Problem::NotAClockTime),
        ("1 set left 1:00:00 0:00:00", 1, 5, "0:00:00", Problem::Expected("right")),
        ("1 flagsign left", 1, 3, "left", Problem::Expected("off")),
        ("1 power maybe", 1, 3, "maybe", Problem::Expected("on` or `off")),
        ("1 misread a1 nothing 1", 1, 4, "nothing", Problem::NotAPiece),
        ("1 run now", 1, 3, "now", Problem::Superfluous),
    ] {
        let expected = ScriptError { line, word_number, word: word.into(), problem };
        assert_eq!(Script::parse(text), Err(expected.clone()), "{text}");
        let message = expected.to_string();
        assert!(message.starts_with(&format!("line {line}, word {word_number}: ")), "{message}");
    }
}

#[test]
fn errors_have_readable_messages() {
    let message = |text: &str| Script::parse(text).unwrap_err().to_string();
    assert_eq!(message("1 lift e9"), "line 1, word 3: `e9` is not a square a1..h8");
    assert_eq!(message("1 lift"), "line 1, word 3: a word is missing here (the empty one is not a square a1..h8)");
}

fn any_action() -> impl Strategy<Value = Action> {
    let square = (0u8..64).prop_map(|index| Square::new(index).unwrap());
    let piece = (any::<bool>(), 0usize..6).prop_map(|(white, role)| {
        let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
        Piece::new(if white { Color::White } else { Color::Black }, roles[role])
    });
    let side = prop_oneof![Just(ClockSide::Left), Just(ClockSide::Right)];
    let lasts = (0u64..100_000_000).prop_map(Duration::from_micros);
    let time = (0u32..36_000).prop_map(|seconds| ClockTime(seconds * 1000));
    prop_oneof![
        proptest::collection::vec(proptest::option::of(piece.clone()), 64).prop_map(|pieces| {
            let mut placement = Placement::EMPTY;
            for (square, piece) in Square::all().zip(pieces) {
                placement.set(square, piece.map_or(Reading::Empty, Reading::Piece));
            }
            Action::Board(placement)
        }),
        square.clone().prop_map(Action::Lift),
        (square.clone(), proptest::option::of(piece.clone())).prop_map(|(square, piece)| Action::Place(square, piece)),
        (square.clone(), square.clone()).prop_map(|(from, to)| Action::Move { from, to }),
        (0u8..8, 0u8..7, lasts.clone()).prop_map(|(rank, file, lasts)| Action::Slide {
            from: Square::new(rank * 8 + file).unwrap(),
            to: Square::new(rank * 8 + 7).unwrap(),
            lasts
        }),
        side.clone().prop_map(Action::Press),
        side.prop_map(Action::FlagSignOff),
        (time.clone(), time.clone()).prop_map(|(left, right)| Action::Set { left, right }),
        time.clone().prop_map(Action::Additional),
        time.clone().prop_map(Action::Bronstein),
        time.prop_map(Action::Delay),
        any::<bool>().prop_map(Action::Power),
        (square.clone(), proptest::option::of(piece), lasts.clone()).prop_map(|(square, piece, lasts)| Action::Misread {
            square,
            piece,
            lasts
        }),
        (square, lasts).prop_map(|(square, lasts)| Action::Dropout { square, lasts }),
        Just(Action::Drop),
        Just(Action::Run),
        Just(Action::Stop),
        Just(Action::Connect),
        Just(Action::Disconnect),
        Just(Action::Replace),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn printed_scripts_are_read_back(steps in proptest::collection::vec((0u64..10_000_000_000, any_action()), 0..40)) {
        let mut script = Script::new();
        for (at, action) in steps {
            script.push(Duration::from_micros(at), action);
        }
        prop_assert_eq!(Script::parse(&script.to_string()), Ok(script));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}(\n\\PC{0,40}){0,3}") {
        let _ = Script::parse(&text);
    }
}
