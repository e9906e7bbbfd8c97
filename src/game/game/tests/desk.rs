//! Entries at the arbiter's desk, and illegal moves.

use alloc::string::ToString;
use alloc::vec;

use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Color::{Black, White};
use flagfall_protocols::square::Placement;
use shakmaty::Position;

use crate::arbiter_entries::{Entered, Statement};
use crate::effect::Effect;
use crate::laws::claim::{Ground, Standing};
use crate::laws::outcome::{Kind, Outcome, Recommended};

use super::table::{BLACK_BARE, KINGS_AND_PAWNS, Table};

#[test]
fn a_resignation_is_a_finding_without_a_flag() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").enter(White, Entered::Resignation);
    assert_eq!(table.findings(), [("4", Outcome::Draw, vec![])], "Black cannot mate (5.1.2)");
    let finding = &table.game.findings()[0];
    assert_eq!((finding.kind, finding.flag, finding.expired_at, finding.path), (Kind::Resignation, None, None, None));
    assert_eq!(finding.evidence, [alloc::format!("entered@{}", table.now.0)]);
    assert!(finding.ended_at.is_some() && finding.profile == "fide-2023-standard");
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").enter(Black, Entered::Resignation);
    assert_eq!(table.findings(), [("4", Outcome::Undecided, vec!["winnable"])], "the solver is asked first");
    assert!(table.out.iter().any(|effect| matches!(effect, Effect::Ask(ask) if ask.side == "white")));
}

/// Scenario 102.
#[test]
fn an_agreement_before_the_flag_is_observed() {
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.play("e2e4 e8d8").enter(White, Entered::Offer);
    assert!(table.game.findings().is_empty(), "an offer gives no finding");
    table.flag(White).enter(Black, Entered::Agreement);
    assert_eq!(table.findings(), [("5", Outcome::Draw, vec![])]);
    assert!(table.game.findings()[0].contested && table.game.findings()[0].conditional);
    let mut early = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    early.play("e2e4").enter(Black, Entered::Agreement);
    assert_eq!(early.findings(), [("5", Outcome::Undecided, vec!["agreement_before_both_moved"])]);
}

#[test]
fn a_claim_accepted_or_refused() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").claim(White, Ground::FiftyMoves, Standing::Lodged);
    assert_eq!(table.findings(), [("6", Outcome::Undecided, vec!["claim_ruling"])], "nobody has looked at the record");
    table.claim(White, Ground::FiftyMoves, Standing::Accepted);
    assert_eq!(table.findings(), [("6", Outcome::Draw, vec![])]);
    assert_eq!(table.game.findings()[0].kind, Kind::Claim);
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").claim(White, Ground::Repetition, Standing::Refused).flag(White);
    assert_eq!(table.findings(), [("15", Outcome::Draw, vec![])], "it is the claimant's own flag");
}

#[test]
fn time_set_by_hand_after_a_refused_claim() {
    let refused = |added: bool| {
        let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
        table.play("e2e4 e8e7").claim(Black, Ground::Repetition, Standing::Refused);
        table.clock.running = false;
        table.report().wait(1);
        if added {
            table.clock.left.time.0 += 120_000;
        }
        table.report();
        table.clock.running = true;
        table.report().flag(White);
        table.findings()
    };
    assert_eq!(refused(true), [("15", Outcome::Draw, vec![])]);
    assert_eq!(refused(false), [("6a", Outcome::Undecided, vec!["penalty_time"])]);
}

#[test]
fn time_given_after_the_flag_or_too_little_time_is_no_penalty() {
    let refused = |seconds: u32, after_the_flag: bool| {
        let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
        table.play("e2e4 e8e7").claim(Black, Ground::Repetition, Standing::Refused);
        if after_the_flag {
            table.flag(White);
        }
        table.clock.running = false;
        table.report().wait(1);
        table.clock.left.time.0 += seconds * 1000;
        table.report();
        if !after_the_flag {
            table.clock.running = true;
            table.report().flag(White);
        }
        table.findings().remove(0)
    };
    assert_eq!(refused(120, false), ("15", Outcome::Draw, vec![]));
    assert_eq!(refused(120, true), ("6a", Outcome::Undecided, vec!["penalty_time"]));
    assert_eq!(refused(60, false), ("6a", Outcome::Undecided, vec!["penalty_time"]));
}

/// After a refused claim and an illegal move the time for both is due.
#[test]
fn times_that_are_due_add_up() {
    let due = |minutes: u32| {
        let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
        table.play("e2e4 e8e7").claim(Black, Ground::Repetition, Standing::Refused);
        table.enter(Black, Entered::IllegalMove { alarm: 0, counts: true });
        table.clock.running = false;
        table.report().wait(1);
        table.clock.left.time.0 += minutes * 60_000;
        table.report();
        table.clock.running = true;
        table.report().flag(White);
        let finding = table.game.findings().last().expect("a finding");
        (finding.row, finding.recommended.clone())
    };
    let play = Recommended::PlayIndicatedMove { side: "black" };
    let add = |seconds| Recommended::AddTime { side: "white", seconds };
    assert_eq!(due(0), ("6a", vec![add(240), play]));
    assert_eq!(due(2), ("7b", vec![add(120)]), "the first penalty was given");
    assert_eq!(due(3), ("7b", vec![add(120)]));
    assert_eq!(due(4), ("15", vec![]));
}

/// Scenario 100.
#[test]
fn the_second_illegal_move_and_then_the_flag() {
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.wait(2).press().wait(4).press().wait(1);
    assert_eq!(table.findings(), [("7b", Outcome::GameGoesOn, vec![])]);
    let finding = &table.game.findings()[0];
    let add = Recommended::AddTime { side: "black", seconds: 120 };
    assert_eq!((finding.kind, &*finding.recommended), (Kind::IllegalMove, &[add][..]), "after 7.5.3 there is nothing to restore");
    let first = table.game.alarms()[0].id;
    table.enter(White, Entered::IllegalMove { alarm: first, counts: true });
    assert!(table.game.findings().is_empty(), "the illegal move has a ruling");
    table.wait(2).press().wait(4);
    assert_eq!(table.row(), ("7a", Outcome::Undecided));
    let second = table.game.alarms().last().expect("an alarm").id;
    table.enter(White, Entered::IllegalMove { alarm: second, counts: true });
    assert_eq!(table.findings(), [("7a", Outcome::Undecided, vec!["winnable"])], "it is not known whether Black can mate");
    table.enter(White, Entered::IllegalMove { alarm: second, counts: false });
    assert!(table.game.findings().is_empty(), "the later entry holds");
}

#[test]
fn the_second_illegal_move_against_a_bare_king_draws() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    for _ in 0..2 {
        table.wait(2).press().wait(4).press().wait(2);
        let alarm = table.game.last_alarm();
        table.enter(White, Entered::IllegalMove { alarm, counts: true });
    }
    assert_eq!(table.findings(), [("7a", Outcome::Draw, vec![])]);
    table.flag(Black);
    assert_eq!(table.row(), ("7a", Outcome::Draw), "it was completed before the fall");
}

#[test]
fn an_arbiters_own_observation_counts_as_well() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    for _ in 0..2 {
        table.enter(White, Entered::IllegalMove { alarm: 0, counts: true });
    }
    assert_eq!(table.findings(), [("7a", Outcome::Draw, vec![])], "two hands were used twice (7.5.4)");
    let last = table.game.entries.all().last().expect("an entry").clone();
    table.game.entries.enter(Statement { what: Entered::IllegalMove { alarm: 0, counts: false }, ..last }).expect("room");
    table.wait(1);
    assert!(table.game.findings().is_empty(), "the entry is taken back");
}

#[test]
fn a_pawn_that_is_not_replaced_becomes_a_queen() {
    // With a queen Black is in check, and no mate against White is possible; a pawn could still be blocked.
    let mut table = Table::new("fide-2023-standard", "300", "8/P7/8/8/8/8/k7/7K w - - 0 1");
    table.wait(1).device(DeviceEvent::Frame(Placement::parse("P7/8/8/8/8/8/k7/7K").expect("a placement")));
    table.wait(1).press().wait(4);
    let facts = table.game.case().facts(&[]);
    assert_eq!(facts.illegal.len(), 1);
    let fen = |index: usize| facts.illegal[0].positions[index].position.board().board_fen().to_string();
    assert_eq!((facts.illegal[0].positions.len(), fen(0).as_str()), (1, "Q7/8/8/8/8/8/k7/7K"));
}
