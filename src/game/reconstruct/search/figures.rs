//! Prints the work of searches and the share of unique orders, by length.
//!
//! The command is `cargo test --release -p flagfall-game --lib search::figures -- --ignored --nocapture`.

extern crate std;

use alloc::vec::Vec;

use shakmaty::{Chess, Position};

use super::chance::Chance;
use super::tests::end;
use super::{Found, Limits, paths};
use crate::men::{self, EMPTY, UNKNOWN};

/// Prints the work of these searches.
#[expect(clippy::print_stdout, reason = "figures are for the reader")]
fn print_work(what: &str, found: &[Found], from: &[Chess]) {
    let mut nodes: Vec<u32> = found.iter().map(|found| found.nodes).collect();
    nodes.sort_unstable();
    let of = |percent: usize| nodes[(nodes.len() - 1) * percent / 100];
    let unique = found.iter().filter(|found| found.only().is_some()).count();
    let ends = found.iter().zip(from).filter(|(found, from)| found.same_end(from).is_some()).count();
    let incomplete = found.iter().filter(|found| !found.complete).count();
    std::println!(
        "{what}: nodes p50 {} p90 {} p99 {} most {}, all {}; unique order {unique}, unique end {ends}, incomplete {incomplete} of {}",
        of(50),
        of(90),
        of(99),
        of(100),
        nodes.iter().map(|&nodes| u64::from(nodes)).sum::<u64>(),
        found.len(),
    );
}

#[test]
#[ignore = "prints figures"]
#[expect(clippy::print_stdout, reason = "figures are for the reader")]
fn work_by_length() {
    for length in 1..=6 {
        let mut chance = Chance::new(7);
        let mut froms = Vec::new();
        let (mut seen, mut blind, mut unreachable) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..400 {
            let from = chance.position(100);
            let played = chance.play(&from, length);
            let last = end(&from, &played);
            let limits = Limits { turn_after: Some(men::turn(&last)), ..Limits::default() };
            let mut board = men::of_board(last.board());
            seen.push(paths(&from, &board, limits));
            let mut wrong = board;
            wrong.swap(chance.below(64), chance.below(64));
            unreachable.push(paths(&from, &wrong, Limits::default()));
            board.iter_mut().filter(|man| **man != EMPTY).for_each(|man| *man = UNKNOWN);
            blind.push(paths(&from, &board, limits));
            froms.push(from);
        }
        std::println!("{length} plies");
        print_work("  identified", &seen, &froms);
        print_work("  only occupied or empty", &blind, &froms);
        print_work("  with two squares exchanged, any length", &unreachable, &froms);
    }
}
