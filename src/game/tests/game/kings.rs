//! Kings in the centre: a note that stays open until they leave or a result is decided.

use flagfall_game::alarm::{Alarm, AlarmKind, AlarmStatus, Class};
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::square::{Color, Placement, Reading, Square};

use crate::desk::Desk;

/// Puts a king from one square on another one.
fn king(desk: &mut Desk, from: &str, to: &str) {
    let [from, to] = [from, to].map(|square| Square::parse(square).expect("a square"));
    let reading = desk.game.placement().get(from);
    desk.wait(0.3).square(from, Reading::Empty).wait(0.3).square(to, reading);
}

/// Black has resigned: the clocks are stopped, and the kings stand on e4 and d5.
fn shown() -> Desk {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").play("g1f3").play("b8c6");
    desk.clock.running = false;
    desk.report().wait(1.0);
    desk.square(Square::parse("e4").expect("a square"), Reading::Empty);
    king(&mut desk, "e1", "e4");
    king(&mut desk, "e8", "d5");
    desk.wait(2.5);
    desk
}

fn note(desk: &Desk) -> &Alarm {
    desk.game.alarms().iter().rfind(|alarm| alarm.kind == AlarmKind::KingsInCentre).expect("a note")
}

#[test]
fn they_are_a_note_until_a_result_is_decided() {
    let mut desk = shown();
    let open = note(&desk).clone();
    assert_eq!((open.kind.class(), open.side, open.closed), (Class::Note, Some(Color::White), None));
    let squares: Vec<String> = Square::all().filter(|square| open.squares & square.bit() != 0).map(|it| it.to_string()).collect();
    assert_eq!((squares, desk.game.stage()), (vec!["e4".to_owned(), "d5".to_owned()], GamePhase::Over));
    desk.wait(30.0).command(Command::DeclareResult { result: GameResult::WhiteWins });
    assert_eq!(note(&desk).status, AlarmStatus::Acknowledged);
    let decision = desk.game.decisions().last().expect("a decision");
    assert!(decision.closed_alarms.contains(&open.id), "the decision names what it closed: {decision:?}");
}

#[test]
fn they_are_no_note_any_more_when_they_leave() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    // The clock runs, so the kings end nothing yet.
    desk.square(Square::parse("e4").expect("a square"), Reading::Empty);
    king(&mut desk, "e1", "e4");
    king(&mut desk, "e8", "d5");
    desk.wait(2.5);
    assert_eq!((note(&desk).closed, desk.game.stage()), (None, GamePhase::Playing));
    king(&mut desk, "d5", "e8");
    desk.wait(1.0);
    assert_eq!(note(&desk).status, AlarmStatus::Cured);
}

#[test]
fn another_game_closes_the_note() {
    let mut desk = shown();
    let id = note(&desk).id;
    desk.frame(Placement::initial()).wait(6.0);
    assert!(!desk.game.alarms().iter().any(|alarm| alarm.id == id), "a game begins without it");
}
