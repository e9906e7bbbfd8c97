//! True walls that are claimed for other positions, and walls that were changed. The checker may accept one only where no mate exists.

use alloc::vec::Vec;

use shakmaty::{Bitboard, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};

use super::super::super::meter::Meter;
use super::super::super::reach::{Effort, wall_around};
use super::super::super::reason::{Answer, Guard, Reach, Reason, Wall};
use super::super::super::tests::position;
use super::super::{Refused, check, wall::steps};
use crate::mate::{Budget, winnable};

/// Positions with a wall each: locked pawns, guards, several bishops, walls that only stalemate or a push ends.
const WALLED: [&str; 8] = [
    "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1",
    "4k3/7p/8/p1p1p3/P1P1P3/8/7P/4K3 w - - 0 1",
    "8/b1b5/k6p/2b2p1P/1b3p2/5PpK/6P1/8 w - - 0 1",
    "8/1p6/1Pp5/k1P5/p1P5/P1K1B3/3B4/8 w - - 0 1",
    "1K6/1p4B1/kPp2B2/2P1B3/p1PB4/P1B5/8/8 w - - 0 1",
    "7B/8/3k4/1p1p4/1P1Pp1p1/1pppP1P1/2p5/2K5 b - - 0 1",
    "3k4/p2p2p1/P2P2P1/8/P7/3P4/P2P2P1/3K4 w - - 0 1",
    "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn of(&mut self, squares: Bitboard) -> Option<Square> {
        squares.into_iter().nth(self.below(squares.count().max(1)))
    }

    fn color(&mut self) -> Color {
        Color::from_white(self.below(2) == 0)
    }
}

/// The position with a man moved, removed or added; none if that is no position.
fn neighbour(at: &Chess, dice: &mut Dice) -> Option<Chess> {
    let mut board = at.board().clone();
    let men = board.occupied() & !board.kings();
    match dice.below(4) {
        0 => board.discard_piece_at(dice.of(men)?),
        1 => {
            let role = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook][dice.below(4)];
            let to = dice.of(!board.occupied() & if role == Role::Pawn { !Bitboard::BACKRANKS } else { Bitboard::FULL })?;
            board.set_piece_at(to, Piece { color: dice.color(), role });
        }
        _ => {
            let from = dice.of(board.occupied())?;
            let piece = board.remove_piece_at(from)?;
            board.set_piece_at(dice.of(shakmaty::attacks::king_attacks(from) & !board.occupied())?, piece);
        }
    }
    Chess::from_setup(Setup { board, turn: dice.color(), ..Setup::empty() }, CastlingMode::Standard).ok()
}

/// Adds squares to the reach of a kind.
fn extend(wall: &mut Wall, piece: Piece, squares: Bitboard) {
    match wall.reaches.iter_mut().find(|reach| (reach.color, reach.role) == (piece.color, piece.role)) {
        Some(reach) => reach.squares |= squares,
        None => wall.reaches.push(Reach { color: piece.color, role: piece.role, count: 0, squares }),
    }
}

/// Adds the steps that lead out of the wall; steady men that can move or be taken become loose.
fn grow(wall: &mut Wall) {
    let mut taken = Bitboard::EMPTY;
    for Reach { color, role, squares, .. } in wall.reaches.clone() {
        let to = squares.into_iter().fold(Bitboard::EMPTY, |sum, from| sum | steps(wall, role.of(color), from));
        taken |= to & wall.steady.occupied();
        let last = if role == Role::Pawn { to & Bitboard::BACKRANKS } else { Bitboard::EMPTY };
        extend(wall, role.of(color), to & !wall.steady.occupied() & !last);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().filter(|_| last.any()) {
            extend(wall, role.of(color), last);
        }
    }
    for (square, piece) in wall.steady.clone() {
        if taken.contains(square) || steps(wall, piece, square).any() {
            wall.steady.discard_piece_at(square);
            extend(wall, piece, square.into());
        }
    }
}

/// The wall, made to hold this position: steady men that are not there are forgotten, every other man gets a reach, and the wall grows,
/// mostly until it is closed. Then perhaps one of its claims is made stronger.
fn forge(true_wall: &Wall, at: &Chess, dice: &mut Dice) -> Wall {
    let mut wall = true_wall.clone();
    let board = at.board();
    for square in wall.steady.occupied() {
        if board.piece_at(square) != wall.steady.piece_at(square) {
            wall.steady.discard_piece_at(square);
        }
    }
    for square in board.occupied() & !wall.steady.occupied() {
        let Some(piece) = board.piece_at(square) else { continue };
        if piece.role == Role::Pawn && dice.below(3) == 0 {
            wall.steady.set_piece_at(square, piece);
        } else {
            extend(&mut wall, piece, square.into());
        }
    }
    for _ in 0..[0, 2, 8, 40][dice.below(4)] {
        grow(&mut wall);
    }
    for reach in &mut wall.reaches {
        let pawns = if reach.role == Role::King { Bitboard::EMPTY } else { board.by_piece(Role::Pawn.of(reach.color)) };
        let men = (board.by_piece(reach.role.of(reach.color)) | pawns) & !wall.steady.occupied();
        reach.count = reach.count.max(men.count() as u8);
        reach.squares.discard(wall.steady.occupied());
    }
    let reach = dice.below(wall.reaches.len());
    match dice.below(8) {
        0 => {
            if let Some(home) = dice.of(board.pawns() & !wall.steady.occupied()) {
                wall.guards.push(Guard { color: dice.color(), home });
            }
        }
        1 => {
            if let Some(gone) = dice.of(wall.reaches[reach].squares) {
                wall.reaches[reach].squares.discard(gone);
            }
        }
        2 => wall.reaches[reach].count = wall.reaches[reach].count.saturating_sub(1),
        3 => {
            if let Some(square) = dice.of(board.pawns() & !wall.steady.occupied())
                && let Some(piece) = board.piece_at(square)
            {
                wall.steady.set_piece_at(square, piece);
                wall.reaches.iter_mut().for_each(|reach| reach.squares.discard(square));
            }
        }
        _ => {}
    }
    wall
}

#[test]
fn a_forged_wall_is_accepted_only_where_no_mate_exists() {
    let mut dice = Dice(0x00f1_a6fa_1100_0001);
    let roots: Vec<Chess> = WALLED.into_iter().map(position).collect();
    let [mut accepted, mut passable, mut pattern, mut elsewhere] = [0; 4];
    for _ in 0..4_000 {
        let root = &roots[dice.below(roots.len())];
        let side = dice.color();
        let Some(wall) = wall_around(root, side, Effort::Full, &mut Meter::new(100_000)) else { continue };
        let Some(at) = neighbour(root, &mut dice) else { continue };
        let claim = Answer::Unwinnable { reason: Reason::Wall(forge(&wall, &at, &mut dice)) };
        match check(&at, side, &claim) {
            Ok(()) => {
                accepted += 1;
                let answer = winnable(&at, side, Budget { nodes: 20_000, ..Budget::SMALL });
                assert!(!matches!(answer, Answer::Winnable { .. }), "{:?} {side}: {claim:?} {answer:?}", at.board());
            }
            Err(Refused::Passable) => passable += 1,
            Err(Refused::MatePattern) => pattern += 1,
            Err(_) => elsewhere += 1,
        }
    }
    assert!(accepted > 200 && passable > 200 && pattern > 50 && elsewhere > 50, "{accepted} {passable} {pattern} {elsewhere}");
}
