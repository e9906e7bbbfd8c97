//! Mates by a lone minor man, for which the loser must block its own king.

use shakmaty::{Color, Position};

use super::super::meter::Meter;
use super::super::picture::pictured;
use super::position;

#[test]
fn a_minor_man_finds_its_mate_in_a_corner_within_few_positions() {
    for (fen, side) in [
        ("1k3b2/8/8/8/8/8/8/1K3N2 w - - 0 1", Color::Black),
        ("8/8/8/3k4/6P1/1b6/3K4/8 w - - 0 1", Color::Black),
        ("8/1K6/7k/3P4/8/6P1/4b3/8 b - - 0 1", Color::Black),
        ("4k3/6K1/5B2/7n/8/8/B7/8 w - - 0 1", Color::White),
        ("8/4k3/K7/8/N4r2/8/8/8 w - - 0 1", Color::White),
    ] {
        let root = position(fen);
        let mut meter = Meter::new(60_000);
        let line = pictured(&root, side, 3_000, &mut meter).expect(fen);
        let mut at = root;
        for step in &line {
            assert!(at.is_legal(*step), "{fen}");
            at.play_unchecked(*step);
        }
        assert!(at.is_checkmate() && at.turn() != side, "{fen}");
    }
}

#[test]
fn no_picture_is_looked_for_where_none_can_arise() {
    for fen in ["4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/4q3/8/8/8/8/8/4KB2 w - - 0 1"] {
        let mut meter = Meter::new(60_000);
        assert_eq!(pictured(&position(fen), Color::White, 3_000, &mut meter), None, "{fen}");
        assert_eq!(meter.counters.nodes, 0, "{fen}");
    }
}
