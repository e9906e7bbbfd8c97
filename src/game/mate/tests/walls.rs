//! Walls with several bishops, walls that a king breaks only by stalemate, and positions in which it breaks them by more.

use shakmaty::{Bitboard, Chess, Color, Position, Role, Square};

use super::super::check::stalemate::stalemates;
use super::super::check::{Refused, places, push, wall};
use super::super::meter::Meter;
use super::super::reach::{Effort, wall_around};
use super::{position, reason};
use crate::mate::{Budget, Reach, Reason, Wall, counted};

fn around(at: &Chess, side: Color) -> Option<Wall> {
    wall_around(at, side, Effort::Full, &mut Meter::new(1_000_000))
}

/// The black king may take g2 or step to h2 while the white king is on h4. Each of these steps stalemates White.
const STALEMATES: &str = "8/b1b5/k6p/2b2p1P/1b3p2/5PpK/6P1/8 w - - 0 1";

#[test]
fn a_wall_that_a_king_breaks_only_by_stalemate_stands() {
    for (fen, nodes) in [
        (STALEMATES, 2_000),
        ("8/1p6/1Pp5/k1P5/p1P5/P1K1B3/3B4/8 w - - 0 1", 2_000),
        ("k1b5/1p1p4/1P1P4/B7/8/2B5/8/K7 w - - 0 1", 2_000),
        ("8/1p2B1B1/1PpB1B2/k1P1B3/p1P2B2/P7/5K2/8 w - - 0 1", 2_000),
    ] {
        for side in Color::ALL {
            assert!(matches!(reason(fen, side), Reason::Wall(_)), "{fen} {side}");
            assert!(counted(&position(fen), side, Budget::FULL).1.nodes < nodes, "{fen} {side}");
        }
    }
}

#[test]
fn the_steps_that_stalemate() {
    let wall = around(&position(STALEMATES), Color::White).expect("a wall");
    let king: Bitboard = [Square::H3, Square::H4].into_iter().collect();
    assert_eq!(places::squares(&wall, Color::White, Role::King), king);
    for (from, to, ends) in [
        (Square::G1, Square::H2, true),
        (Square::F1, Square::G2, true),
        (Square::G6, Square::H5, true),
        (Square::F1, Square::G1, false),
    ] {
        assert_eq!(stalemates(&wall, Color::Black, from, to), ends, "{from} {to}");
    }
}

/// A rook on h1 gives check to the king on h4 when the black king leaves h2: this is mate.
#[test]
fn a_step_that_opens_a_line_is_no_stalemate() {
    let mut wall = around(&position(STALEMATES), Color::White).expect("a wall");
    assert!(stalemates(&wall, Color::Black, Square::H2, Square::G2));
    wall.reaches.push(Reach { color: Color::Black, role: Role::Rook, count: 1, squares: Square::H1.into() });
    assert!(!stalemates(&wall, Color::Black, Square::H2, Square::G2));
}

/// The same walls with one more man that can move: White is not stalemated, and the wall is broken.
#[test]
fn a_man_that_can_move_prevents_stalemate() {
    for fen in ["8/b1b5/k6p/2b2p1P/1b3p2/5PpK/6P1/1N6 w - - 0 1", "8/b1b5/k6p/2b2p1P/1b3p2/5PpK/P5P1/8 w - - 0 1"] {
        assert_eq!(around(&position(fen), Color::Black), None, "{fen}");
    }
}

#[test]
fn a_castling_right_behind_a_steady_man_is_no_hole() {
    let shut = "2k5/8/8/3B4/2Bp1p1p/1BpP1P1P/2P1BPBP/3BKBNR w K - 0 1";
    assert!(matches!(reason(shut, Color::White), Reason::Wall(_)));
    let open = position("4k3/8/8/p1p1p1p1/P1P1P1P1/7P/7P/4K2R w K - 0 1");
    assert_eq!(around(&open, Color::Black), None);
    assert!(open.castles().any());
}

/// The black king is in check on a6. It must leave this square and can never come back.
#[test]
fn a_wall_after_the_first_move_out_of_a_check() {
    for side in Color::ALL {
        let Reason::Exhausted(closure) = reason("8/2b5/kp1p1p2/1PpP1Pp1/K1P3P1/3B4/8/8 b - - 0 1", side) else {
            panic!("not exhausted");
        };
        assert!(closure.positions < 10 && closure.walled > 0, "{closure:?}");
    }
}

/// The white king has no step. Each push of a black pawn next to it mates White.
#[test]
fn a_wall_that_a_pawn_breaks_only_by_mating_the_side_stands() {
    for (fen, pushes) in [
        ("7B/8/3k4/1p1p4/1P1Pp1p1/1pppP1P1/2p5/2K5 b - - 0 1", [(Square::B3, Square::B2), (Square::D3, Square::D2)]),
        ("4k3/8/2ppp3/3p2p1/1p1K1pP1/1P1P1P2/8/1B3B2 b - - 0 1", [(Square::C6, Square::C5), (Square::E6, Square::E5)]),
    ] {
        let at = position(fen);
        let Reason::Wall(wall) = reason(fen, Color::White) else { panic!("{fen}") };
        assert!(counted(&at, Color::White, Budget::FULL).1.nodes < 2_000, "{fen}");
        for (from, to) in pushes {
            assert!(push::mates(&wall, Color::Black, from, to), "{fen} {from} {to}");
        }
        // The pushes mate, so the same set of positions is no wall for Black.
        assert_eq!(wall::inductive(&wall, Color::Black), Err(Refused::Passable), "{fen}");
    }
}

#[test]
fn a_push_mates_only_if_the_pawn_cannot_be_taken_and_the_king_cannot_step() {
    let Reason::Wall(wall) = reason("7B/8/3k4/1p1p4/1P1Pp1p1/1pppP1P1/2p5/2K5 b - - 0 1", Color::White) else { panic!() };
    let mates = |change: fn(&mut Wall)| {
        let mut other = wall.clone();
        change(&mut other);
        push::mates(&other, Color::Black, Square::B3, Square::B2)
    };
    assert!(mates(|_| {}));
    // A man that takes the pawn, loose or steady.
    assert!(!mates(|wall| wall.reaches.push(Reach {
        color: Color::White,
        role: Role::Knight,
        count: 1,
        squares: Square::A4.into()
    })));
    assert!(!mates(|wall| wall.steady.set_piece_at(Square::A3, Color::White.bishop())));
    assert!(mates(|wall| wall.steady.set_piece_at(Square::A3, Color::White.knight())));
    // A flight that nobody guards: d2 belongs to the pawn on c3, and c2 is guarded by d3 alone after the push.
    assert!(!mates(|wall| wall.steady.discard_piece_at(Square::C3)));
    assert!(!mates(|wall| wall.steady.discard_piece_at(Square::D3)));
    // A king that may stand elsewhere.
    assert!(!mates(|wall| wall.reaches.iter_mut().filter(|reach| reach.color.is_white()).for_each(|reach| {
        if reach.role == Role::King {
            reach.squares.add(Square::A1);
        }
    })));
    // A man that is sometimes on c2 guards nothing.
    assert!(!mates(|wall| {
        wall.steady.discard_piece_at(Square::D3);
        wall.reaches.push(Reach { color: Color::Black, role: Role::Pawn, count: 1, squares: Square::D3.into() });
    }));
}
