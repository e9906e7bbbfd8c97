//! The club's promotion: it is announced by voice, and the pawn is exchanged later (points 26 to 28).

use super::king::hands;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::table::Table;

const NEAR_THE_END: &str = "6k1/3P3p/8/8/8/8/P7/4K3 w - - 0 1";

/// White's pawn goes to its last rank and stays there. Black replies.
fn promoted(rulebook: &str) -> Table {
    let mut table = Table::new(rulebook, "300", NEAR_THE_END);
    table.wait(2);
    hands(&mut table, "d7 Pd8");
    table.wait(1).press().wait(3);
    hands(&mut table, "g8 kg7");
    table.wait(1).press().wait(3);
    table
}

fn played(table: &Table) -> Vec<String> {
    let record = &table.game.seen.play.decoder.record;
    record.moves().iter().map(|known| known.uci(record.mode()).to_string()).collect()
}

#[test]
fn a_pawn_on_its_last_rank_is_a_queen() {
    let table = promoted("club-speed");
    assert_eq!(played(&table), ["d7d8q", "g8g7"]);
    assert_eq!((table.game.alarms().len(), table.findings().len()), (0, 0));
    assert_eq!(played(&promoted("fide-2023-standard")), [""; 0], "by these rules it is illegal (7.5.2)");
}

#[test]
fn it_is_exchanged_on_the_opponents_time_or_as_it_leaves() {
    for exchange in ["d8 Qd8 a2 Pa3", "d8 Qd4"] {
        let mut table = promoted("club-speed");
        hands(&mut table, exchange);
        table.wait(1).press().wait(3);
        assert_eq!(played(&table).len(), 3, "{exchange}: {:?}", played(&table));
        assert_eq!(table.game.alarms().len(), 0, "{exchange}");
    }
    let mut table = promoted("club-speed");
    hands(&mut table, "d8 Pd4");
    table.wait(1).press().wait(3);
    assert_eq!(played(&table).len(), 2, "a pawn that leaves its last rank is no longer a queen");
    assert_eq!(table.game.alarms().len(), 1);
}

#[test]
fn it_may_be_captured_before_it_is_exchanged() {
    let mut table = Table::new("club-speed", "300", "3r2k1/4P2p/8/8/8/8/P7/4K3 w - - 0 1");
    table.wait(2);
    hands(&mut table, "d8 e7 Pd8");
    table.wait(1).press().wait(3);
    assert_eq!(played(&table), ["e7d8q"]);
    hands(&mut table, "h7 ph6");
    table.wait(1).press().wait(3);
    assert_eq!(played(&table), ["e7d8q"], "the king is in check from a queen that stands as a pawn");
    let mut table = Table::new("club-speed", "300", "2r3k1/3P3p/8/8/8/8/P7/4K3 w - - 0 1");
    table.wait(2);
    hands(&mut table, "d7 Pd8");
    table.wait(1).press().wait(3);
    hands(&mut table, "d8 c8 rd8");
    table.wait(1).press().wait(3);
    assert_eq!(played(&table), ["d7d8q", "c8d8"]);
}
