//! Questions for the whole board, where the report of a change may have been lost (`reconstruct/README.md#3.9`).

use flagfall_game::effect::Effect;
use flagfall_game::input::Input;
use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::square::{Piece, Reading, Square};
use flagfall_protocols::time::Instant;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::desk::Desk;

/// Lets this number of milliseconds pass, in which nothing is reported. Returns the milliseconds at which the board was asked.
fn asked(desk: &mut Desk, millis: u64) -> Vec<u64> {
    let (begin, mut asked) = (desk.now.0, Vec::new());
    desk.now = Instant(begin + millis * 1000);
    while let Some(due) = desk.game.deadline().filter(|due| *due <= desk.now) {
        let before = desk.out.len();
        desk.game.step(due, &Input::Deadline, &mut desk.out);
        let questions = desk.out[before..].iter().filter(|effect| **effect == Effect::Device(DeviceCommand::ReadBoard));
        asked.extend(questions.map(|_| (due.0 - begin) / 1000));
    }
    asked
}

/// The board reports this square, with the letter of its man if it is not empty.
fn report(desk: &mut Desk, square: &str, man: Option<char>) {
    let reading = man.map_or(Reading::Empty, |letter| Reading::Piece(Piece::from_letter(letter).expect("a man")));
    desk.square(Square::parse(square).expect("a square"), reading);
}

/// The position after these moves.
fn after(moves: &str) -> Chess {
    moves.split(' ').fold(Chess::default(), |position, uci| {
        let mv = uci.parse::<UciMove>().expect("UCI").to_move(&position).expect(uci);
        position.play(mv).expect("legal")
    })
}

/// The hands make the last of these moves and press, and no report of that move arrives.
fn play_unreported(desk: &mut Desk, moves: &str) {
    desk.position = after(moves);
    desk.press(0);
}

/// The board answers the question.
fn answer(desk: &mut Desk) {
    let standing = desk.standing();
    desk.frame(standing);
}

#[test]
fn a_move_whose_reports_are_all_lost_is_read_from_the_answer() {
    let mut desk = Desk::started("300");
    desk.wait(0.9);
    play_unreported(&mut desk, "e2e4");
    assert_eq!(asked(&mut desk, 300), [250], "a scan after the press");
    answer(&mut desk);
    assert_eq!(asked(&mut desk, 900), [], "no doubt is left");
    assert_eq!((desk.moves(), desk.alarms()), (vec!["e2e4".to_owned()], vec![]));
}

#[test]
fn a_doubt_that_stays_is_asked_about_less_and_less_often() {
    let mut desk = Desk::started("300");
    desk.wait(0.9);
    report(&mut desk, "f3", Some('N'));
    desk.press(0);
    assert_eq!(asked(&mut desk, 16_000), [250, 1250, 3250, 7250, 11250, 15250]);
    // When the board shows the move, nothing is in doubt.
    report(&mut desk, "g1", None);
    asked(&mut desk, 1000);
    assert_eq!(asked(&mut desk, 20_000), []);
}

#[test]
fn the_board_is_not_asked_while_a_hand_moves() {
    let mut desk = Desk::started("300");
    desk.wait(0.9);
    report(&mut desk, "e2", None);
    desk.press(0);
    assert_eq!(asked(&mut desk, 200), []);
    report(&mut desk, "d7", None);
    assert_eq!(asked(&mut desk, 300), [250], "a scan after the last change");
}

#[test]
fn a_man_may_be_in_a_hand_for_five_seconds() {
    let mut desk = Desk::started("300");
    desk.wait(0.9);
    report(&mut desk, "e2", None);
    assert_eq!(asked(&mut desk, 9000), [5000, 6000, 8000]);
}

#[test]
fn a_square_that_should_be_empty_is_asked_about_after_a_second() {
    let mut desk = Desk::started("300");
    desk.wait(0.9);
    report(&mut desk, "f3", Some('N'));
    assert_eq!(asked(&mut desk, 3500), [1000, 2000]);
}

/// A board that has lost one report may lose others: its moves are checked before they are sure.
#[test]
fn after_a_lost_report_every_pressed_move_is_checked() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").wait(1.0);
    let before = desk.out.len();
    assert!(!desk.out[..before].contains(&Effect::Device(DeviceCommand::ReadBoard)), "nothing is in doubt");
    play_unreported(&mut desk, "e2e4 e7e5");
    assert_eq!(asked(&mut desk, 300), [250]);
    answer(&mut desk);
    desk.wait(2.0).make("d1g4").wait(0.3).press(0);
    assert_eq!(asked(&mut desk, 300), [250], "the move is shown and checked");
    assert_eq!(desk.moves().len(), 2, "it waits for the answer");
    // The queen went on to h5, and both reports of that were lost.
    desk.position = after("e2e4 e7e5 d1h5");
    answer(&mut desk);
    asked(&mut desk, 1500);
    assert_eq!(desk.moves(), ["e2e4", "e7e5", "d1h5"]);
    // A board that does not answer holds nothing up.
    desk.make("b8c6").wait(0.3).press(0);
    asked(&mut desk, 900);
    assert_eq!(desk.moves().len(), 4);
}
