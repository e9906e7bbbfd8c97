//! Results of the organiser's desk: for the game on the board and for a game that was left, and what they must fit in with.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::audit::AuditEntry;
use flagfall_game::decision::{DecisionKind, Ruling};
use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::outcome::{GameResult, ResultBy};
use flagfall_game::open_matters::OpenMatter;
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Color, Placement};

use crate::desk::Desk;

const OPEN: GameResult = GameResult::Open;
const WHITE: GameResult = GameResult::WhiteWins;
const BLACK: GameResult = GameResult::BlackWins;

/// Two moves are made, and the clock is stopped.
fn stopped() -> Desk {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.clock.running = false;
    desk.report().wait(3.0);
    desk
}

/// The organiser's desk enters a result of this game. Returns why it is refused.
fn enter(desk: &mut Desk, game_no: u32, result: GameResult) -> Option<String> {
    send(desk, "desk", Command::EnterResult { game_no, result, by_organiser: true })
}

fn send(desk: &mut Desk, name: &str, command: Command) -> Option<String> {
    let before = desk.out.len();
    desk.wait(0.1).sign(name, command);
    desk.out[before..].iter().find_map(|effect| match effect {
        Effect::Audit(AuditEntry::Refused { problem }) => Some(problem.clone()),
        _ => None,
    })
}

#[track_caller]
fn refused(desk: &mut Desk, result: GameResult, words: &str) {
    let made = desk.audited().len();
    let why = enter(desk, 1, result).expect("it is refused");
    assert!(why.contains(words), "{why}");
    assert_eq!(desk.audited().len(), made, "{words}: no decision");
}

#[test]
fn the_desk_decides_and_an_arbiter_decides_over_it() {
    let mut desk = stopped();
    assert_eq!((enter(&mut desk, 1, WHITE), desk.game.result(), desk.state().stage), (None, Some(WHITE), GamePhase::Over));
    assert_eq!((enter(&mut desk, 1, WHITE), desk.audited().len()), (None, 1), "what stands is not decided again");
    assert_eq!((enter(&mut desk, 1, GameResult::Draw), desk.game.result()), (None, Some(GameResult::Draw)));
    assert_eq!((enter(&mut desk, 1, OPEN), desk.game.result()), (None, None), "it takes its own entry back");
    assert_eq!((enter(&mut desk, 1, OPEN), desk.audited().len()), (None, 3));
    enter(&mut desk, 1, WHITE);
    assert_eq!(send(&mut desk, "anna", Command::DeclareResult { result: BLACK }), None);
    refused(&mut desk, WHITE, "anna declared the result 0-1: only an arbiter can change it");
    refused(&mut desk, OPEN, "anna declared the result 0-1");
    assert_eq!(enter(&mut desk, 1, BLACK), None, "the same result");
    let decided: Vec<_> = desk.audited().iter().map(|one| (one.by_organiser, one.result, one.supersedes)).collect();
    assert_eq!(
        decided,
        [
            (true, WHITE, None),
            (true, GameResult::Draw, Some(1)),
            (true, OPEN, Some(2)),
            (true, WHITE, Some(3)),
            (false, BLACK, Some(4))
        ]
    );
    assert_eq!(desk.audited()[0].words(), "desk entered the result 1-0 for the organiser");
    let arbiter = Command::EnterResult { game_no: 1, result: WHITE, by_organiser: false };
    assert!(send(&mut desk, "anna", arbiter).is_some_and(|why| why.contains("use declare-result")));
}

#[test]
fn a_game_in_play_or_with_something_open_gets_no_result() {
    let mut desk = Desk::started("300");
    refused(&mut desk, WHITE, "no move was made");
    desk.play("e2e4").play("e7e5");
    refused(&mut desk, WHITE, "the game is in play: its clock runs");
    desk.fall(ClockSide::Left).wait(0.5);
    desk.clock.running = false;
    desk.report().wait(1.0);
    refused(&mut desk, BLACK, "White's flag fell and awaits a decision");
    assert_eq!(desk.game.open_matters(), [OpenMatter::Flag(Color::White)]);
    assert_eq!(desk.game.unfinished().map(|game| (game.number, game.open.len())), Some((1, 1)));

    let mut desk = stopped();
    let claim = |standing| Command::ClaimOn { side: Color::Black, ground: Ground::AdditionalTime, standing, uci: None };
    desk.sign("anna", claim(Standing::Lodged));
    refused(&mut desk, WHITE, "a claim by Black awaits a decision");
    desk.sign("anna", claim(Standing::Refused));
    desk.sign("anna", Command::Resign { side: Color::White });
    refused(&mut desk, WHITE, "a finding awaits a decision");

    // A mate says who won.
    let mut desk = Desk::started("300");
    desk.play("f2f3").play("e7e5").play("g2g4").play("d8h4").wait(3.0);
    refused(&mut desk, WHITE, "checkmate is on the board: the result is 0-1");
    for known in [BLACK, OPEN] {
        assert_eq!((enter(&mut desk, 1, known), desk.audited().len(), mated(&desk)), (None, 0, true), "nothing to decide");
    }
    // What an arbiter entered by mistake is taken back, and the mate stands again.
    assert_eq!(send(&mut desk, "anna", Command::DeclareResult { result: WHITE }), None);
    assert_eq!(desk.game.result(), Some(WHITE));
    assert_eq!(send(&mut desk, "anna", Command::DeclareResult { result: OPEN }), None);
    assert!(mated(&desk) && desk.game.unfinished().is_none(), "{:?}", desk.state().stage);
}

/// Black has mated, and nobody decided otherwise.
fn mated(desk: &Desk) -> bool {
    let known = desk.game.known_result().map(|known| (known.result, known.by));
    (known, desk.state().stage) == (Some((BLACK, ResultBy::Board)), GamePhase::Over)
}

/// An arbiter has said that the game goes on: the desk does not end it in the same position.
#[test]
fn the_desk_does_not_decide_over_an_arbiter_who_lets_the_game_go_on() {
    let mut desk = stopped();
    assert_eq!(enter(&mut desk, 1, WHITE), None);
    assert_eq!(send(&mut desk, "anna", Command::DeclareResult { result: OPEN }), None);
    refused(&mut desk, WHITE, "anna");
    desk.clock.running = true;
    desk.report().play("g1f3");
    desk.clock.running = false;
    desk.report().wait(3.0);
    assert_eq!((enter(&mut desk, 1, WHITE), desk.game.result()), (None, Some(WHITE)), "a move was made since");

    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    desk.clock.running = false;
    desk.report().wait(1.0);
    let finding = desk.key();
    assert_eq!(send(&mut desk, "anna", Command::Reject { finding }), None);
    refused(&mut desk, BLACK, "anna");
}

/// A result at the wrong board is not changed into another one while its players go on; it is taken back.
#[test]
fn a_second_entry_is_checked_as_the_first_one() {
    let mut desk = stopped();
    assert_eq!(enter(&mut desk, 1, WHITE), None);
    desk.clock.running = true;
    desk.report().wait(1.0);
    refused(&mut desk, BLACK, "the game is in play: its clock runs");
    assert_eq!((enter(&mut desk, 1, OPEN), desk.game.result()), (None, None));
}

/// Without a clock only the board shows that a game is in play.
#[test]
fn a_board_without_a_clock() {
    let mut desk = Desk::new("300");
    desk.device(DeviceEvent::ClockAbsent).frame(Placement::initial()).wait(3.0);
    desk.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    desk.make("e2e4").wait(5.0).make("e7e5").wait(5.0);
    refused(&mut desk, WHITE, "a man was moved less than a minute ago");
    desk.wait(60.0);
    assert_eq!((enter(&mut desk, 1, WHITE), desk.game.result()), (None, Some(WHITE)));
}

/// The men are set up again: the game before still gets its result, and the present one is untouched.
#[test]
fn a_game_that_was_left() {
    let mut desk = stopped();
    desk.frame(Placement::initial()).wait(10.0);
    assert_eq!((desk.game.number(), desk.state().stage), (2, GamePhase::Armed));
    assert_eq!(desk.alarms(), ["ResultMissing"]);
    assert_eq!(desk.game.known_result_of_left(1), Some(None));
    assert_eq!(enter(&mut desk, 1, WHITE), None);
    assert!(desk.game.alarms().iter().all(|alarm| alarm.kind != AlarmKind::ResultMissing || alarm.closed.is_some()));
    let known = desk.game.known_result_of_left(1).flatten().expect("a result");
    assert_eq!((known.result, desk.game.result(), desk.state().stage), (WHITE, None, GamePhase::Armed));
    let Some((1, Ruling::Decision { decision })) = desk.game.ruling() else { panic!("{:?}", desk.game.ruling()) };
    assert_eq!((decision.kind, decision.game_no, decision.number), (DecisionKind::Declared, 1, 1));
    let arbiter = |result| Command::EnterResult { game_no: 1, result, by_organiser: false };
    assert_eq!(send(&mut desk, "anna", arbiter(BLACK)), None);
    refused(&mut desk, WHITE, "anna declared the result 0-1");
    assert_eq!(desk.audited().last().map(|last| (last.game_no, last.supersedes)), Some((1, Some(1))));
    assert!(enter(&mut desk, 7, WHITE).is_some_and(|why| why.contains("not known any more")));
}
