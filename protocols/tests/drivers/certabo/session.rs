//! The session in simulated time.

use std::time::Duration;

use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::certabo::message::{occupied, ranks};
use flagfall_protocols::drivers::certabo::{Calibration, Form, Session};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Piece;

use super::{Numbers, START, Talk, at, fen, initial, own, usual_table};

const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

fn shows(text: &str) -> DeviceEvent {
    DeviceEvent::Frame(fen(text))
}

/// A board with known tags in the initial position, which has been told.
fn known() -> Talk {
    let mut talk = Talk::up(Session::with(usual_table()));
    (0..3).for_each(|_| talk.frame(&initial().0));
    assert_eq!(talk.news(), [DeviceEvent::Responding, shows(START)]);
    talk
}

#[test]
fn two_frames_of_three_tell_a_change_and_one_never_does() {
    let e4 = initial().moved("e2", "e4");
    let mut talk = known();
    for (name, frames, expected) in [
        ("a move", vec![e4, e4, e4, initial(), initial(), initial()], vec![shows(E4), shows(START)]),
        ("one frame", vec![e4, initial(), initial(), initial()], vec![]),
        ("one frame without pieces", vec![Numbers([0; 320]), initial(), initial()], vec![]),
        ("a piece that is lost in one frame", vec![initial(), initial().without("h8"), initial(), initial()], vec![]),
        (
            "a capture: the square is never empty in between",
            vec![initial().moved("e2", "e7"), initial().moved("e2", "e7"), initial(), initial(), initial()],
            vec![shows("rnbqkbnr/ppppPppp/8/8/8/8/PPPP1PPP/RNBQKBNR"), shows(START)],
        ),
    ] {
        frames.iter().for_each(|numbers| talk.frame(&numbers.0));
        assert_eq!(talk.news(), expected, "{name}");
    }
    assert_eq!((talk.odd.len(), talk.sent), (0, 0));
}

#[test]
fn a_square_on_which_all_three_frames_differ_stays_as_it_was() {
    let mut talk = known();
    // The pawn on e7, nothing, another pawn: the square is empty in none of the pictures.
    talk.frame(&initial().without("e7").0);
    talk.frame(&initial().moved("e2", "e7").0);
    let told = talk.news();
    assert_eq!(told, [], "{told:?}");
    talk.frame(&initial().moved("e2", "e7").0);
    assert_eq!(talk.news(), [shows("rnbqkbnr/ppppPppp/8/8/8/8/PPPP1PPP/RNBQKBNR")]);
}

#[test]
fn noise_tells_nothing() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut talk = known();
    (0..500).for_each(|_| talk.frame(&initial().noisy(&mut rng).0));
    assert_eq!((talk.news(), talk.odd.len(), talk.sent), (vec![], 0, 0));
}

#[test]
fn an_unknown_tag_that_stays_is_a_piece() {
    let mut talk = known();
    let queen = [3, 0, 84, 9, 9];
    let promoted = initial().with("e5", queen);
    // Once or twice might be noise.
    [promoted, promoted, initial(), initial()].iter().for_each(|numbers| talk.frame(&numbers.0));
    assert_eq!(talk.news(), []);
    [promoted; 3].iter().for_each(|numbers| talk.frame(&numbers.0));
    assert_eq!(talk.news(), [shows("rnbqkbnr/pppppppp/8/4?3/8/8/PPPPPPPP/RNBQKBNR")]);
    // It may be lost in one frame now and then.
    [initial(), promoted, promoted, initial(), promoted].iter().for_each(|numbers| talk.frame(&numbers.0));
    assert_eq!(talk.news(), []);
    [initial(), initial()].iter().for_each(|numbers| talk.frame(&numbers.0));
    assert_eq!(talk.news(), [shows(START)]);
}

#[test]
fn as_long_as_nothing_is_known_pieces_are_told_as_occupied() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut talk = Talk::up(Session::new(Form::Tags));
    (0..20).for_each(|_| talk.frame(&initial().moved("e2", "e4").noisy(&mut rng).0));
    assert_eq!(talk.news(), [DeviceEvent::Responding, shows("????????/????????/8/8/4?3/8/????1???/????????")]);
    (0..9).for_each(|_| talk.frame(&initial().noisy(&mut rng).0));
    assert_eq!(talk.news().last(), Some(&shows(START)));
    (0..2).for_each(|_| talk.frame(&initial().moved("e2", "e4").noisy(&mut rng).0));
    assert_eq!(talk.news(), [shows(E4)]);
}

#[test]
fn the_table_outlives_the_link_and_silence() {
    for lost in [true, false] {
        let mut talk = Talk::up(Session::new(Form::Tags));
        (0..7).for_each(|_| talk.frame(&initial().0));
        assert_eq!(talk.news().last(), Some(&shows(START)));
        if lost {
            talk.give(Input::LinkDown);
            talk.pass(10_000);
            assert_eq!(talk.news(), [], "a link that is down says nothing");
            talk.give(Input::LinkUp);
        } else {
            talk.pass(10_000);
            assert_eq!(talk.news(), [DeviceEvent::Silent]);
        }
        let e4 = initial().moved("e2", "e4").0;
        talk.frame(&e4);
        talk.frame(&e4);
        assert_eq!(talk.news(), [DeviceEvent::Responding], "what came before is forgotten");
        talk.frame(&e4);
        assert_eq!(talk.news(), [shows(E4)]);
    }
}

#[test]
fn another_set_is_learned_and_a_part_of_one_is_not() {
    let mut talk = known();
    let mut other = initial();
    other.0.as_chunks_mut::<5>().0.iter_mut().filter(|tag| **tag != [0; 5]).for_each(|tag| tag[0] = 48);
    (0..7).for_each(|_| talk.frame(&other.0));
    assert_eq!(talk.news().last(), Some(&shows(START)));
    let mut tag = own(at("e1"));
    tag[0] = 48;
    let table = talk.session.calibration().expect("learned").clone();
    assert_eq!((table.entries().len(), table.piece(&tag).map(|piece| piece.letter())), (32, Some('K')));
    // One piece of the first set among them.
    (0..20).for_each(|_| talk.frame(&initial().with("e1", tag).0));
    assert_eq!(talk.session.calibration(), Some(&table));
    assert_eq!(talk.news().last(), Some(&shows("????????/????????/8/8/8/8/????????/????K???")));
    assert_eq!(Talk::up(Session::with(Calibration::default())).session.calibration(), None);
}

#[test]
fn a_frame_in_which_nothing_was_read_makes_no_other_set() {
    let (spare, white) = ([3, 0, 84, 9, 9], Piece::from_letter('Q').expect("a queen"));
    let mut table = usual_table();
    table.add(spare, white).expect("a spare queen");
    let mut talk = Talk::up(Session::with(table.clone()));
    (0..7).for_each(|_| talk.frame(&initial().0));
    talk.frame(&[0; 320]);
    (0..7).for_each(|_| talk.frame(&initial().0));
    assert_eq!(talk.session.calibration(), Some(&table));
    talk.news();
    (0..3).for_each(|_| talk.frame(&initial().with("e5", spare).0));
    assert_eq!(talk.news(), [shows("rnbqkbnr/pppppppp/8/4Q3/8/8/PPPPPPPP/RNBQKBNR")]);
}

#[test]
fn silence_is_told_once_and_after_three_seconds() {
    let mut talk = known();
    talk.pass(2600);
    assert_eq!(talk.news(), []);
    talk.pass(400);
    assert_eq!(talk.news(), [DeviceEvent::Silent]);
    // Bytes that are no frame do not end it.
    talk.bytes(b"xyz\r\nL\r\n");
    talk.pass(20_000);
    assert_eq!((talk.news(), talk.odd.len()), (vec![], 1));
}

#[test]
fn the_game_may_ask_for_the_picture() {
    let mut talk = known();
    talk.give(Input::Command(DeviceCommand::ReadBoard));
    for command in [DeviceCommand::ReadClock, DeviceCommand::ReadBattery, DeviceCommand::ReadLog] {
        talk.give(Input::Command(command));
    }
    assert_eq!(talk.news(), []);
    talk.frame(&initial().0);
    talk.frame(&initial().0);
    assert_eq!((talk.news(), talk.sent), (vec![shows(START)], 0));
}

#[test]
fn a_slow_board_says_how_late_it_is() {
    let mut talk = known();
    (0..40).for_each(|_| talk.frame(&initial().0));
    assert_eq!(talk.news(), [], "as fast as was thought");
    for _ in 0..40 {
        talk.frame(&initial().0);
        talk.pass(350);
    }
    let told = talk.news();
    let delays: Vec<_> = told.iter().filter(|event| matches!(event, DeviceEvent::Delay(_))).collect();
    assert_eq!((delays.len(), delays.last()), (told.len(), Some(&&DeviceEvent::Delay(Duration::from_millis(1900)))), "{told:?}");
    (0..40).for_each(|_| talk.frame(&initial().0));
    assert_eq!(talk.news(), []);
}

#[test]
fn occupied_squares_need_two_frames_of_three_too() {
    let squares = |text: &str| {
        let standing = fen(text);
        ranks(occupied_of(&standing))
    };
    let (start, lifted) = (squares(START), squares("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"));
    assert_eq!(occupied(&start), 0xffff_0000_0000_ffff);
    let hidden = |text: &str| shows(&text.replace(|letter: char| letter.is_ascii_alphabetic(), "?"));
    let mut talk = Talk::up(Session::new(Form::Occupancy));
    talk.frame(&start);
    assert_eq!(talk.news(), [DeviceEvent::Responding]);
    talk.frame(&start);
    assert_eq!(talk.news(), []);
    talk.frame(&start);
    assert_eq!(talk.news(), [hidden(START)]);
    [lifted, start, start, lifted, start].iter().for_each(|numbers| talk.frame(numbers));
    assert_eq!(talk.news(), []);
    talk.frame(&lifted);
    assert_eq!(talk.news(), [hidden("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")]);
}

fn occupied_of(placement: &flagfall_protocols::square::Placement) -> u64 {
    use flagfall_protocols::square::{Reading, Square};
    Square::all().filter(|square| placement.get(*square) != Reading::Empty).map(Square::bit).sum()
}
