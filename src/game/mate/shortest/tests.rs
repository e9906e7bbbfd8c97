//! The lengths of shortest lines, compared with a plain search of all positions, layer by layer.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Position, Role, Setup, Square};

use super::*;
use crate::mate::check::check;
use crate::mate::key::pack;
use crate::mate::tests::position;
use crate::mate::{Answer, counted};

/// Enough for all positions here.
const BUDGET: Budget = Budget { nodes: 8_000_000, memory: 16 << 20 };

/// The length of the shortest line to a mate by `side`, if it is at most `longest`.
fn plain(root: &Chess, side: Color, longest: usize) -> Option<usize> {
    let mut met = BTreeSet::from([pack(root)]);
    let mut layer = vec![root.clone()];
    for plies in 0..=longest {
        if layer.iter().any(|at| at.turn() != side && at.is_checkmate()) {
            return Some(plies);
        }
        let mut next = Vec::new();
        for at in &layer {
            for step in at.legal_moves() {
                let mut after = at.clone();
                after.play_unchecked(step);
                if met.insert(pack(&after)) {
                    next.push(after);
                }
            }
        }
        layer = next;
    }
    None
}

/// The first line, and the shorter one.
fn lines(at: &Chess, side: Color, budget: Budget) -> Option<(Vec<Move>, Shorter)> {
    let (Answer::Winnable { line, .. }, _) = counted(at, side, Budget::FULL) else { return None };
    let found = shortest(at, side, &line, budget, &|| true);
    let claim = Answer::Winnable { line: found.line.clone(), shortest: false };
    assert_eq!(check(at, side, &claim), Ok(()), "{:?}", at.board());
    assert!(found.line.len() <= line.len(), "{:?}", at.board());
    Some((line, found))
}

#[test]
fn a_line_is_as_long_as_the_plain_search_says() {
    for (fen, side) in [
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", Color::White),
        ("3k2r1/8/8/8/8/8/8/3K4 w - - 0 1", Color::Black),
        ("6k1/8/4N2K/8/6r1/8/8/8 w - - 0 1", Color::White),
        ("8/2k5/8/8/8/3P4/3K4/8 w - - 0 1", Color::White),
        // A capture in passing opens the way for the other pawn.
        ("8/8/8/8/1pP5/k7/8/K7 b - c3 0 1", Color::Black),
        // Castling brings the rook nearer.
        ("8/8/8/8/8/5k2/8/R3K2R w KQ - 0 1", Color::White),
        ("r3k3/8/4K3/8/8/8/8/8 b q - 0 1", Color::Black),
    ] {
        let at = position(fen);
        let (_, found) = lines(&at, side, BUDGET).expect(fen);
        assert!(found.shortest, "{fen}");
        assert_eq!(plain(&at, side, found.line.len()), Some(found.line.len()), "{fen}");
    }
}

#[test]
fn a_knight_mates_against_a_rook_in_ten_half_moves() {
    let at = position("8/8/4k3/8/8/3NK3/5r2/8 b - - 0 1");
    let (first, found) = lines(&at, Color::White, BUDGET).expect("a line");
    assert!(first.len() > 10 && found.line.len() == 10, "{} {}", first.len(), found.line.len());
    assert_eq!(check(&at, Color::White, &Answer::Winnable { line: found.line.clone(), shortest: true }), Ok(()));
}

/// Positions of two kings and one or two men, from a simple generator of numbers.
fn small(number: u64) -> Option<Chess> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    let mut next = |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    };
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let mut board = Board::empty();
    for color in Color::ALL {
        board.set_piece_at(Square::new(next(64) as u32), color.king());
    }
    for _ in 0..=next(2) {
        let piece = roles[next(5) as usize].of(Color::from_white(next(2) == 0));
        let square = Square::new(next(64) as u32);
        if board.piece_at(square).is_some() || piece.role == Role::Pawn && Bitboard::BACKRANKS.contains(square) {
            return None;
        }
        board.set_piece_at(square, piece);
    }
    let setup = Setup { board, turn: Color::from_white(next(2) == 0), ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).ok()
}

#[test]
fn small_positions_agree_with_the_plain_search() {
    let mut compared = 0;
    for at in (0..150).filter_map(small) {
        for side in Color::ALL {
            let Some((_, found)) = lines(&at, side, BUDGET) else { continue };
            assert!(found.shortest, "{:?}", at.board());
            let most = if at.board().occupied().count() == 3 { 9 } else { 5 };
            if found.line.len() <= most {
                compared += 1;
                assert_eq!(plain(&at, side, found.line.len()), Some(found.line.len()), "{:?} {side}", at.board());
            }
        }
    }
    assert!(compared > 15, "{compared}");
}

#[test]
fn a_small_budget_keeps_the_line_and_claims_nothing() {
    let at = position("8/8/4k3/8/8/3NK3/5r2/8 w - - 0 1");
    let (first, found) = lines(&at, Color::White, Budget { nodes: 4, ..BUDGET }).expect("a line");
    assert_eq!((found.line, found.shortest), (first, false));
}

#[test]
fn a_search_that_is_ended_claims_nothing() {
    let at = position("6k1/4B3/7K/8/8/1p6/1P6/8 w - - 0 1");
    let (Answer::Winnable { line, .. }, _) = counted(&at, Color::Black, Budget::FULL) else { panic!("no line") };
    let found = shortest(&at, Color::Black, &line, BUDGET, &|| false);
    assert!(!found.shortest);
}

#[test]
fn a_mate_in_few_half_moves_is_found_on_a_crowded_board() {
    let at = Chess::default();
    for (side, plies) in [(Color::White, 5), (Color::Black, 4)] {
        let (first, found) = lines(&at, side, Budget { nodes: 80_000_000, ..BUDGET }).expect("a line");
        assert!(first.len() > plies && (found.line.len(), found.shortest) == (plies, true), "{side}: {found:?}");
    }
}
