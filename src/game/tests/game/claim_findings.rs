//! The finding on a claim of a player: what the record shows, what follows, and the one command that decides it.

use flagfall_game::decision::{Claim, DecisionKind};
use flagfall_game::input::Command;
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::outcome::{GameResult, Kind, Outcome, Recommended};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;

use crate::desk::Desk;
use crate::desk::event::{Event, OPEN, PLAIN};

fn claim(side: Color, ground: Ground, standing: Standing, uci: Option<&str>) -> Command {
    Command::ClaimOn { side, ground, standing, uci: uci.map(str::to_owned) }
}

/// Black is about to bring the initial position about for the third time.
fn repeating() -> Desk {
    let mut desk = Desk::started("300");
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
        desk.play(uci);
    }
    desk
}

/// White claims a repetition that there is not, with this move.
fn wrongly_claimed(uci: Option<&str>) -> Desk {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").wait(1.0);
    desk.sign("anna", claim(Color::White, Ground::Repetition, Standing::Lodged, uci)).wait(1.0);
    assert_eq!(desk.refused(), 0);
    desk
}

/// The last entry about a claim, as the arbiters' state has it.
fn entered(desk: &Desk) -> Claim {
    desk.state().entries.last().and_then(|entry| entry.claim.clone()).expect("a claim")
}

#[test]
fn a_correct_claim_is_a_draw_by_one_command() {
    let mut desk = repeating();
    desk.sign("anna", claim(Color::Black, Ground::Repetition, Standing::Lodged, Some("f6g8")));
    let found = desk.found();
    assert_eq!((found.kind, found.flag, found.row, found.outcome), (Kind::Claim, None, "6", Outcome::Draw));
    assert_eq!((found.articles.as_slice(), found.unknown.len(), desk.game.result()), (&["9.5.2"][..], 0, None));
    let shown = found.claim.expect("the claim");
    assert_eq!((shown.correct, shown.uci.as_deref(), shown.plies.as_slice()), (Some(true), Some("f6g8"), &[0, 4, 8][..]));
    assert_eq!(entered(&desk), shown, "the verdict is in the entries too");
    let finding = desk.key();
    desk.sign("anna", Command::Confirm { finding });
    assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::Draw)));
    let decision = desk.game.decisions().last().cloned().expect("a decision");
    assert_eq!((decision.kind, decision.side, decision.finding), (DecisionKind::Confirmed, Some(Color::Black), Some(finding)));
    let decided = decision.claim.expect("the claim");
    assert_eq!((decided.standing, decided.plies), (Standing::Accepted, shown.plies));
    assert_eq!(entered(&desk).standing, Standing::Accepted);
}

/// Black has made the last move and not yet completed it; White has the move and may claim (9.2.2).
#[test]
fn a_move_that_is_not_completed_counts_for_a_repetition() {
    let mut desk = repeating();
    desk.make("f6g8").wait(0.1);
    assert_eq!(desk.state().pending.len(), 1, "made and not completed");
    desk.sign("anna", claim(Color::White, Ground::Repetition, Standing::Lodged, None));
    let shown = desk.found().claim.expect("the claim");
    assert_eq!((shown.correct, shown.plies.as_slice(), desk.row()), (Some(true), &[0, 4, 8][..], ("6", Outcome::Draw)));
}

#[test]
fn fifty_moves_are_shown_by_their_first_and_last_ply() {
    let mut desk = PLAIN.desk("4k3/4p3/8/8/8/8/4P3/R3K3 w - - 97 90");
    desk.play("a1a2").play("e8f8").wait(1.0);
    desk.sign("anna", claim(Color::White, Ground::FiftyMoves, Standing::Lodged, Some("a2a3")));
    let claimed = |desk: &Desk| desk.found().claim.map(|claim| (claim.correct, claim.plies));
    assert_eq!((desk.row(), claimed(&desk)), (("6", Outcome::Draw), Some((Some(true), vec![1, 3]))));
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).wait(1.0);
    assert_eq!((desk.refused(), desk.game.result(), desk.game.findings().len()), (0, None, 0));
    let last = desk.ruled().expect("the rejection is shown");
    assert_eq!((last.kind, last.claim.map(|claim| claim.standing)), (DecisionKind::Rejected, Some(Standing::Refused)));
}

/// The opponent gets two minutes and the indicated move must be played (9.5.3). The finding offers this; the arbiter does it.
#[test]
fn a_wrong_claim_offers_the_penalty_and_makes_none() {
    let time = Recommended::AddTime { side: "black", seconds: 120 };
    for (uci, recommended) in [(None, vec![time]), (Some("e1f1"), vec![time, Recommended::PlayIndicatedMove { side: "white" }])] {
        let mut desk = wrongly_claimed(uci);
        let found = desk.found();
        assert_eq!((desk.row(), found.articles.as_slice()), (("6a", Outcome::GameGoesOn), &["9.5.3"][..]), "{uci:?}");
        assert_eq!((found.recommended, found.claim.and_then(|claim| claim.correct)), (recommended, Some(false)), "{uci:?}");
        let finding = desk.key();
        desk.sign("anna", Command::Reject { finding });
        assert_eq!(desk.refused(), 1, "{uci:?}: the game goes on in any case");
        desk.sign("anna", Command::Confirm { finding }).wait(1.0);
        assert_eq!((desk.refused(), desk.game.result(), desk.game.findings().len()), (1, None, 0), "{uci:?}");
        assert_eq!(entered(&desk).standing, Standing::Refused, "{uci:?}");
        let kinds: Vec<_> = desk.game.decisions().map(|decision| decision.kind).collect();
        assert_eq!((kinds, desk.ruled().map(|last| last.kind)), (vec![DecisionKind::Confirmed], Some(DecisionKind::Confirmed)));
    }
}

/// A player who makes a move after his claim waits for no ruling. A flag that falls before the ruling still leaves it open.
#[test]
fn a_later_move_of_the_claimant_closes_the_finding() {
    let mut desk = wrongly_claimed(None);
    desk.make("e1f1").wait(3.0).press(0).wait(1.0);
    assert_eq!((desk.moves().len(), desk.game.findings().len()), (3, 0));
    desk.play("e8f8").flag(ClockSide::Left);
    assert_eq!((desk.row(), desk.found().unknown.contains(&"claim_ruling")), (("6", Outcome::Undecided), true));
}

#[test]
fn a_claim_that_the_record_refutes_is_accepted_only_with_a_reason() {
    for ground in [Ground::Repetition, Ground::FiftyMoves] {
        let accept = claim(Color::White, ground, Standing::Accepted, None);
        let mut desk = wrongly_claimed(None);
        desk.command(accept.clone());
        assert_eq!((desk.refused(), desk.game.result(), desk.game.decisions().count()), (1, None, 0), "{ground:?}");
        assert_eq!(desk.found().kind, Kind::Claim, "{ground:?}: nothing has changed");
        desk.sign("anna", accept);
        assert_eq!((desk.refused(), desk.game.result()), (1, Some(GameResult::Draw)), "{ground:?}");
        assert_eq!(entered(&desk).correct, Some(false), "{ground:?}");
    }
}

/// No record shows whether a player makes an effort to win (III.5): the arbiter decides.
#[test]
fn a_claim_by_normal_means_is_left_to_the_arbiter() {
    let event = Event { rulebook: "fide-2023-standard+guidelines-III.5", ..PLAIN };
    let mut desk = event.desk(OPEN);
    desk.play("e2e4").play("e7e5").wait(1.0);
    desk.sign("anna", claim(Color::White, Ground::NormalMeans, Standing::Lodged, None));
    assert_eq!((desk.row(), desk.found().unknown), (("6", Outcome::Undecided), vec!["claim_ruling"]));
    let finding = desk.key();
    desk.sign("anna", Command::Confirm { finding });
    assert_eq!((desk.refused(), desk.game.result()), (1, None), "there is nothing to confirm");
    desk.sign("anna", Command::Reject { finding }).wait(1.0);
    assert_eq!((desk.refused(), desk.game.findings().len(), entered(&desk).standing), (1, 0, Standing::Refused));
    // Where it was not announced, such a claim is no question.
    let mut plain = PLAIN.desk(OPEN);
    plain.play("e2e4").play("e7e5").sign("anna", claim(Color::White, Ground::NormalMeans, Standing::Lodged, None));
    assert_eq!((plain.refused(), plain.game.findings().len()), (0, 0));
}
