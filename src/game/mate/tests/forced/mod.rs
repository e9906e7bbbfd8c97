//! Tests of forced wins and of defences that never end: single positions, small classes, crowded corners, random positions.

extern crate std;

use alloc::vec::Vec;
use core::fmt::Arguments;

use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position, Role, Setup, Square};

use super::position;
use crate::mate::forced::search;
use crate::mate::{Forced, forced};
use truth::Truth;

mod closed;
mod crowd;
mod knights;
mod truth;

/// This is enough for small positions.
const NODES: u32 = 20_000;

fn asked(fen: &str) -> Forced {
    forced(&position(fen), Color::White, NODES)
}

/// The same position for the other colour.
fn mirrored(at: &Chess) -> Chess {
    let mut setup = at.to_setup(EnPassantMode::Legal);
    setup.mirror();
    Chess::from_setup(setup, CastlingMode::Standard).expect("as the other")
}

/// Compares some positions of a class with the search, more of them wins. Returns the disagreements, the open answers and the
/// total.
fn compared(role: Role, file: usize, top: usize, every: usize) -> (Vec<Chess>, usize, usize) {
    let truth = Truth::new(role, file, top);
    let (mut wrong, mut open, mut all) = (Vec::new(), 0, 0);
    let mut wins = 0;
    for pawn in (1..top).map(|rank| rank * 8 + file) {
        let mut others = 0;
        for at in Truth::all(pawn) {
            for white in [true, false] {
                let Some(won) = truth.wins(at, white) else { continue };
                let count = if won { &mut wins } else { &mut others };
                *count += 1;
                // Wins are rare, so more of them are compared.
                if *count % (if won { every } else { every * 2_000 }) != 0 {
                    continue;
                }
                let at = truth::chess(role, at, white).expect("legal");
                all += 1;
                match forced(&at, Color::White, NODES) {
                    Forced::Open => open += 1,
                    Forced::Win { .. } if won => {}
                    Forced::None if !won => {}
                    _ => wrong.push(at),
                }
            }
        }
    }
    assert!(wins > 0, "the class has wins");
    (wrong, open, all)
}

#[test]
fn a_sample_of_a_small_class_has_its_answers() {
    for (role, file, every) in [(Role::Knight, 0, 6), (Role::Bishop, 0, 4)] {
        let (wrong, open, all) = compared(role, file, 3, every);
        assert!(wrong.is_empty(), "{role:?}: {} of {all}, the first {:?}", wrong.len(), wrong[0]);
        assert!(all > 30 && open * 10 <= all, "{role:?}: {open} of {all} open");
    }
}

#[test]
fn the_mates_of_the_rook_pawn() {
    // The half-moves of the shortest mate in the whole class. The search may give more.
    for (fen, plies) in [
        ("k1K1N3/p7/8/8/8/8/8/8 w - - 0 1", 1),
        ("k1K3B1/p7/8/8/8/8/8/8 w - - 0 1", 1),
        ("8/8/8/8/pN6/8/2K5/k7 b - - 0 1", 4),
        ("8/8/8/2N5/8/p7/2K5/k7 b - - 0 1", 6),
        ("8/8/8/8/1N6/p7/8/k1K5 w - - 0 1", 15),
        ("6rk/8/7K/4N3/8/8/8/8 w - - 0 1", 1),
    ] {
        assert!(
            matches!(asked(fen), Forced::Win { plies: said } if said >= plies && said < plies + 4),
            "{fen}: {:?}",
            asked(fen)
        );
    }
    assert_eq!(asked("k1K5/p1N5/8/8/8/8/8/8 b - - 0 1"), Forced::Win { plies: 0 }, "the mate is on the board");
}

#[test]
fn positions_without_a_forced_win() {
    for fen in [
        "8/8/8/3k4/4N3/8/5p2/K7 b - - 0 1",
        "4k3/1p6/8/8/8/8/8/2B3K1 w - - 0 1",
        "8/7p/3K4/8/5B2/8/8/2k2n2 b - - 0 1",
        "8/8/8/3k4/4N3/8/5r2/K7 w - - 0 1",
        "8/8/8/3k4/8/4B3/5r2/K7 w - - 0 1",
        "6rk/8/7K/4N3/8/8/8/8 b - - 0 1",
    ] {
        assert_eq!(asked(fen), Forced::None, "{fen}");
    }
    assert_eq!(asked("7k/8/6KN/8/8/8/8/7r b - - 0 1"), Forced::None, "a helpmate exists, but Black takes the knight");
}

#[test]
fn too_few_nodes_leave_it_open() {
    let at = position("8/8/8/8/1N6/p7/8/k1K5 w - - 0 1");
    for nodes in [0, 1, 100] {
        assert_eq!(forced(&at, Color::White, nodes), Forced::Open);
    }
}

/// Prints counts for a person who runs a test with its output shown.
#[expect(clippy::print_stdout, reason = "the figures are the result")]
fn print_figures(figures: Arguments) {
    std::println!("{figures}");
}

/// The next number of a fixed sequence.
fn next(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as u32
}

fn random(state: &mut u64) -> Option<Chess> {
    let minor = if next(state).is_multiple_of(2) { Role::Knight } else { Role::Bishop };
    let mut men = Vec::from([Color::White.king(), Color::Black.king(), Piece { color: Color::White, role: minor }]);
    if minor == Role::Knight && next(state).is_multiple_of(6) {
        men.push(Color::White.knight());
    }
    for _ in 0..1 + next(state) % 4 {
        let role =
            [Role::Pawn, Role::Pawn, Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen][next(state) as usize % 7];
        men.push(Piece { color: Color::Black, role });
    }
    let mut board = Board::empty();
    for piece in &men {
        board.set_piece_at(Square::new(next(state) % 64), *piece);
    }
    let whole = board.occupied().count() == men.len() && (board.pawns() & Bitboard::BACKRANKS).is_empty();
    let setup = Setup { board, turn: Color::from_white(next(state).is_multiple_of(2)), ..Setup::empty() };
    Chess::from_setup(setup, CastlingMode::Standard).ok().filter(|_| whole)
}

#[test]
fn random_positions_keep_the_bound_and_have_one_answer() {
    let mut state = 14;
    let mut answered = 0;
    for at in core::iter::repeat_with(|| random(&mut state)).flatten().take(150) {
        let (answer, cost) = search(&at, Color::White, 3_000);
        assert!(cost <= 3_000, "{cost}: {:?}", at.board());
        assert_eq!(search(&at, Color::White, 3_000), (answer, cost), "{:?}", at.board());
        assert_eq!(search(&mirrored(&at), Color::Black, 3_000), (answer, cost), "{:?}", at.board());
        let (less, cost) = search(&at, Color::White, 700);
        assert!(cost <= 700 && (less == answer || less == Forced::Open), "{less:?} {answer:?}: {:?}", at.board());
        answered += u32::from(answer != Forced::Open);
    }
    assert!(answered >= 50, "{answered}");
}
