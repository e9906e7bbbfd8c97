//! Games that seem to be over and go on, and games that are over at once.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::audit::AuditEntry;
use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::played::Cause;
use flagfall_protocols::square::{Piece, Placement, Reading, Square};

use crate::desk::Desk;

/// White's queen on d4 would be stalemate; on f6 the game goes on.
const STALEMATE_ON_D4: &str = "8/8/8/5KPk/8/8/8/Q7 w - - 0 1";

fn reading(letter: char) -> Reading {
    Reading::Piece(Piece::from_letter(letter).expect("a man"))
}

fn square(name: &str) -> Square {
    Square::parse(name).expect("a square")
}

fn is_reopened(desk: &Desk) -> bool {
    desk.game.alarms().iter().any(|alarm| alarm.kind == AlarmKind::Reopened)
}

/// The clocks are stopped, and both kings stand in the centre.
fn kings_in_the_centre() -> Desk {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").play("g1f3");
    desk.clock.running = false;
    desk.report().wait(1.0);
    for (from, to, king) in [("e1", "e4", 'K'), ("e8", "d5", 'k')] {
        desk.square(square(from), Reading::Empty).wait(0.4).square(square(to), reading(king)).wait(0.4);
    }
    desk.wait(3.0);
    assert_eq!(desk.game.stage(), GamePhase::Over);
    desk
}

fn restored(desk: &mut Desk) {
    let standing = desk.standing();
    desk.frame(standing).wait(2.0);
    desk.clock.running = true;
    desk.report().wait(1.0);
}

#[test]
fn kings_that_stood_in_the_centre_by_mistake() {
    let mut desk = kings_in_the_centre();
    restored(&mut desk);
    desk.play("b8c6").play("f1b5").play("a7a6").wait(3.0);
    assert_eq!(desk.moves(), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]);
    assert!(is_reopened(&desk) && desk.game.stage() == GamePhase::Playing);
}

#[test]
fn a_decided_end_stays() {
    let mut desk = kings_in_the_centre();
    desk.command(Command::DeclareResult { result: GameResult::WhiteWins });
    restored(&mut desk);
    desk.play("b8c6").wait(3.0);
    assert_eq!((desk.moves().len(), desk.game.stage(), is_reopened(&desk)), (3, GamePhase::Over, false));
}

const MATE_ON_F2: &str = "k7/8/8/2b5/8/4q3/3PN2P/3BK2R w - - 0 1";

/// The queen slides from a1 to f6 and is seen on d4 for this time.
fn slide_over_d4(seconds: f64) -> Desk {
    let mut desk = Desk::started("300").with_position(STALEMATE_ON_D4);
    desk.wait(2.0).square(square("a1"), Reading::Empty).wait(0.2);
    desk.square(square("d4"), reading('Q')).wait(seconds);
    desk.square(square("d4"), Reading::Empty).wait(0.2).square(square("f6"), reading('Q')).wait(0.5);
    desk
}

#[test]
fn a_queen_that_only_passes_the_square_of_a_stalemate() {
    let mut desk = slide_over_d4(1.2);
    desk.press(0).wait(1.0);
    assert_eq!((desk.moves(), desk.game.stage()), (vec!["a1f6".to_owned()], GamePhase::Playing));
    assert!(is_reopened(&desk));
    let revised = |effect: &Effect| matches!(effect, Effect::Audit(AuditEntry::Revision(revision)) if revision.cause == Cause::Reopened && revision.from_ply == 1);
    assert_eq!(desk.out.iter().filter(|effect| revised(effect)).count(), 1);
    desk.assume("8/8/5Q2/5KPk/8/8/8/8 b - - 1 1").play("h5h4").wait(3.0);
    assert_eq!(desk.moves(), ["a1f6", "h5h4"]);
}

/// The queen passes the square of a mate, and is captured on the next one before a scan shows it there: Qf2 would be mate, and Qg1 is
/// answered by the knight.
#[test]
fn a_queen_that_passes_the_square_of_a_mate_and_is_captured() {
    let mut desk = Desk::started("300").with_position(MATE_ON_F2);
    desk.play("h2h3");
    desk.wait(2.0).square(square("e3"), Reading::Empty).square(square("f2"), reading('q')).wait(1.3);
    desk.square(square("f2"), Reading::Empty).wait(0.2).square(square("g1"), reading('N')).press(0).wait(0.2);
    desk.square(square("e2"), Reading::Empty).wait(0.2).press(0).wait(4.0);
    assert_eq!(desk.moves(), ["h2h3", "e3g1", "e2g1"]);
    assert!(is_reopened(&desk) && desk.game.stage() == GamePhase::Playing);
}

/// Nobody presses after Qh4#, and the king is touched half a second later.
#[test]
fn a_mate_that_nobody_presses() {
    let mut desk = Desk::started("300");
    desk.play("f2f3").play("e7e5").play("g2g4").wait(0.5).make("d8h4").wait(0.5);
    assert_eq!((desk.moves().len(), desk.game.stage()), (3, GamePhase::Playing));
    desk.square(square("e1"), Reading::Empty).wait(0.3).square(square("f1"), Reading::Empty).wait(0.2);
    assert_eq!((desk.moves().len(), desk.game.stage()), (4, GamePhase::Over));
    desk.frame(Placement::EMPTY).wait(20.0);
    assert_eq!((desk.moves().len(), desk.game.stage(), is_reopened(&desk)), (4, GamePhase::Over, false));
}

/// The queen stood on d4 for longer: the game is over, and the players look at another move.
#[test]
fn analysis_reopens_no_game() {
    let mut desk = slide_over_d4(5.0);
    desk.wait(5.0);
    assert_eq!((desk.moves(), desk.game.stage()), (vec!["a1d4".to_owned()], GamePhase::Over));
    desk.frame(Placement::parse("8/8/8/5KPk/8/8/8/Q7").expect("a placement")).wait(5.0);
    assert_eq!((desk.moves().len(), desk.game.stage(), is_reopened(&desk)), (1, GamePhase::Over, false));
}

/// Nobody presses after Qh4#. The queen is put back first, 0.7 seconds later, and then the other men are set up anew.
#[test]
fn a_mate_whose_queen_is_put_back_first() {
    let mut desk = Desk::started("300");
    desk.play("f2f3").play("e7e5").play("g2g4").wait(0.5).make("d8h4").wait(0.7);
    for (from, to, man) in [("h4", "d8", 'q'), ("e5", "e7", 'p'), ("g4", "g2", 'P'), ("e1", "e8", 'K'), ("h1", "a8", 'R')] {
        desk.square(square(from), Reading::Empty).wait(0.2).square(square(to), reading(man)).wait(0.3);
    }
    desk.wait(3.0);
    assert_eq!((desk.moves().len(), desk.game.stage(), is_reopened(&desk)), (4, GamePhase::Over, false));
}

/// The queen slides from a1 to h8, where it mates, and is seen on d4, where it would be stalemate. Nobody presses, and the queen is taken
/// off first.
#[test]
fn a_queen_that_passes_one_end_of_the_game_to_another() {
    for paused in [0.3, 0.4, 0.5] {
        let mut desk = Desk::started("300").with_position(STALEMATE_ON_D4);
        desk.wait(2.0).square(square("a1"), Reading::Empty).square(square("d4"), reading('Q')).wait(paused);
        desk.square(square("d4"), Reading::Empty).square(square("h8"), reading('Q')).wait(0.7);
        desk.clock.running = false;
        desk.report();
        for (from, to, man) in [("h8", "d1", 'Q'), ("f5", "e1", 'K'), ("g5", "g2", 'P'), ("h5", "e8", 'k')] {
            desk.square(square(from), Reading::Empty).wait(0.3).square(square(to), reading(man)).wait(0.3);
        }
        desk.wait(5.0);
        assert_eq!((desk.moves(), desk.game.stage()), (vec!["a1h8".to_owned()], GamePhase::Over), "{paused}");
    }
}

/// The queen of the mate stood for more than a second before it is put back.
#[test]
fn a_queen_that_is_put_back_after_the_mate_reopens_nothing() {
    let mut desk = Desk::started("300");
    desk.play("f2f3").play("e7e5").play("g2g4").wait(0.5).make("d8h4").wait(1.5);
    desk.square(square("h4"), Reading::Empty).wait(0.2).square(square("d8"), reading('q')).wait(5.0);
    assert_eq!((desk.moves().len(), desk.game.stage(), is_reopened(&desk)), (4, GamePhase::Over, false));
}

/// Black replies as soon as White has pressed.
#[test]
fn a_queen_that_passes_the_square_of_a_stalemate_and_a_fast_reply() {
    let mut desk = Desk::started("300").with_position(STALEMATE_ON_D4);
    desk.wait(2.0).square(square("a1"), Reading::Empty).wait(0.2);
    desk.square(square("d4"), reading('Q')).wait(1.5).square(square("d4"), Reading::Empty).wait(0.1);
    desk.square(square("f6"), reading('Q')).wait(0.05).press(0).wait(0.05).square(square("h5"), Reading::Empty).wait(0.1);
    desk.square(square("h4"), reading('k')).wait(0.1).press(0).wait(3.0);
    assert_eq!((desk.moves(), desk.game.stage()), (vec!["a1f6".to_owned(), "h5h4".to_owned()], GamePhase::Playing));
    assert!(is_reopened(&desk));
}
