//! After a rejection: new findings, findings that come back when their facts change, findings that stay away, and the record.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::decision::{Decision, DecisionKind};
use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::{Kind, Outcome};
use flagfall_game::pair::Pair;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::desk::Desk;
use crate::desk::event::{AUTOMATIC, BLACK_BARE, Event, OPEN, PLAIN};

const TWO_PERIODS: Event<'static> = Event { control: "40/300:300", ..PLAIN };

fn decisions(desk: &Desk) -> Vec<Decision> {
    desk.game.decisions().cloned().collect()
}

fn findings_sent(desk: &Desk) -> usize {
    desk.out.iter().filter(|effect| matches!(effect, Effect::Finding(_))).count()
}

fn flag_alarm(desk: &Desk) -> bool {
    desk.state().alarms.iter().any(|alarm| alarm.kind == AlarmKind::Flag)
}

/// White's flag fell after two moves, and the arbiter rejects the finding.
fn rejected(event: &Event<'_>) -> Desk {
    let mut desk = event.desk(OPEN);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    let finding = desk.key();
    desk.wait(2.0).sign("anna", Command::Reject { finding }).wait(1.0);
    assert_eq!((desk.refused(), desk.state().flags[0].ruled), (0, Some(1)));
    desk
}

#[test]
fn later_events_are_no_facts_of_the_flag() {
    let mut desk = rejected(&TWO_PERIODS);
    let (proposed, sent, fallen) = (desk.key(), findings_sent(&desk), desk.state().flags[0].clone());
    // The sign goes out, the time is set, men are moved, a man falls over, the clock is started and stopped.
    desk.clock.left.time = ClockTime(90_000);
    desk.clock.left.flag_shown = false;
    desk.report().play("e1e2").play("e8e7").wait(5.0);
    desk.clock.running = false;
    desk.report().wait(700.0);
    desk.clock.running = true;
    desk.report().play("e2e3").settle().wait(2.0);
    desk.sign("anna", Command::Offer { side: Color::White }).wait(1.0);
    assert_eq!((desk.key(), findings_sent(&desk)), (proposed, sent), "it is not proposed again");
    assert!(!desk.game.awaits_ruling() && !flag_alarm(&desk));
    assert_eq!((desk.state().flags, desk.game.result()), (vec![fallen], None), "the flag is latched and has a ruling");
    assert_eq!((decisions(&desk).len(), desk.state().moves.len()), (1, 5));
}

#[test]
fn each_changed_fact_of_the_flag_brings_the_finding_back() {
    let control = |text: &str| Command::SetClockRecord {
        time_control: Some(text.to_owned()),
        additional_time: None,
        flag_taken_back: None,
    };
    let count = |white| Command::SetMoveCount { completed: Pair { white, black: white } };
    for (fact, changed, outcome) in [
        (control("30/300:300"), true, Outcome::BlackWins),
        (control("300"), true, Outcome::BlackWins),
        (count(30), true, Outcome::BlackWins),
        (count(40), true, Outcome::GameGoesOn),
        // The facts are the same as before.
        (control("40/300:300"), false, Outcome::BlackWins),
        (count(1), false, Outcome::BlackWins),
    ] {
        let mut desk = rejected(&TWO_PERIODS);
        let before = desk.key();
        desk.sign("bob", fact.clone()).settle().wait(1.0);
        let now = desk.key();
        assert_eq!((now.id, now.revision > before.revision), (before.id, changed), "{fact:?}");
        assert_eq!(desk.found().outcome, outcome, "{fact:?}");
        assert_eq!(desk.state().flags[0].ruled.is_none(), changed, "{fact:?}");
        assert_eq!(flag_alarm(&desk), changed, "{fact:?}");
        assert_eq!(desk.game.awaits_ruling(), changed, "{fact:?}");
        assert_eq!((decisions(&desk).len(), desk.state().flags.len()), (1, 1), "{fact:?}");
        if changed {
            let finding = before;
            desk.sign("bob", Command::Confirm { finding });
            assert_eq!((desk.refused(), desk.game.result()), (1, None), "{fact:?}: the finding has changed");
        }
    }
}

/// The other flag, a resignation, an illegal move: the finding that was hidden by the rejected flag is made now.
#[test]
fn the_finding_behind_the_rejected_flag_appears() {
    let mut resigned = PLAIN.desk(BLACK_BARE);
    resigned.play("e2e4").play("e8e7").flag(ClockSide::Left).call(Color::White).wait(1.0);
    resigned.sign("anna", Command::Resign { side: Color::White }).wait(1.0);
    assert_eq!((resigned.found().kind, resigned.game.findings().len()), (Kind::FlagFall, 1));
    let finding = resigned.key();
    resigned.sign("anna", Command::Reject { finding }).wait(1.0);
    assert_eq!((resigned.found().kind, resigned.row()), (Kind::Resignation, ("4", Outcome::Draw)));

    let mut other = PLAIN.desk(OPEN);
    other.play("e2e4").flag(ClockSide::Right).call(Color::Black).wait(1.0);
    other.play("e7e5").flag(ClockSide::Left).call(Color::White).wait(1.0);
    let first = other.found();
    assert_eq!((first.flag, first.outcome, other.game.findings().len()), (Some("black"), Outcome::WhiteWins, 1));
    let finding = other.key();
    other.sign("anna", Command::Reject { finding }).settle().wait(1.0);
    assert_eq!((other.found().flag, other.row()), (Some("white"), ("14", Outcome::BlackWins)));
    assert!(other.game.awaits_ruling());

    let mut illegal = PLAIN.desk(OPEN);
    illegal.wait(2.0).press(0).wait(3.0).press(0).wait(1.0).flag(ClockSide::Left).call(Color::White).wait(1.0);
    assert_eq!((illegal.found().kind, illegal.row()), (Kind::FlagFall, ("7b", Outcome::Undecided)));
    let finding = illegal.key();
    illegal.sign("anna", Command::Reject { finding }).settle().wait(1.0);
    let behind = illegal.game.findings().last().expect("a finding").clone();
    assert_eq!((behind.kind, behind.row, behind.flag), (Kind::IllegalMove, "7b", None));
}

/// A confirmed flag is rejected: the game goes on, and later entries count.
#[test]
fn a_result_from_a_rejected_flag_is_taken_back() {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    let finding = desk.key();
    desk.sign("anna", Command::Confirm { finding }).wait(1.0);
    assert_eq!((desk.game.result(), desk.state().stage), (Some(GameResult::BlackWins), GamePhase::Over));
    let finding = desk.key();
    desk.sign("bob", Command::Reject { finding }).wait(1.0);
    assert_eq!((desk.game.result(), desk.state().stage, desk.state().flags.len()), (None, GamePhase::Playing, 1));
    assert!(!desk.game.awaits_ruling());
    desk.sign("bob", Command::Offer { side: Color::White }).sign("bob", Command::Accept { side: Color::Black });
    assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::Draw)));
}

/// Confirmed by Anna, rejected by Bob, declared by Carla: each decision stays as it was made.
#[test]
fn the_record_keeps_every_decision_with_author_time_and_reason() {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    let seen = Instant(desk.now.0 - 100_000);
    let mut expected = Vec::new();
    let mut kept: Vec<Decision> = Vec::new();
    for (number, name) in [(1, "anna"), (2, "bob"), (3, "carla"), (4, "dora"), (5, "emil")] {
        desk.wait(3.0);
        let finding = desk.key();
        let (command, kind, result, superseded) = match number {
            1 => (Command::Reject { finding }, DecisionKind::Rejected, GameResult::Open, None),
            2 => (Command::Confirm { finding }, DecisionKind::Confirmed, GameResult::BlackWins, Some(1)),
            3 => (Command::Reject { finding }, DecisionKind::Rejected, GameResult::Open, Some(2)),
            4 => (Command::DeclareResult { result: GameResult::Draw }, DecisionKind::Declared, GameResult::Draw, None),
            _ => (Command::DeclareResult { result: GameResult::Open }, DecisionKind::Declared, GameResult::Open, Some(4)),
        };
        let at = desk.now;
        desk.sign_at(name, (number < 3).then_some(seen), command);
        assert_eq!(desk.refused(), 0, "{name}");
        let (command, reason) = (format!("{name}-{}", at.0), format!("{name} says so"));
        let about = (Some(finding), (number < 3).then_some(seen), at);
        expected.push((number, kind, result, superseded, name.to_owned(), command, reason, about));
        let now = decisions(&desk);
        assert_eq!(now[..now.len() - 1], kept, "{name}: the earlier decisions are unchanged");
        kept = now;
    }
    let said: Vec<_> = kept
        .iter()
        .map(|it| {
            let [name, command, reason] = [&it.by, &it.command, &it.reason].map(|text| text.clone().unwrap_or_default());
            (it.number, it.kind, it.result, it.supersedes, name, command, reason, (it.finding, it.observed_at, it.at))
        })
        .collect();
    assert_eq!(said, expected);
    assert_eq!((desk.audited(), desk.state().decisions), (kept.clone(), kept), "the decisions are in the audit and in the state");
}

/// An automatic ruling is kept, together with the ruling that supersedes it.
#[test]
fn an_automatic_decision_stays_on_record() {
    let mut desk = AUTOMATIC.desk(BLACK_BARE);
    desk.flag(ClockSide::Left);
    let first = decisions(&desk);
    desk.wait(3.0);
    let finding = desk.key();
    desk.sign("bob", Command::Reject { finding });
    let both = decisions(&desk);
    assert_eq!((both.len(), &both[..1], both[1].supersedes), (2, &first[..], Some(1)));
    assert_eq!([&both[0].by, &both[1].by].map(|by| by.as_deref()), [Some("automatic"), Some("bob")]);
    assert_eq!(desk.audited(), both);
}

/// A rejected agreement or accepted claim no longer gives the game a result. A resignation beside it stays entered.
#[test]
fn a_rejected_entry_is_open_again() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.sign("anna", Command::Resign { side: Color::Black });
    desk.sign("anna", Command::Offer { side: Color::White });
    desk.sign("anna", Command::Accept { side: Color::Black });
    assert_eq!(desk.game.result(), Some(GameResult::Draw));
    let agreed = desk.game.decisions().last().expect("a decision").number;
    // The resignation came first, so it is the first finding. When it is rejected, the agreement is the finding.
    let resigned = desk.key();
    desk.sign("anna", Command::Reject { finding: resigned });
    assert_eq!(desk.game.result(), Some(GameResult::Draw), "only the resignation was rejected");
    let drawn = desk.key();
    desk.sign("anna", Command::Reject { finding: drawn });
    let last = desk.game.decisions().last().expect("a decision").clone();
    assert_eq!((desk.refused(), desk.game.result(), last.supersedes), (0, None, Some(agreed)));
}

/// The other side's flag is taken back: the ruling on this flag stays.
#[test]
fn a_rejected_flag_stays_rejected_when_the_other_is_taken_back() {
    let mut desk = Desk::started("300");
    desk.fall(ClockSide::Left).wait(0.5).black_can_mate();
    assert_eq!(desk.found().outcome, Outcome::BlackWins);
    let rejected = desk.key();
    desk.sign("anna", Command::Reject { finding: rejected });
    assert!(!desk.game.awaits_ruling());
    desk.command(Command::Claim { flag: Color::Black, period: None, observed_at: None });
    assert!(desk.game.awaits_ruling());
    let taken_back = Command::SetClockRecord { time_control: None, additional_time: None, flag_taken_back: Some(Color::Black) };
    desk.command(taken_back);
    assert_eq!((desk.refused(), desk.game.awaits_ruling()), (0, false));
    assert_eq!(desk.found().id, rejected.id);
}
