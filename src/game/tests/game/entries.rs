//! Arbiters' entries of the players' offers and claims, and penalties.

use flagfall_game::alarm::{AlarmKind, AlarmStatus};
use flagfall_game::arbiter_entries::Entered;
use flagfall_game::audit::AuditEntry;
use flagfall_game::decision::{Claim, DecisionKind, Ruling};
use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::{Author, Command, Input};
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::finding::FindingKey;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::{Kind, Outcome};
use flagfall_game::pair::Pair;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::desk::Desk;

const WHITE: Color = Color::White;
const BLACK: Color = Color::Black;

/// Sends a command for something that happened earlier.
fn at(desk: &mut Desk, observed_at: Instant, command: Command) {
    let author = Author { name: Some("anna".to_owned()), observed_at: Some(observed_at), ..Author::default() };
    desk.feed(Input::Signed { command: Box::new(command), author: Box::new(author) });
}

fn claim(side: Color, ground: Ground, standing: Standing) -> Command {
    Command::ClaimOn { side, ground, standing, uci: None }
}

fn claimed(desk: &Desk) -> Claim {
    let claim = |effect: &Effect| match effect {
        Effect::Audit(AuditEntry::Claim(claim)) => Some(claim.clone()),
        _ => None,
    };
    desk.out.iter().rev().find_map(claim).expect("a claim")
}

fn kinds(desk: &Desk) -> Vec<(DecisionKind, GameResult)> {
    desk.game.decisions().map(|decision| (decision.kind, decision.result)).collect()
}

#[test]
fn an_offer_that_is_accepted_draws_the_game() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").command(Command::Offer { side: BLACK }).command(Command::Accept { side: WHITE });
    assert_eq!((desk.refused(), desk.game.result(), desk.state().stage), (0, Some(GameResult::Draw), GamePhase::Over));
    assert_eq!(kinds(&desk), [(DecisionKind::Agreed, GameResult::Draw)]);
    let entries: Vec<_> = desk.state().entries.iter().map(|entry| (entry.side, entry.what)).collect();
    assert_eq!(entries, [(Color::Black, Entered::Offer), (Color::White, Entered::Agreement)]);
    desk.command(Command::Offer { side: WHITE }).command(Command::Resign { side: WHITE });
    assert_eq!(desk.refused(), 2, "the game is over");
    desk.command(Command::DeclareResult { result: GameResult::Open });
    assert_eq!((desk.game.result(), desk.state().entries.len()), (None, 1), "there is no agreement");
}

#[test]
fn no_draw_before_both_have_moved() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").command(Command::Offer { side: WHITE }).command(Command::Accept { side: BLACK });
    assert_eq!((desk.refused(), desk.game.result()), (1, None), "5.2.3");
}

#[test]
fn an_offer_that_is_missing_or_was_refused_by_a_move_cannot_be_accepted() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").command(Command::Accept { side: WHITE });
    desk.command(Command::Offer { side: WHITE }).command(Command::Accept { side: WHITE });
    assert_eq!(desk.refused(), 2, "a player cannot accept his own offer");
    let offered = desk.now;
    desk.play("g1f3").play("b8c6").command(Command::Accept { side: BLACK });
    assert_eq!((desk.refused(), desk.game.result()), (3, None), "9.1.2.1");
    // The offer was accepted before that move, and the acceptance is entered only now.
    at(&mut desk, Instant(offered.0 + 1), Command::Accept { side: BLACK });
    assert_eq!((desk.refused(), desk.game.result()), (3, Some(GameResult::Draw)));
}

#[test]
fn a_claim_is_an_offer_too() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").command(claim(WHITE, Ground::Repetition, Standing::Lodged));
    desk.command(Command::Accept { side: BLACK });
    assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::Draw)), "9.1.2.3");
}

#[test]
fn a_resignation_decides_nothing_by_itself() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").command(Command::Resign { side: WHITE });
    assert_eq!((desk.refused(), desk.game.result(), kinds(&desk)), (0, None, vec![]));
    assert_eq!(desk.state().entries[0].what, Entered::Resignation);
}

/// White has a pawn and Black the bare king: Black cannot mate, which gives White half a point (5.1.2).
#[test]
fn a_resignation_is_a_finding_that_the_arbiter_decides_about() {
    // The question whether White can mate has no answer yet.
    for (side, outcome, result) in [(WHITE, Outcome::Draw, Some(GameResult::Draw)), (BLACK, Outcome::Undecided, None)] {
        let resigned = || {
            let mut desk = Desk::started("300").with_position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
            desk.play("e2e4").command(Command::Resign { side });
            desk
        };
        let mut desk = resigned();
        let Some(finding) = desk.state().finding else { panic!("{side:?}: no finding") };
        assert_eq!((finding.kind, finding.flag), (Kind::Resignation, None));
        let key = FindingKey { id: finding.id, revision: finding.revision };
        assert_eq!(finding.outcome, outcome, "{side:?}");
        desk.command(Command::Confirm { finding: key });
        assert_eq!((desk.refused(), desk.game.result()), (usize::from(result.is_none()), result), "{side:?}");
        let mut desk = resigned();
        desk.command(Command::Reject { finding: key });
        assert_eq!((desk.refused(), desk.game.result(), desk.state().finding), (0, None, None), "{side:?}");
        assert_eq!(kinds(&desk), [(DecisionKind::Rejected, GameResult::Open)]);
        assert!(matches!(desk.game.ruling(), Some((2, Ruling::Decision { .. }))), "{:?}", desk.game.ruling());
        // The arbiter may still decide later.
        desk.play("e8e7").command(Command::Resign { side });
        assert!(desk.state().finding.is_some_and(|finding| finding.id > key.id));
    }
}

#[test]
fn claims_are_decided_by_the_arbiter() {
    for (ground, standing, expected) in [
        (Ground::NormalMeans, Standing::Lodged, None),
        (Ground::NormalMeans, Standing::Accepted, Some((DecisionKind::ClaimAccepted, GameResult::Draw))),
        (Ground::Repetition, Standing::Accepted, Some((DecisionKind::ClaimAccepted, GameResult::Draw))),
        (Ground::FiftyMoves, Standing::Refused, Some((DecisionKind::ClaimRefused, GameResult::Open))),
        // More time for both players is no result.
        (Ground::AdditionalTime, Standing::Accepted, Some((DecisionKind::ClaimAccepted, GameResult::Open))),
    ] {
        let mut desk = Desk::started("300");
        desk.play("e2e4").play("e7e5").sign("anna", claim(WHITE, ground, standing));
        assert_eq!((desk.refused(), kinds(&desk)), (0, expected.into_iter().collect::<Vec<_>>()), "{ground:?} {standing:?}");
        let drawn = expected.is_some_and(|(_, result)| result == GameResult::Draw);
        assert_eq!(desk.game.result(), drawn.then_some(GameResult::Draw), "{ground:?} {standing:?}");
    }
    // The claim was granted later (III.5): the later decision supersedes the earlier one.
    let mut desk = Desk::started("300");
    desk.play("e2e4").command(claim(WHITE, Ground::NormalMeans, Standing::Refused));
    desk.command(claim(WHITE, Ground::NormalMeans, Standing::Accepted));
    let last = desk.game.decisions().last().cloned().expect("a decision");
    assert_eq!((last.number, last.supersedes, last.side), (2, Some(1), Some(Color::White)));
}

/// The daemon checks the record when a claim is lodged, and reports the result to the arbiter only.
#[test]
fn the_result_of_a_claim_by_the_record() {
    let mut desk = Desk::started("300");
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    desk.play(shuffle[0]).play(shuffle[1]).command(claim(WHITE, Ground::Repetition, Standing::Lodged));
    assert_eq!((claimed(&desk).correct, desk.refused()), (Some(false), 0));
    for uci in [shuffle[2], shuffle[3], shuffle[0], shuffle[1], shuffle[2]] {
        desk.play(uci);
    }
    let about_to = |uci: &str| Command::ClaimOn {
        side: BLACK,
        ground: Ground::Repetition,
        standing: Standing::Lodged,
        uci: Some(uci.to_owned()),
    };
    desk.command(about_to("f6h5"));
    assert_eq!(claimed(&desk).correct, Some(false));
    desk.command(about_to("e2e4"));
    assert_eq!(desk.refused(), 1, "the move is not legal now");
    desk.command(about_to("f6g8"));
    assert_eq!(
        (claimed(&desk).correct, desk.game.result()),
        (Some(true), None),
        "the claim is correct (9.2.1); the arbiter decides"
    );
    // The claim is about the position at that time, whatever was moved since.
    desk.play("f6g8").play("e2e4").command(claim(BLACK, Ground::Repetition, Standing::Accepted));
    let decision = desk.game.decisions().last().cloned().expect("a decision");
    let decided = decision.claim.expect("the claim");
    assert_eq!((decided.correct, decided.uci.as_deref(), decided.standing), (Some(true), Some("f6g8"), Standing::Accepted));
    assert_eq!((decision.result, desk.game.result()), (GameResult::Draw, Some(GameResult::Draw)));
    let moves = desk.out.iter().filter(|effect| matches!(effect, Effect::LiveMove { .. } | Effect::LiveRevision { .. })).count();
    assert_eq!(moves, 2 * 9, "only moves are published, and no claim");
}

#[test]
fn a_penalty_is_on_record_and_ends_nothing() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").wait(2.0).press(0).wait(3.0).press(0).wait(1.0);
    let alarm = desk.state().alarms.iter().find(|alarm| alarm.kind == AlarmKind::PressedWithoutMove).cloned().expect("an alarm");
    let seconds = Some(Pair { white: 0, black: 120 });
    let ruling = |side, alarm, counts| Command::Penalty { side, seconds, alarm, counts };
    for wrong in [
        Command::Penalty { side: WHITE, seconds: None, alarm: None, counts: None },
        Command::Penalty { side: WHITE, seconds: Some(Pair { white: i32::MIN, black: 0 }), alarm: None, counts: None },
        ruling(WHITE, Some(alarm.id), None),
        ruling(BLACK, Some(alarm.id), Some(true)),
        ruling(WHITE, Some(99), Some(true)),
    ] {
        desk.command(wrong);
    }
    assert_eq!((desk.refused(), kinds(&desk), desk.state().entries.len()), (5, vec![], 0));
    desk.command(ruling(WHITE, Some(alarm.id), Some(true)));
    let status = |desk: &Desk| desk.game.alarms().iter().find(|known| known.id == alarm.id).map(|known| known.status);
    assert_eq!((desk.refused(), status(&desk)), (5, Some(AlarmStatus::Acknowledged)));
    assert_eq!(desk.state().entries[0].what, Entered::IllegalMove { alarm: alarm.id, counts: true });
    // The arbiter corrects the ruling.
    desk.command(Command::Penalty { side: WHITE, seconds: None, alarm: Some(alarm.id), counts: Some(false) });
    let last = desk.game.decisions().last().cloned().expect("a decision");
    assert_eq!((last.kind, last.supersedes, desk.game.result()), (DecisionKind::Penalty, Some(1), None));
    // The player used both hands; no sensor sees this.
    desk.command(Command::Penalty { side: BLACK, seconds: None, alarm: None, counts: Some(true) });
    assert_eq!(desk.state().entries[2].what, Entered::IllegalMove { alarm: 0, counts: true });
    assert_eq!(desk.game.decisions().last().and_then(|last| last.supersedes), None, "it is about another move");
}

#[test]
fn entries_are_limited_and_end_with_their_game() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    for _ in 0..300 {
        desk.command(Command::Offer { side: WHITE });
    }
    assert_eq!((desk.state().entries.len(), desk.refused()), (256, 44));
    desk.command(Command::StartGame { fen: None });
    assert_eq!(desk.state().entries.len(), 0);
}
