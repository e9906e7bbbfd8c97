//! Positions that no game can reach, in games without supervision (A.5.4).

use alloc::vec;
use flagfall_protocols::square::Color;

use crate::input::Command;
use crate::laws::finding::FindingKey;
use crate::laws::outcome::Outcome;

use super::king::hands;
use super::table::Table;

/// White's pawn goes to the last rank and stays a pawn. Then Black moves.
fn pawn_on_its_last_rank(rulebook: &str) -> Table {
    let mut table = Table::new(rulebook, "300", "6k1/3P3p/8/8/8/8/P7/4K3 w - - 0 1");
    table.wait(2);
    hands(&mut table, "d7 Pd8");
    table.wait(1).press().wait(3);
    hands(&mut table, "h7 ph6");
    table.wait(1);
    table
}

fn drawn_if_observed(table: &Table) -> bool {
    table.findings().contains(&("7b", Outcome::Undecided, vec!["observation_of_illegal_position"]))
}

#[test]
fn a_pawn_still_stands_on_its_last_rank_after_the_next_move() {
    for (rulebook, expected) in [("fide-2023-rapid", true), ("fide-2023-blitz", true), ("fide-2023-standard", false)] {
        let mut table = pawn_on_its_last_rank(rulebook);
        assert!(!drawn_if_observed(&table), "{rulebook}: the next move is not completed");
        table.press().wait(3);
        assert_eq!(drawn_if_observed(&table), expected, "{rulebook}");
    }
}

#[test]
fn it_was_replaced_before_the_next_move_was_completed() {
    let mut table = pawn_on_its_last_rank("fide-2023-rapid");
    hands(&mut table, "d8 Qd8");
    table.wait(1).press().wait(3);
    assert!(!drawn_if_observed(&table));
}

#[test]
fn both_kings_in_check() {
    let reply = |reply: &str| {
        // White is in check and gives check himself.
        let mut table = Table::new("fide-2023-blitz", "300", "4r1k1/7p/8/8/8/8/R7/4K3 w - - 0 1");
        table.wait(2);
        hands(&mut table, "a2 Rg2");
        table.wait(1).press().wait(3);
        hands(&mut table, reply);
        table.wait(1).press().wait(3);
        drawn_if_observed(&table)
    };
    assert!(reply("h7 ph6"), "Black did not see it either");
    assert!(!reply("g8 kh8"), "Black's king left the check");
}

#[test]
fn a_pawn_that_was_left_there_just_now_still_has_its_move() {
    let mut table = Table::new("fide-2023-rapid", "300", "6k1/8/8/8/8/8/P6p/4K3 w - - 0 1");
    table.wait(2).press().wait(3);
    hands(&mut table, "h2 ph1");
    table.wait(1).press().wait(3);
    assert!(!drawn_if_observed(&table), "Black has left it there, and White has the next move");
    hands(&mut table, "a2 Pa3");
    table.wait(1).press().wait(3);
    assert!(drawn_if_observed(&table));
}

#[test]
fn an_unobserved_position_does_not_hide_a_resignation() {
    let mut table = pawn_on_its_last_rank("fide-2023-rapid");
    table.press().wait(3);
    let finding = &table.game.findings()[0];
    let finding = FindingKey { id: finding.id, revision: finding.revision };
    table.command(Command::Reject { finding }).wait(1);
    assert!(!drawn_if_observed(&table));
    table.command(Command::Resign { side: Color::White }).wait(1);
    let (row, outcome) = table.row();
    assert_eq!(row, "4", "{outcome:?}");
}
