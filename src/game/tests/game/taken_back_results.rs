//! A result that was entered at the wrong board: play goes on, and its moves come back when the result is taken back.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Color, Placement, Reading, Square};

use crate::desk::Desk;

fn declare(desk: &mut Desk, result: GameResult) {
    desk.command(Command::DeclareResult { result });
    assert_eq!(desk.refused(), 0);
}

/// The moves after the result, as arbiters see them.
fn later(desk: &Desk) -> Vec<String> {
    desk.game.moves_after_result().iter().map(|mv| mv.uci.to_string()).collect()
}

fn live(desk: &Desk) -> Vec<String> {
    desk.game.live_moves().map(|mv| mv.uci.to_string()).collect()
}

/// What was sent to the live audience since the last call: moves and changes of them, and states.
fn sent_live(desk: &mut Desk) -> usize {
    let meant = |effect: &Effect| {
        let moves = matches!(effect, Effect::LiveMove { .. } | Effect::LiveRevision { .. } | Effect::LiveTimes { .. });
        moves || matches!(effect, Effect::State(Audience::Live))
    };
    desk.out.drain(..).filter(meant).count()
}

const FIRST: [&str; 3] = ["e2e4", "e7e5", "g1f3"];
const AFTER: [&str; 4] = ["b8c6", "f1b5", "a7a6", "b5a4"];

fn desk(clock: bool) -> Desk {
    if clock {
        return Desk::started("300");
    }
    let mut desk = Desk::new("");
    desk.frame(Placement::initial());
    desk
}

/// Makes these moves, and presses if there is a clock.
fn play(desk: &mut Desk, clock: bool, moves: &[&str]) {
    for uci in moves {
        if clock {
            desk.play(uci);
        } else {
            desk.wait(1.0).make(uci).wait(3.0);
        }
    }
}

#[test]
fn moves_that_were_played_meanwhile_come_back() {
    for clock in [true, false] {
        let mut desk = desk(clock);
        play(&mut desk, clock, &FIRST);
        declare(&mut desk, GameResult::WhiteWins);
        let _ = sent_live(&mut desk);
        play(&mut desk, clock, &AFTER);
        desk.wait(5.0);
        assert_eq!(
            (desk.moves(), live(&desk), sent_live(&mut desk)),
            (FIRST.map(String::from).to_vec(), FIRST.map(String::from).to_vec(), 0),
            "{clock}"
        );
        assert_eq!((later(&desk), desk.state().stage), (AFTER.map(String::from).to_vec(), GamePhase::Over), "{clock}");
        declare(&mut desk, GameResult::Open);
        desk.wait(0.1);
        let all: Vec<String> = FIRST.iter().chain(&AFTER).map(|uci| (*uci).to_owned()).collect();
        assert_eq!((desk.moves(), live(&desk), later(&desk)), (all.clone(), all.clone(), vec![]), "{clock}");
        assert_eq!((desk.game.result(), desk.state().stage), (None, GamePhase::Playing), "{clock}");
        assert!(sent_live(&mut desk) > AFTER.len(), "{clock}");
        if clock {
            assert!(desk.game.moves().all(|mv| mv.pressed.is_some()), "the presses count");
            assert_eq!(desk.game.completed().white, Some(4));
        }
        play(&mut desk, clock, &["g8f6"]);
        assert_eq!(desk.wait(3.0).moves().len(), 8, "{clock}: play goes on");
        let trouble = desk.game.alarms().iter().filter(|alarm| alarm.kind != AlarmKind::ClockNotStarted).count();
        assert_eq!(trouble, 0, "{clock}: {:?}", desk.alarms());
    }
}

/// A move that stood unpressed when the result was entered, and its press after it; and a piece in the hand when it is taken back.
#[test]
fn a_result_in_the_middle_of_a_move() {
    for clock in [true, false] {
        let mut desk = desk(clock);
        play(&mut desk, clock, &FIRST);
        desk.wait(0.6).make("b8c6").wait(0.2);
        declare(&mut desk, GameResult::Draw);
        desk.wait(2.5);
        if clock {
            desk.press(0).wait(1.0);
        }
        play(&mut desk, clock, &["f1b5", "a7a6"]);
        desk.square(Square::parse("b5").expect("a square"), Reading::Empty).wait(0.5);
        declare(&mut desk, GameResult::Open);
        desk.square(Square::parse("b5").expect("a square"), desk.standing().get(Square::parse("b5").expect("a square")))
            .wait(0.5);
        play(&mut desk, clock, &["b5a4"]);
        let all: Vec<String> = FIRST.iter().chain(&AFTER).map(|uci| (*uci).to_owned()).collect();
        assert_eq!((desk.wait(3.0).moves(), live(&desk)), (all.clone(), all), "{clock}");
    }
}

/// The result is changed before it is taken back, and the record is corrected while it stands: the board is followed throughout.
#[test]
fn a_result_that_is_changed_first() {
    let mut desk = desk(true);
    play(&mut desk, true, &FIRST);
    declare(&mut desk, GameResult::WhiteWins);
    play(&mut desk, true, &AFTER[..2]);
    declare(&mut desk, GameResult::Draw);
    play(&mut desk, true, &AFTER[2..]);
    declare(&mut desk, GameResult::Open);
    assert_eq!(desk.moves().len(), 7);
    declare(&mut desk, GameResult::Draw);
    desk.command(Command::CorrectMove { plies: 6, uci: "b5a4".into() }).wait(1.0);
    assert_eq!((desk.state().stage, desk.moves().len(), desk.game.result()), (GamePhase::Over, 7, Some(GameResult::Draw)));
    play(&mut desk, true, &["g8f6"]);
    assert_eq!((desk.moves().len(), live(&desk).len(), later(&desk)), (7, 7, vec!["g8f6".to_owned()]));
    declare(&mut desk, GameResult::Open);
    assert_eq!((desk.moves().len(), live(&desk).len()), (8, 8));
}

/// The players look at other moves after the game has ended, with the clocks stopped, or with one that nobody presses: none of it is
/// published, and none of it becomes part of the game even if the result is entered anew.
#[test]
fn analysis_is_never_part_of_the_game() {
    for stopped in [true, false] {
        let mut desk = desk(true);
        play(&mut desk, true, &FIRST);
        if stopped {
            desk.clock.running = false;
            desk.report();
        }
        declare(&mut desk, GameResult::WhiteWins);
        let _ = sent_live(&mut desk);
        for uci in AFTER {
            desk.wait(1.0).make(uci).wait(3.0);
        }
        assert_eq!((desk.moves().len(), live(&desk).len(), sent_live(&mut desk)), (3, 3, 0), "{stopped}");
        declare(&mut desk, GameResult::Open);
        declare(&mut desk, GameResult::BlackWins);
        desk.wait(5.0);
        assert_eq!((desk.moves().len(), live(&desk).len()), (3, 3), "{stopped}: {:?}", desk.moves());
    }
    // Without a clock: the board is cleared when the result is corrected.
    let mut desk = desk(false);
    play(&mut desk, false, &FIRST);
    declare(&mut desk, GameResult::WhiteWins);
    play(&mut desk, false, &AFTER);
    desk.frame(Placement::EMPTY).wait(5.0);
    declare(&mut desk, GameResult::Open);
    declare(&mut desk, GameResult::BlackWins);
    assert_eq!((desk.wait(5.0).moves().len(), live(&desk).len()), (3, 3));
}

#[test]
fn the_next_game_begins_as_ever() {
    for clock in [true, false] {
        let mut desk = desk(clock);
        play(&mut desk, clock, &FIRST);
        declare(&mut desk, GameResult::WhiteWins);
        play(&mut desk, clock, &AFTER);
        desk.clock.running = false;
        if clock {
            desk.report();
        }
        desk.frame(Placement::initial()).wait(3.0);
        assert_eq!((desk.game.number(), desk.state().stage, later(&desk)), (2, GamePhase::Armed, vec![]), "{clock}");
    }
}

/// After one or two moves the board looks like a set-up with men on wrong squares. No game begins of it.
#[test]
fn a_result_after_the_first_move() {
    for clock in [true, false] {
        let mut desk = desk(clock);
        play(&mut desk, clock, &FIRST[..1]);
        declare(&mut desk, GameResult::WhiteWins);
        desk.wait(5.0);
        play(&mut desk, clock, &FIRST[1..]);
        play(&mut desk, clock, &AFTER);
        declare(&mut desk, GameResult::Open);
        assert_eq!((desk.game.number(), desk.moves().len(), live(&desk).len()), (1, 7, 7), "{clock}: {:?}", desk.moves());
    }
}

/// A flag that fell and a press without a move while the result stood.
#[test]
fn what_the_clock_showed_meanwhile_counts() {
    let mut desk = desk(true);
    play(&mut desk, true, &FIRST);
    declare(&mut desk, GameResult::WhiteWins);
    play(&mut desk, true, &AFTER);
    desk.wait(2.0).press(0).wait(3.0).press(0).wait(1.0);
    desk.fall(ClockSide::Right).wait(1.0);
    assert!(desk.game.findings().is_empty(), "the game was over");
    declare(&mut desk, GameResult::Open);
    desk.settle().wait(1.0);
    let found = desk.state().finding.expect("a finding");
    assert_eq!((found.flag, found.completed), (Some("black"), Some(3)), "{found:?}");
    let pressed =
        |alarm: &flagfall_game::alarm::Alarm| alarm.kind == AlarmKind::PressedWithoutMove && alarm.side == Some(Color::Black);
    assert!(desk.game.alarms().iter().any(pressed), "{:?}", desk.alarms());
}

/// The game at that board ends by mate before anybody notices.
#[test]
fn a_mate_under_the_wrong_result() {
    let mut desk = desk(true);
    play(&mut desk, true, &["f2f3", "e7e5"]);
    declare(&mut desk, GameResult::WhiteWins);
    play(&mut desk, true, &["g2g4", "d8h4"]);
    desk.wait(3.0);
    assert_eq!((desk.state().ending, desk.game.known_result().and_then(|known| known.ending)), (None, None));
    declare(&mut desk, GameResult::Open);
    assert_eq!((desk.moves().len(), live(&desk).len(), desk.state().stage), (4, 4, GamePhase::Over));
    assert_eq!(desk.game.known_result().map(|known| known.result), Some(GameResult::BlackWins));
}
