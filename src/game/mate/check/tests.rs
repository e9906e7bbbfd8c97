//! Walls that the search never claims. The checker must find their errors.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Color, Position, Rank, Role, Square};

use super::super::reason::{Answer, Guard, Reach, Reason, Wall};
use super::super::tests::position;
use super::{Refused, check};

fn ranks(ranks: &[Rank], without: &[Square]) -> Bitboard {
    let all = ranks.iter().fold(Bitboard::EMPTY, |sum, rank| sum | Bitboard::from_rank(*rank));
    without.iter().fold(all, |left, square| left.without(*square))
}

fn king(color: Color, squares: Bitboard) -> Reach {
    Reach { color, role: Role::King, count: 1, squares }
}

/// The checker's result for a wall of all pawns but those on `loose`, for White.
fn check_wall(fen: &str, loose: &[Square], reaches: Vec<Reach>, guards: Vec<Guard>) -> Result<(), Refused> {
    let at = position(fen);
    let mut steady = at.board().clone();
    for square in (at.board().kings() | loose.iter().copied().collect::<Bitboard>()).into_iter() {
        steady.discard_piece_at(square);
    }
    let reason = Reason::Wall(Wall { steady, reaches, guards });
    check(&at, Color::White, &Answer::Unwinnable { reason })
}

const LOW: [Rank; 3] = [Rank::First, Rank::Second, Rank::Third];
const HIGH: [Rank; 3] = [Rank::Sixth, Rank::Seventh, Rank::Eighth];

/// The pawn on h5 has passed the guard that is claimed to stand before it on h6, so it is free.
#[test]
fn a_guard_behind_the_pawn_that_it_is_to_stop_is_none() {
    let fen = "4k3/8/8/p1p1p1pP/P1P1P1Pp/7P/8/4K3 w - - 0 1";
    let reaches = vec![
        king(Color::White, ranks(&LOW, &[Square::H3])),
        king(Color::Black, ranks(&HIGH, &[Square::G6])),
        Reach { color: Color::Black, role: Role::Pawn, count: 1, squares: Square::H4.into() },
    ];
    let guard = |home| Guard { color: Color::Black, home };
    let guards = vec![guard(Square::H4), guard(Square::H6)];
    assert_eq!(check_wall(fen, &[Square::H4], reaches, guards), Err(Refused::NotSo));
}

/// A second black king that is claimed to stand on h6 would stop the pawn on h5.
#[test]
fn a_side_has_one_king() {
    let fen = "4k3/6p1/6P1/p1p1p1pP/P1P1P1P1/8/8/4K3 w - - 0 1";
    let away = [Square::F7, Square::G6, Square::G7, Square::H6, Square::H7];
    for count in [0, 1] {
        let reaches = vec![
            king(Color::White, ranks(&LOW, &[])),
            king(Color::Black, ranks(&HIGH, &away)),
            Reach { count, ..king(Color::Black, Square::H6.into()) },
        ];
        assert_eq!(check_wall(fen, &[], reaches, Vec::new()), Err(Refused::NotSo), "{count}");
    }
}
