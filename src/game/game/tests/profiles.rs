//! The same game under different profiles, and events that nobody saw.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Color::{Black, White};
use flagfall_protocols::square::Placement;
use shakmaty::Position;

use crate::arbiter_entries::Entered;
use crate::effect::Effect;
use crate::input::{Command, Input};
use crate::laws::answering::{answer, shorter};
use crate::laws::claim::Ground;
use crate::laws::claims::Checked;
use crate::laws::finding::{FindingKey, FindingStatus};
use crate::laws::outcome::Outcome;
use crate::laws::winnable::Answer;

use super::table::{BLACK_BARE, KINGS_AND_PAWNS, Table};

#[test]
fn flags_by_us_rules_wait_for_a_claim() {
    let mut table = Table::new("us-chess", "300", BLACK_BARE);
    table.play("e2e4 e8e7").flag(White);
    assert_eq!(table.findings(), [("3", Outcome::GameGoesOn, vec![])]);
    table.command(Command::Claim { flag: White, period: None, observed_at: None });
    assert_eq!(table.findings(), [("7", Outcome::Draw, vec![])]);
    assert_eq!((table.game.findings()[0].id, table.game.findings()[0].revision), (1, 2));
}

#[test]
fn flags_in_the_club_wait_for_both_clocks() {
    let mut table = Table::new("club-speed", "300", BLACK_BARE);
    table.play("e2e4 e8e7").flag(White).command(Command::Claim { flag: White, period: None, observed_at: None });
    assert_eq!(table.findings(), [("1", Outcome::GameGoesOn, vec![])], "the clock still runs");
    table.clock.running = false;
    table.report();
    assert_eq!(table.findings(), [("3", Outcome::BlackWins, vec![])]);
    assert_eq!(table.game.findings()[0].configurable, ["no-article-6.9"]);
}

#[test]
fn a_board_that_was_lost() {
    let mut before = Table::new("fide-2023-standard", "300", BLACK_BARE);
    before.play("e2e4 e8e7").device(DeviceEvent::Silent).wait(2).flag(White);
    assert_eq!(before.findings(), [("15", Outcome::Undecided, vec!["moves_missing"])]);
    let mut after = Table::new("fide-2023-standard", "300", BLACK_BARE);
    after.play("e2e4 e8e7").flag(White).wait(2).device(DeviceEvent::Silent).wait(2);
    assert_eq!(after.findings(), [("15", Outcome::Draw, vec![])], "facts from before the loss stay valid");
    after.command(Command::Claim { flag: White, period: None, observed_at: None });
    assert_eq!(after.findings(), [("15", Outcome::Undecided, vec!["moves_missing"])], "a mate may have been made after the loss");
}

#[test]
fn a_resignation_while_the_board_is_not_seen() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").device(DeviceEvent::Silent).wait(2).enter(White, Entered::Resignation);
    assert_eq!(table.findings(), [("4", Outcome::Undecided, vec!["position"])]);
}

#[test]
fn a_rook_from_a_pawn_may_be_a_queen_in_the_club() {
    let mut table = Table::new("club-speed+article-6.9", "300", "8/P7/8/8/8/k7/8/7K w - - 0 1");
    table.play("a7a8r a3b3 a8c8 b3b4").flag(Black);
    let finding = &table.game.findings()[0];
    assert!(finding.unknown.contains(&"rook_or_queen"), "{finding:?}");
    let facts = table.game.case().facts(&table.game.seen.clock.chessclock.flags().iter().cloned().collect::<Vec<_>>());
    let boards: Vec<_> = facts.flags[0].positions.iter().map(|it| it.position.board().board_fen().to_string()).collect();
    assert_eq!(boards, ["2R5/8/8/8/1k6/8/8/7K", "2Q5/8/8/8/1k6/8/8/7K"]);
    let mut fide = Table::new("fide-2023-standard", "300", "8/P7/8/8/8/k7/8/7K w - - 0 1");
    fide.play("a7a8r a3b3").flag(Black);
    assert!(!fide.game.findings()[0].unknown.contains(&"rook_or_queen"), "an inverted rook is a rook");
}

#[test]
fn automatic_draws_depend_on_the_profile() {
    let shuffle = "e1e2 e8e7 e2e1 e7e8";
    let four_times = [shuffle; 4].join(" ");
    let ending = |rulebook: &str| {
        let mut table = Table::new(rulebook, "300", "4k3/4p3/8/8/8/8/8/4K2R w - - 0 1");
        table.play("h1g1 e7e6").play(&four_times);
        table.game.seen.play.ending.map(|(ending, ..)| ending)
    };
    let fivefold = Some(crate::laws::outcome::Ending::FivefoldRepetition);
    assert_eq!((ending("fide-2023-standard"), ending("fide-print-old"), ending("us-chess")), (fivefold, None, None));
}

#[test]
fn the_next_move_completes_the_one_before_or_not() {
    for (rulebook, completed) in [("fide-2023-standard", Some(1)), ("fide-print-old", Some(0)), ("club-speed", Some(0))] {
        let mut table = Table::new(rulebook, "40/300:300", KINGS_AND_PAWNS);
        for placement in ["4k3/4p3/8/8/4P3/8/8/4K3", "4k3/8/4p3/8/4P3/8/8/4K3", "4k3/8/4p3/8/4P3/8/4K3/8"] {
            table.wait(2).device(DeviceEvent::Frame(Placement::parse(placement).expect("a placement")));
        }
        table.wait(2).flag(White);
        assert_eq!(table.game.findings()[0].completed, completed, "{rulebook}");
    }
}

#[test]
fn claims_are_checked_against_the_record() {
    let check = |table: &Table, side, ground, intended| table.game.check_claim(side, ground, intended).expect("a legal move");
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.play("e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1");
    assert_eq!(check(&table, Black, Ground::Repetition, None), Checked::Incorrect);
    assert_eq!(check(&table, White, Ground::Repetition, None), Checked::NotHisMove);
    assert_eq!(
        check(&table, Black, Ground::Repetition, Some("d8e8")),
        Checked::Correct,
        "the position is about to appear (9.2.1)"
    );
    assert_eq!(check(&table, Black, Ground::Repetition, Some("d8c8")), Checked::Incorrect);
    assert_eq!(check(&table, Black, Ground::FiftyMoves, None), Checked::Incorrect);
    table.play("d8e8");
    assert_eq!(check(&table, White, Ground::Repetition, None), Checked::Correct, "the position has appeared (9.2.2)");
    assert!(table.game.check_claim(White, Ground::Repetition, Some("e1e5")).is_err());
    assert!(table.game.check_claim(White, Ground::Repetition, Some("?")).is_err());
    assert!(table.game.check_claim(White, Ground::NormalMeans, None).is_err());
    let late = Table::new("fide-2023-standard", "300", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 100 90");
    assert_eq!(check(&late, White, Ground::FiftyMoves, None), Checked::Correct);
    let nearly = Table::new("fide-2023-standard", "300", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 99 90");
    assert_eq!(
        check(&nearly, White, Ground::FiftyMoves, Some("e1d1")),
        Checked::Correct,
        "the fifty moves are about to be completed (9.3.1)"
    );
    assert_eq!(check(&nearly, White, Ground::FiftyMoves, Some("e2e4")), Checked::Incorrect);
    let mut joined = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    joined.command(Command::SetPosition { fen: "4k3/4p3/8/8/8/8/4P3/3K4 w - - 7 20".to_string() });
    joined.play("d1e1");
    joined.game.seen.play.completed_before.white = None;
    assert_eq!(check(&joined, Black, Ground::Repetition, None), Checked::HistoryUnknown);
    joined.play("e7e5");
    assert_eq!(check(&joined, White, Ground::Repetition, None), Checked::Incorrect, "after a pawn move nothing before it counts");
}

#[test]
fn a_finding_that_no_longer_holds_is_removed_with_its_number() {
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.wait(2).press().wait(4).press().wait(1);
    assert_eq!(table.game.findings()[0].id, 1);
    let alarm = table.game.last_alarm();
    table.command(Command::AcknowledgeAlert { alarm });
    assert!(table.game.findings().is_empty() && table.game.ruling().is_none());
    assert!(table.out.iter().rev().any(|effect| matches!(effect, Effect::Ruling)));
    table.wait(2).press().wait(4);
    assert_eq!(table.game.findings()[0].id, 2);
}

#[test]
fn a_dead_position_with_enough_men() {
    // The last way through is closed, so no man can pass any more (5.2.2).
    let fen = "8/4k3/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3/8 w - - 0 1";
    let dead = |rulebook: &str| {
        let mut table = Table::new(rulebook, "300", fen);
        table.play("e2e3");
        let alarms: Vec<_> = table.game.alarms().iter().map(|alarm| alarm.kind).collect();
        (table.game.seen.play.ending.map(|(ending, ..)| ending), alarms.contains(&crate::alarm::AlarmKind::DeadPosition))
    };
    let ending = Some(crate::laws::outcome::Ending::DeadPosition);
    assert_eq!(dead("fide-2023-standard"), (ending, true));
    assert_eq!(dead("us-chess"), (ending, true), "14D4");
    assert_eq!(dead("material-only"), (None, false));
}

/// White mates by Ra8, and presses after some seconds if `punch_after` is set.
fn mate_in_the_club(punch_after: Option<u64>) -> Table {
    let mut table = Table::new("club-speed", "300", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    table.wait(1).device(DeviceEvent::Frame(Placement::parse("R5k1/5ppp/8/8/8/8/8/4K3").expect("a placement")));
    if let Some(seconds) = punch_after {
        table.wait(seconds).press();
    }
    table.wait(5).flag(White);
    table
}

#[test]
fn a_mate_without_a_punch_is_not_finished_in_the_club() {
    let mut table = mate_in_the_club(None);
    table.command(Command::Claim { flag: White, period: None, observed_at: None });
    table.clock.running = false;
    table.report();
    assert_eq!(table.row(), ("3", Outcome::BlackWins));
    let punched = mate_in_the_club(Some(3));
    assert!(punched.game.seen.play.decoder.record.moves().record(0).pressed.is_some(), "a press after the mate was settled");
    assert!(punched.game.findings().is_empty(), "{:?}", punched.findings());
}

#[test]
fn clocks_count_as_stopped_with_the_call_only() {
    let called = |table: &mut Table| {
        table.command(Command::Claim { flag: White, period: None, observed_at: None });
    };
    let stop = |table: &mut Table| {
        table.clock.running = false;
        table.report();
    };
    let mut late = Table::new("club-speed", "300", BLACK_BARE);
    late.play("e2e4 e8e7").flag(White);
    called(&mut late);
    late.wait(20);
    stop(&mut late);
    assert_eq!(late.row(), ("1", Outcome::GameGoesOn), "this is long after the call");
    called(&mut late);
    assert_eq!(late.row(), ("3", Outcome::BlackWins), "the flag is called again");
    late.clock.running = true;
    late.report();
    assert_eq!(late.row(), ("3", Outcome::BlackWins), "the clock was started again");
}

#[test]
fn us_chess_searches_for_a_forced_win() {
    for (fen, row) in [("k1K5/p7/8/3N4/8/8/8/8 w - - 0 1", Outcome::WhiteWins), ("7k/8/5N2/p7/8/8/8/K7 w - - 0 1", Outcome::Draw)]
    {
        let mut table = Table::new("us-chess", "300", fen);
        table.flag(Black);
        let asked = |effect: &Effect| if let Effect::Ask(ask) = effect { Some(answer(ask).answer) } else { None };
        let answers: Vec<Answer> = table.out.iter().filter_map(asked).collect();
        let told = |table: &Table| table.game.findings()[0].alternatives[0].outcome;
        assert_eq!((answers.len(), told(&table)), (1, Outcome::Undecided), "the worker has not answered");
        table.feed(Input::Answer(answers[0].clone()));
        let finding = &table.game.findings()[0];
        assert_eq!((finding.row, finding.outcome), ("3", Outcome::GameGoesOn), "nobody has claimed the flag");
        assert_eq!(finding.alternatives.iter().map(|it| (it.row, it.outcome)).collect::<Vec<_>>(), [("8", row)], "{fen}");
    }
}

#[test]
fn a_decision_may_name_the_finding_from_before_a_shorter_line() {
    let mut table = Table::new("fide-2023-standard", "300", "8/8/4k3/8/8/3NK3/5r2/8 b - - 0 1");
    table.flag(Black);
    let asked = |effect: &Effect| if let Effect::Ask(ask) = effect { Some(ask.clone()) } else { None };
    let ask = table.out.iter().find_map(asked).expect("asked");
    let first = answer(&ask).answer;
    let second = shorter(&ask, &first, &|| true).expect("a shorter line");
    let key = |table: &Table| table.game.findings().iter().map(|it| FindingKey { id: it.id, revision: it.revision }).next();
    let pending = key(&table).expect("a finding");
    table.feed(Input::Answer(first));
    let seen = key(&table).expect("a finding");
    table.feed(Input::Answer(second));
    assert_eq!(key(&table), Some(FindingKey { revision: seen.revision + 1, ..seen }));
    let status = |table: &Table| table.game.findings()[0].status;
    table.command(Command::Confirm { finding: pending });
    assert_eq!(status(&table), FindingStatus::Proposed, "the answer changed the finding");
    table.command(Command::Confirm { finding: seen });
    assert_eq!(status(&table), FindingStatus::Confirmed, "the shorter line did not");
}
