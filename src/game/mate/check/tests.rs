//! Walls that the search never claims. The checker must find their errors.

mod forged;

use alloc::vec;
use alloc::vec::Vec;
use core::slice;

use shakmaty::{Bitboard, Board, Color, Piece, Position, Rank, Role, Square, attacks};

use super::super::reason::{Answer, Guard, Reach, Reason, Wall};
use super::super::tests::position;
use super::{Refused, check, guard};

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

/// The white pawn of the a-file may go from a2 to a4.
#[test]
fn a_guard_is_never_taken_or_joined_and_never_leaves_its_file() {
    let reach = |color, role, squares: &[Square]| Reach { color, role, count: 1, squares: squares.iter().copied().collect() };
    let stands = |others: &[Reach], steady: &[(Square, Piece)]| {
        let mut wall = Wall { steady: Board::empty(), reaches: others.to_vec(), guards: Vec::new() };
        wall.reaches.push(king(Color::White, Square::E1.into()));
        wall.reaches.push(reach(Color::White, Role::Pawn, &[Square::A2, Square::A3, Square::A4]));
        for (square, piece) in steady {
            wall.steady.set_piece_at(*square, *piece);
        }
        let guard = Guard { color: Color::White, home: Square::A2 };
        wall.guards.push(guard);
        guard::stands(&wall, guard)
    };
    let far = king(Color::Black, Square::E8.into());
    let shut = (Square::A5, Color::Black.pawn());
    assert!(stands(slice::from_ref(&far), &[shut]));
    // The bishop attacks a6 and no square of the guard.
    assert!(stands(&[far.clone(), reach(Color::Black, Role::Bishop, &[Square::C8])], &[shut]));
    let no_bar = stands(&[far.clone(), reach(Color::White, Role::Pawn, &[Square::A5, Square::A6, Square::A7])], &[]);
    assert!(!no_bar, "it promotes");
    for (taker, squares) in [
        (Role::King, [Square::B3].as_slice()),
        (Role::Bishop, &[Square::C4]),
        (Role::Knight, &[Square::C3]),
        (Role::Rook, &[Square::H3]),
        (Role::Pawn, &[Square::B5]),
    ] {
        let others: &[Reach] = &[reach(Color::Black, taker, squares)];
        assert!(!stands(others, &[shut]), "{taker:?} takes it");
    }
    assert!(!stands(&[far.clone(), reach(Color::Black, Role::Pawn, &[Square::B4])], &[shut]), "it is taken in passing");
    assert!(
        !stands(&[far.clone(), reach(Color::Black, Role::Knight, &[Square::B3])], &[shut]),
        "it takes the knight and leaves its file"
    );
    let second = reach(Color::White, Role::Pawn, &[Square::B2]);
    assert!(!stands(&[far, second, reach(Color::Black, Role::Bishop, &[Square::A3])], &[shut]), "another pawn joins it");
    assert!(
        !stands(&[king(Color::Black, Square::E8.into())], &[shut, (Square::C4, Color::Black.bishop())]),
        "a steady man takes it"
    );
}

#[test]
fn a_king_is_never_steady() {
    let at = position("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1");
    let reason = Reason::Wall(Wall { steady: at.board().clone(), reaches: Vec::new(), guards: Vec::new() });
    assert_eq!(check(&at, Color::White, &Answer::Unwinnable { reason }), Err(Refused::NotSo));
}

/// `near` leaves out the moves of a pawn that becomes a knight and goes far, because a queen is nearer.
#[test]
fn a_queen_closes_whatever_a_knight_closes() {
    for king in Square::ALL {
        let around = attacks::king_attacks(king).with(king);
        let queens: Vec<Bitboard> = Square::ALL
            .into_iter()
            .filter(|queen| *queen != king)
            .map(|queen| attacks::queen_attacks(queen, Bitboard::EMPTY) & around)
            .collect();
        for knight in Square::ALL.into_iter().filter(|knight| *knight != king) {
            let closed = attacks::knight_attacks(knight) & around;
            assert!(queens.iter().any(|queen| closed.is_subset(*queen)), "{king} {knight}");
        }
    }
}
