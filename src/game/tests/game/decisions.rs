//! From findings to decisions: the author, the time, the reason and the evidence of each. Decisions are superseded, never
//! overwritten.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::decision::{DecisionKind, Ruling};
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::{Author, Command, Input};
use flagfall_game::laws::finding::{FindingKey, FindingStatus};
use flagfall_game::laws::outcome::{GameResult, Kind, Outcome};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::desk::Desk;

/// Sends a signed command with its reason.
fn signed(desk: &mut Desk, command: Command, observed_at: Option<Instant>) {
    let author = Author {
        name: Some("anna".to_owned()),
        command: Some(format!("c{}", desk.now.0)),
        reason: Some("as seen".to_owned()),
        observed_at,
    };
    desk.feed(Input::Signed { command: Box::new(command), author: Box::new(author) });
}

/// White's flag has fallen, and Black can still mate.
fn flagged() -> Desk {
    let mut desk = Desk::started("300");
    desk.fall(ClockSide::Left).wait(0.5).black_can_mate();
    assert_eq!(desk.found().outcome, Outcome::BlackWins);
    desk
}

#[test]
fn a_confirmed_finding_gives_the_result_with_author_time_reason_and_evidence() {
    let mut desk = flagged();
    let proposed = desk.key();
    let seen = Instant(desk.now.0 - 200_000);
    desk.wait(3.0);
    signed(&mut desk, Command::Confirm { finding: proposed }, Some(seen));
    assert_eq!((desk.refused(), desk.game.result(), desk.state().stage), (0, Some(GameResult::BlackWins), GamePhase::Over));
    let decision = desk.ruled().expect("a decision");
    assert_eq!((decision.number, decision.kind, decision.result), (1, DecisionKind::Confirmed, GameResult::BlackWins));
    assert_eq!((decision.by.as_deref(), decision.reason.as_deref()), (Some("anna"), Some("as seen")));
    assert_eq!((decision.command.clone(), decision.at), (Some(format!("c{}", desk.now.0)), desk.now));
    assert_eq!((decision.finding, decision.observed_at, decision.supersedes), (Some(proposed), Some(seen), None));
    assert_eq!((desk.audited(), desk.state().decisions), (vec![decision.clone()], vec![decision]));
    let found = desk.found();
    assert_eq!((found.conditional, found.observed_at), (false, Some(seen.0)), "the fall has the arbiter's own time (6.8)");
    assert_eq!(desk.state().flags[0].ruled, Some(1));
    assert!(desk.state().alarms.iter().all(|alarm| alarm.kind != AlarmKind::Flag), "the flag alarm is dealt with");
}

#[test]
fn a_finding_that_has_changed_is_not_confirmed() {
    let mut desk = flagged();
    let FindingKey { id, revision } = desk.key();
    for wrong in
        [FindingKey { id, revision: revision - 1 }, FindingKey { id, revision: revision + 1 }, FindingKey { id: 9, revision }]
    {
        signed(&mut desk, Command::Confirm { finding: wrong }, None);
        signed(&mut desk, Command::Reject { finding: wrong }, None);
    }
    assert_eq!((desk.refused(), desk.game.result(), desk.audited().len()), (6, None, 0));
}

#[test]
fn a_finding_left_to_the_arbiter_cannot_be_confirmed() {
    let mut desk = Desk::started("300");
    desk.fall(ClockSide::Left).wait(0.5);
    assert_eq!(desk.found().outcome, Outcome::Undecided);
    let finding = desk.key();
    signed(&mut desk, Command::Confirm { finding }, None);
    assert_eq!((desk.refused(), desk.game.result()), (1, None));
    signed(&mut desk, Command::Reject { finding }, None);
    assert_eq!((desk.refused(), desk.ruled().map(|decision| decision.kind)), (1, Some(DecisionKind::Rejected)));
}

/// The arbiter saw the flag only after the mate, so the confirmation does not match the finding for a flag that nobody had
/// seen.
#[test]
fn a_confirmation_decides_only_the_finding_that_it_names() {
    let mut desk = Desk::started("300");
    desk.play("f2f3").play("e7e5").play("g2g4").wait(0.5);
    desk.fall(ClockSide::Right).wait(0.5);
    let seen = desk.now;
    desk.wait(0.5).make("d8h4").wait(3.0);
    let proposed = desk.key();
    assert_eq!((desk.found().row, desk.found().outcome), ("1", Outcome::BlackWins));
    signed(&mut desk, Command::Confirm { finding: proposed }, Some(seen));
    assert_eq!((desk.refused(), desk.game.result(), desk.key()), (1, None, proposed), "the flag was seen before the mate");
    assert_eq!(desk.state().flags[0].observed_at, None, "a refused command changes nothing");
    signed(&mut desk, Command::Confirm { finding: proposed }, None);
    assert_eq!((desk.refused(), desk.game.result()), (1, Some(GameResult::BlackWins)));
}

#[test]
fn after_a_rejection_play_goes_on_and_the_finding_does_not_come_back() {
    let mut desk = flagged();
    let proposed = desk.key();
    signed(&mut desk, Command::Reject { finding: proposed }, None);
    let decision = desk.ruled().expect("a decision");
    assert_eq!((decision.kind, decision.result, decision.finding), (DecisionKind::Rejected, GameResult::Open, Some(proposed)));
    let state = desk.state();
    assert_eq!((state.stage, state.result, state.flags.len(), state.flags[0].ruled), (GamePhase::Armed, None, 1, Some(1)));
    assert!(!desk.game.awaits_ruling());
    let revision = desk.key().revision;
    desk.clock.left.time = ClockTime(60_000);
    desk.clock.left.flag_shown = false;
    desk.report().play("e2e4").play("e7e5").play("g1f3").wait(3.0);
    assert_eq!((desk.key().revision, desk.moves().len(), desk.game.findings().len()), (revision, 3, 1));
    assert_eq!(desk.ruled(), Some(decision), "the ruling still stands");
    assert!(desk.state().moves.iter().all(|played| !played.after_flag));
    // A position that is set later does not change the facts of the flag.
    desk.command(Command::SetPosition { fen: "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 9".into() });
    assert_eq!(desk.state().flags[0].ruled, Some(1));
    // The other flag is a separate matter.
    let before = desk.game.findings()[0].clone();
    desk.wait(1.0).press(0);
    desk.show_flag(ClockSide::Right).wait(1.0);
    assert_eq!((desk.found().flag, desk.game.findings().len()), (Some("black"), 2));
    assert_eq!(
        (desk.ruled(), &desk.game.findings()[0]),
        (None, &before),
        "the second finding is open, and the first is unchanged"
    );
    assert!(desk.game.awaits_ruling());
}

#[test]
fn a_rejected_finding_is_proposed_again_when_its_facts_change() {
    let mut desk = Desk::started("40/300:300");
    desk.play("e2e4").play("e7e5");
    desk.fall(ClockSide::Left).wait(0.5);
    let proposed = desk.key();
    signed(&mut desk, Command::Reject { finding: proposed }, None);
    assert!(!desk.game.awaits_ruling() && desk.state().alarms.iter().all(|alarm| alarm.kind != AlarmKind::Flag));
    let control =
        Command::SetClockRecord { time_control: Some("30/300:300".to_owned()), additional_time: None, flag_taken_back: None };
    signed(&mut desk, control, None);
    assert_eq!((desk.key().id, desk.key().revision > proposed.revision), (proposed.id, true));
    assert!(desk.game.awaits_ruling() && desk.state().alarms.iter().any(|alarm| alarm.kind == AlarmKind::Flag));
    assert_eq!((desk.ruled(), desk.state().flags[0].ruled), (None, None));
    let proposed = desk.key();
    signed(&mut desk, Command::Reject { finding: proposed }, None);
    assert_eq!(desk.ruled().and_then(|decision| decision.supersedes), Some(1));
}

#[test]
fn an_answer_that_comes_later_is_no_fact() {
    let mut desk = Desk::started("300");
    desk.fall(ClockSide::Left).wait(0.5);
    let finding = desk.key();
    signed(&mut desk, Command::Reject { finding }, None);
    desk.out.clear();
    desk.black_can_mate();
    assert!(!desk.out.iter().any(|effect| matches!(effect, Effect::Finding(_))), "{:?}", desk.out);
    assert!(!desk.game.awaits_ruling());
}

#[test]
fn decisions_supersede_and_are_all_kept() {
    let mut desk = flagged();
    let proposed = desk.key();
    signed(&mut desk, Command::Confirm { finding: proposed }, None);
    desk.wait(5.0);
    let stood = desk.key();
    signed(&mut desk, Command::DeclareResult { result: GameResult::Draw }, None);
    let (confirmed, declared) = (desk.state().decisions[0].clone(), desk.state().decisions[1].clone());
    assert_eq!((declared.kind, declared.supersedes, declared.finding), (DecisionKind::Declared, Some(1), Some(stood)));
    assert_eq!((desk.ruled(), desk.game.result()), (Some(declared.clone()), Some(GameResult::Draw)));
    desk.wait(5.0);
    let (again, now) = (desk.key(), desk.now);
    signed(&mut desk, Command::Confirm { finding: again }, None);
    let confirmed_again = desk.key();
    signed(&mut desk, Command::Reject { finding: confirmed_again }, None);
    let all = desk.state().decisions;
    let supersedes: Vec<_> = all.iter().map(|decision| decision.supersedes).collect();
    assert_eq!((supersedes, all[3].at), (vec![None, Some(1), Some(2), Some(3)], now));
    assert_eq!(all[..2], [confirmed, declared], "a decision is never overwritten");
    assert_eq!((desk.game.result(), desk.state().stage), (None, GamePhase::Playing), "the confirmed result is taken back");
    assert_eq!(desk.audited(), all);
}

/// Two arbiters decide within milliseconds, or one of them taps twice: the second command is about a finding that has changed.
#[test]
fn the_second_of_two_decisions_at_once_decides_nothing() {
    for (first_confirms, second_confirms) in [(true, false), (true, true), (false, true), (false, false)] {
        let ruling = |confirms, finding| if confirms { Command::Confirm { finding } } else { Command::Reject { finding } };
        let mut desk = flagged();
        let proposed = desk.key();
        signed(&mut desk, ruling(first_confirms, proposed), None);
        desk.wait(0.004);
        let (result, decided) = (desk.game.result(), desk.state().decisions);
        signed(&mut desk, ruling(second_confirms, proposed), None);
        assert_eq!((desk.refused(), desk.game.result(), desk.state().decisions), (1, result, decided), "{first_confirms}");
        // With the revision that names the decision, the other one may follow, but not the same one.
        let finding = desk.key();
        signed(&mut desk, ruling(second_confirms, finding), None);
        let (refused, kept) = (desk.refused(), desk.state().decisions.len());
        assert_eq!((refused, kept), if first_confirms == second_confirms { (2, 1) } else { (1, 2) }, "{first_confirms}");
    }
}

/// A declared result or an agreement is a decision about the finding that stands beside it too.
#[test]
fn no_ruling_follows_a_result_that_its_sender_has_not_seen() {
    let agreed = [Command::Offer { side: Color::White }, Command::Accept { side: Color::Black }];
    for commands in [&agreed[..], &[Command::DeclareResult { result: GameResult::Draw }]] {
        let mut desk = Desk::started("300");
        desk.play("e2e4").play("e7e5").fall(ClockSide::Left).wait(0.5).settle();
        let proposed = desk.key();
        commands.iter().for_each(|command| signed(&mut desk, command.clone(), None));
        assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::Draw)), "{commands:?}");
        assert_eq!(desk.found().status, FindingStatus::Superseded, "{commands:?}");
        signed(&mut desk, Command::Confirm { finding: proposed }, None);
        assert_eq!((desk.refused(), desk.game.result()), (1, Some(GameResult::Draw)), "{commands:?}");
    }
}

#[test]
fn the_status_of_a_finding_follows_the_decisions() {
    use FindingStatus::{Confirmed, Proposed, Rejected, Superseded};
    let mut desk = Desk::started("40/300:300");
    desk.play("e2e4").play("e7e5").fall(ClockSide::Left).wait(0.5).settle();
    assert_eq!(desk.found().status, Proposed);
    let declare = |result| Command::DeclareResult { result };
    for expected in [Rejected, Confirmed, Rejected, Confirmed, Superseded, Proposed] {
        desk.wait(1.0);
        let finding = desk.key();
        let command = match expected {
            Rejected => Command::Reject { finding },
            Confirmed => Command::Confirm { finding },
            Superseded => declare(GameResult::Draw),
            Proposed => declare(GameResult::Open),
        };
        signed(&mut desk, command, None);
        let found = desk.found();
        assert_eq!((desk.refused(), found.status), (0, expected));
        assert!(found.revision > finding.revision, "{found:?}");
        assert_eq!(desk.game.awaits_ruling(), expected == Proposed);
    }
    // A flag that a decision let pass is proposed again when its facts change.
    let finding = desk.key();
    signed(&mut desk, Command::Reject { finding }, None);
    assert_eq!(desk.found().status, Rejected);
    let control =
        Command::SetClockRecord { time_control: Some("30/300:300".to_owned()), additional_time: None, flag_taken_back: None };
    signed(&mut desk, control, None);
    assert_eq!(desk.found().status, Proposed);
}

/// The finding on an agreement comes after the decision, and the agreement decides it.
#[test]
fn an_agreement_is_confirmed_by_its_own_decision() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    signed(&mut desk, Command::Offer { side: Color::White }, None);
    signed(&mut desk, Command::Accept { side: Color::Black }, None);
    assert_eq!((desk.found().kind, desk.found().status), (Kind::Agreement, FindingStatus::Confirmed));
}

#[test]
fn a_decision_says_who_decided_what() {
    let words = |desk: &Desk| desk.game.decisions().last().expect("a decision").words();
    let mut desk = flagged();
    let finding = desk.key();
    signed(&mut desk, Command::Confirm { finding }, None);
    assert_eq!(words(&desk), format!("anna confirmed finding {}: 0-1", finding.id));
    let rejected = desk.key();
    signed(&mut desk, Command::Reject { finding: rejected }, None);
    assert_eq!(words(&desk), format!("anna rejected finding {}: the game goes on", finding.id));
    desk.command(Command::DeclareResult { result: GameResult::Draw });
    assert_eq!(words(&desk), "somebody declared the result 1/2-1/2");
    signed(&mut desk, Command::DeclareResult { result: GameResult::Open }, None);
    assert_eq!(words(&desk), "anna declared that the game goes on");
}

#[test]
fn a_declared_result_survives_the_rejection_of_a_finding() {
    let mut desk = flagged();
    signed(&mut desk, Command::DeclareResult { result: GameResult::Draw }, None);
    let finding = desk.key();
    signed(&mut desk, Command::Reject { finding }, None);
    assert_eq!((desk.game.result(), desk.ruled().map(|decision| decision.number)), (Some(GameResult::Draw), Some(1)));
}

#[test]
fn a_game_that_goes_on_by_its_moves_is_only_recorded() {
    let mut desk = Desk::started("2/300:300");
    desk.play("e2e4").play("e7e5").play("g1f3").play("b8c6");
    desk.fall(ClockSide::Left).wait(0.5);
    let finding = desk.key();
    signed(&mut desk, Command::Confirm { finding }, None);
    assert_eq!((desk.game.result(), desk.state().stage, desk.state().flags[0].ruled), (None, GamePhase::Playing, Some(1)));
    assert_eq!(desk.ruled().map(|decision| (decision.kind, decision.result)), Some((DecisionKind::Confirmed, GameResult::Open)));
    assert!(!desk.game.awaits_ruling());
}

#[test]
fn another_game_in_the_middle_of_one_is_a_decision_about_it() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    signed(&mut desk, Command::StartGame { fen: None }, None);
    let Some((1, Ruling::Decision { decision })) = desk.game.ruling() else { panic!("{:?}", desk.game.ruling()) };
    assert_eq!((decision.kind, decision.by.as_deref(), desk.game.number()), (DecisionKind::Restart, Some("anna"), 2));
    assert!(desk.state().decisions.is_empty(), "the decisions belong to the other game");
    let mut fresh = Desk::started("300");
    signed(&mut fresh, Command::StartGame { fen: None }, None);
    assert_eq!(fresh.audited().len(), 0, "no game was broken off");
}

#[test]
fn decisions_are_bounded_and_the_one_that_stands_stays() {
    let mut desk = flagged();
    let finding = desk.key();
    signed(&mut desk, Command::Confirm { finding }, None);
    let stands = desk.ruled().expect("a decision");
    for _ in 0..200 {
        let seconds = flagfall_game::pair::Pair { white: 0, black: 120 };
        signed(&mut desk, Command::Penalty { side: Color::White, seconds: Some(seconds), alarm: None, counts: None }, None);
    }
    let all = desk.state().decisions;
    assert_eq!((all.len(), all[0].clone(), all[63].number), (64, stands.clone(), 201));
    assert_eq!(desk.ruled(), Some(stands));
}

/// A decision without a result is not for the live audience.
#[test]
fn the_live_audience_sees_results_only() {
    let mut desk = flagged();
    let live = |desk: &mut Desk| {
        desk.out.drain(..).filter(|effect| matches!(effect, Effect::State(Audience::Live | Audience::Public))).count()
    };
    live(&mut desk);
    let finding = desk.key();
    signed(&mut desk, Command::Reject { finding }, None);
    signed(&mut desk, Command::Offer { side: Color::White }, None);
    assert_eq!(live(&mut desk), 0);
    let finding = desk.key();
    signed(&mut desk, Command::Confirm { finding }, None);
    assert_eq!(live(&mut desk), 2, "one for each audience");
}
