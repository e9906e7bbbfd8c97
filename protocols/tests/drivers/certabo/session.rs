//! The session in simulated time.

use std::time::Duration;

use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::certabo::message::{occupied, ranks};
use flagfall_protocols::drivers::certabo::{Calibration, Form, Session};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Piece;

use super::{Numbers, START, SessionRig, at, fen, initial, own, usual_table};

const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

fn shows(text: &str) -> DeviceEvent {
    DeviceEvent::Frame(fen(text))
}

/// A board with known tags in the initial position, which the session has reported.
fn known() -> SessionRig {
    let mut rig = SessionRig::up(Session::with(usual_table()));
    (0..3).for_each(|_| rig.frame(&initial().0));
    assert_eq!(rig.take_events(), [DeviceEvent::Responding, shows(START)]);
    rig
}

#[test]
fn a_change_needs_two_frames_of_three() {
    let e4 = initial().moved("e2", "e4");
    let mut rig = known();
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
        frames.iter().for_each(|numbers| rig.frame(&numbers.0));
        assert_eq!(rig.take_events(), expected, "{name}");
    }
    assert_eq!((rig.anomalies.len(), rig.sent), (0, 0));
}

#[test]
fn a_square_on_which_all_three_frames_differ_stays_as_it_was() {
    let mut rig = known();
    // The frames show the pawn on e7, nothing, another pawn. The square is empty in no reported picture.
    rig.frame(&initial().without("e7").0);
    rig.frame(&initial().moved("e2", "e7").0);
    let reported = rig.take_events();
    assert_eq!(reported, [], "{reported:?}");
    rig.frame(&initial().moved("e2", "e7").0);
    assert_eq!(rig.take_events(), [shows("rnbqkbnr/ppppPppp/8/8/8/8/PPPP1PPP/RNBQKBNR")]);
}

#[test]
fn noise_reports_nothing() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut rig = known();
    (0..500).for_each(|_| rig.frame(&initial().noisy(&mut rng).0));
    assert_eq!((rig.take_events(), rig.anomalies.len(), rig.sent), (vec![], 0, 0));
}

#[test]
fn an_unknown_tag_that_stays_is_a_piece() {
    let mut rig = known();
    let queen = [3, 0, 84, 9, 9];
    let promoted = initial().with("e5", queen);
    // One or two frames could be noise.
    [promoted, promoted, initial(), initial()].iter().for_each(|numbers| rig.frame(&numbers.0));
    assert_eq!(rig.take_events(), []);
    [promoted; 3].iter().for_each(|numbers| rig.frame(&numbers.0));
    assert_eq!(rig.take_events(), [shows("rnbqkbnr/pppppppp/8/4?3/8/8/PPPPPPPP/RNBQKBNR")]);
    // The tag may be missing in one frame now and then.
    [initial(), promoted, promoted, initial(), promoted].iter().for_each(|numbers| rig.frame(&numbers.0));
    assert_eq!(rig.take_events(), []);
    [initial(), initial()].iter().for_each(|numbers| rig.frame(&numbers.0));
    assert_eq!(rig.take_events(), [shows(START)]);
}

#[test]
fn pieces_are_reported_as_occupied_until_the_set_is_known() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut rig = SessionRig::up(Session::new(Form::Tags));
    (0..20).for_each(|_| rig.frame(&initial().moved("e2", "e4").noisy(&mut rng).0));
    assert_eq!(rig.take_events(), [DeviceEvent::Responding, shows("????????/????????/8/8/4?3/8/????1???/????????")]);
    (0..9).for_each(|_| rig.frame(&initial().noisy(&mut rng).0));
    assert_eq!(rig.take_events().last(), Some(&shows(START)));
    (0..2).for_each(|_| rig.frame(&initial().moved("e2", "e4").noisy(&mut rng).0));
    assert_eq!(rig.take_events(), [shows(E4)]);
}

#[test]
fn the_table_outlives_the_link_and_silence() {
    for lost in [true, false] {
        let mut rig = SessionRig::up(Session::new(Form::Tags));
        (0..7).for_each(|_| rig.frame(&initial().0));
        assert_eq!(rig.take_events().last(), Some(&shows(START)));
        if lost {
            rig.give(Input::LinkDown);
            rig.advance(10_000);
            assert_eq!(rig.take_events(), [], "nothing is reported while the link is down");
            rig.give(Input::LinkUp);
        } else {
            rig.advance(10_000);
            assert_eq!(rig.take_events(), [DeviceEvent::Silent]);
        }
        let e4 = initial().moved("e2", "e4").0;
        rig.frame(&e4);
        rig.frame(&e4);
        assert_eq!(rig.take_events(), [DeviceEvent::Responding], "the frames before the silence are forgotten");
        rig.frame(&e4);
        assert_eq!(rig.take_events(), [shows(E4)]);
    }
}

#[test]
fn another_whole_set_is_learned_and_a_part_of_one_is_not() {
    let mut rig = known();
    let mut other = initial();
    other.0.as_chunks_mut::<5>().0.iter_mut().filter(|tag| **tag != [0; 5]).for_each(|tag| tag[0] = 48);
    (0..7).for_each(|_| rig.frame(&other.0));
    assert_eq!(rig.take_events().last(), Some(&shows(START)));
    let mut tag = own(at("e1"));
    tag[0] = 48;
    let table = rig.session.calibration().expect("learned").clone();
    assert_eq!((table.entries().len(), table.piece(&tag).map(|piece| piece.letter())), (32, Some('K')));
    // One piece of the first set is among them.
    (0..20).for_each(|_| rig.frame(&initial().with("e1", tag).0));
    assert_eq!(rig.session.calibration(), Some(&table));
    assert_eq!(rig.take_events().last(), Some(&shows("????????/????????/8/8/8/8/????????/????K???")));
    assert_eq!(SessionRig::up(Session::with(Calibration::default())).session.calibration(), None);
}

#[test]
fn a_frame_without_tags_does_not_start_another_set() {
    let (spare, white) = ([3, 0, 84, 9, 9], Piece::from_letter('Q').expect("a queen"));
    let mut table = usual_table();
    table.add(spare, white).expect("a spare queen");
    let mut rig = SessionRig::up(Session::with(table.clone()));
    (0..7).for_each(|_| rig.frame(&initial().0));
    rig.frame(&[0; 320]);
    (0..7).for_each(|_| rig.frame(&initial().0));
    assert_eq!(rig.session.calibration(), Some(&table));
    rig.take_events();
    (0..3).for_each(|_| rig.frame(&initial().with("e5", spare).0));
    assert_eq!(rig.take_events(), [shows("rnbqkbnr/pppppppp/8/4Q3/8/8/PPPPPPPP/RNBQKBNR")]);
}

#[test]
fn silence_is_reported_once_after_three_seconds() {
    let mut rig = known();
    rig.advance(2600);
    assert_eq!(rig.take_events(), []);
    rig.advance(400);
    assert_eq!(rig.take_events(), [DeviceEvent::Silent]);
    // Bytes that are no frame do not end the silence.
    rig.bytes(b"xyz\r\nL\r\n");
    rig.advance(20_000);
    assert_eq!((rig.take_events(), rig.anomalies.len()), (vec![], 1));
}

#[test]
fn a_command_reports_the_picture_again() {
    let mut rig = known();
    rig.give(Input::Command(DeviceCommand::ReadBoard));
    for command in [DeviceCommand::ReadClock, DeviceCommand::ReadBattery, DeviceCommand::ReadLog] {
        rig.give(Input::Command(command));
    }
    assert_eq!(rig.take_events(), []);
    rig.frame(&initial().0);
    rig.frame(&initial().0);
    assert_eq!((rig.take_events(), rig.sent), (vec![shows(START)], 0));
}

#[test]
fn the_delay_of_a_slow_board_is_reported() {
    let mut rig = known();
    (0..40).for_each(|_| rig.frame(&initial().0));
    assert_eq!(rig.take_events(), [], "the pace is the usual one");
    for _ in 0..40 {
        rig.frame(&initial().0);
        rig.advance(350);
    }
    let reported = rig.take_events();
    let delays: Vec<_> = reported.iter().filter(|event| matches!(event, DeviceEvent::Delay(_))).collect();
    assert_eq!(
        (delays.len(), delays.last()),
        (reported.len(), Some(&&DeviceEvent::Delay(Duration::from_millis(1900)))),
        "{reported:?}"
    );
    (0..40).for_each(|_| rig.frame(&initial().0));
    assert_eq!(rig.take_events(), []);
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
    let mut rig = SessionRig::up(Session::new(Form::Occupancy));
    rig.frame(&start);
    assert_eq!(rig.take_events(), [DeviceEvent::Responding]);
    rig.frame(&start);
    assert_eq!(rig.take_events(), []);
    rig.frame(&start);
    assert_eq!(rig.take_events(), [hidden(START)]);
    [lifted, start, start, lifted, start].iter().for_each(|numbers| rig.frame(numbers));
    assert_eq!(rig.take_events(), []);
    rig.frame(&lifted);
    assert_eq!(rig.take_events(), [hidden("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")]);
}

fn occupied_of(placement: &flagfall_protocols::square::Placement) -> u64 {
    use flagfall_protocols::square::{Reading, Square};
    Square::all().filter(|square| placement.get(*square) != Reading::Empty).map(Square::bit).sum()
}
