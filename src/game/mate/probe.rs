//! Tries a few greedy walks to a mate in a corner, without memory and in a few microseconds. Most positions of real games need no
//! more.

use alloc::vec::Vec;

use shakmaty::{Bitboard, Chess, Color, Move, MoveList, Position, Role, Square, attacks};

use super::meter::Meter;

/// The largest number of half-moves in a walk.
const PLIES: usize = 40;
/// The corners in which the loser's king may be mated.
const CORNERS: [Square; 4] = [Square::A1, Square::H1, Square::A8, Square::H8];

/// A line to a mate by `side`, not always a short one.
pub(super) fn probe(root: &Chess, side: Color, walks: core::ops::Range<u32>, meter: &mut Meter) -> Option<Vec<Move>> {
    let board = root.board();
    let loser = board.king_of(!side)?;
    let mut corners = CORNERS;
    corners.sort_by_key(|corner| corner.distance(loser));
    for walk in walks {
        let corner = corners[walk as usize % 4];
        let mut line = [None; PLIES];
        if let Some(length) = follow(root, side, corner, walk, &mut line, meter) {
            return Some(line[..length].iter().flatten().copied().collect());
        }
    }
    None
}

fn follow(
    root: &Chess,
    side: Color,
    corner: Square,
    walk: u32,
    line: &mut [Option<Move>; PLIES],
    meter: &mut Meter,
) -> Option<usize> {
    let mut at = root.clone();
    for (ply, slot) in line.iter_mut().enumerate() {
        let moves = at.legal_moves();
        if !meter.step() {
            return None;
        }
        if at.turn() == side {
            if let Some(mate) = mate_in_one(&at, &moves, meter) {
                *slot = Some(mate);
                return Some(ply + 1);
            }
            if at.has_insufficient_material(side) {
                return None;
            }
        }
        let view = View::of(&at, side, corner)?;
        let salt = walk * 64 + u32::try_from(ply).unwrap_or(0);
        let best = moves.iter().max_by_key(|step| view.worth(step) * 8 + noise(salt, step))?;
        *slot = Some(*best);
        at.play_unchecked(*best);
    }
    None
}

/// Tries only the moves that may give check.
fn mate_in_one(at: &Chess, moves: &MoveList, meter: &mut Meter) -> Option<Move> {
    let board = at.board();
    let king = board.king_of(!at.turn())?;
    let occupied = board.occupied();
    let lines = attacks::queen_attacks(king, occupied);
    let bishop = attacks::bishop_attacks(king, occupied);
    let rook = attacks::rook_attacks(king, occupied);
    let knight = attacks::knight_attacks(king);
    let pawn = attacks::pawn_attacks(!at.turn(), king);
    let behind = (attacks::rook_attacks(king, occupied & !lines) & board.rooks_and_queens())
        | (attacks::bishop_attacks(king, occupied & !lines) & board.bishops_and_queens());
    let discovers = (behind & at.us()).any();
    for step in moves {
        let direct = match step.promotion().unwrap_or(step.role()) {
            Role::Pawn => pawn,
            Role::Knight => knight,
            Role::Bishop => bishop,
            Role::Rook => rook,
            Role::Queen => lines,
            Role::King => Bitboard::EMPTY,
        };
        let uncovers = discovers && step.from().is_some_and(|from| lines.contains(from));
        if direct.contains(step.to()) || uncovers || step.is_castle() || step.is_promotion() {
            let mut after = at.clone();
            after.play_unchecked(*step);
            meter.step();
            if is_mate(&after) {
                return Some(*step);
            }
        }
    }
    None
}

/// True if the side to move is mated. Moves are generated only if its king is in check and has no step.
pub(super) fn is_mate(at: &Chess) -> bool {
    at.checkers().any() && !has_flight(at) && at.legal_moves().is_empty()
}

/// True if the king of the side to move has a step.
fn has_flight(at: &Chess) -> bool {
    let (board, us) = (at.board(), at.turn());
    board.king_of(us).is_some_and(|king| {
        let left = board.occupied().without(king);
        let squares = attacks::king_attacks(king) & !board.by_color(us);
        squares.into_iter().any(|square| board.attacks_to(square, !us, left).is_empty())
    })
}

/// The values of a position for the plan: the loser's king in the corner, the other king two squares off, a queen or rook.
struct View {
    winner: bool,
    corner: Square,
    heavy: bool,
    own_king: Square,
    checks: Bitboard,
}

impl View {
    fn of(at: &Chess, side: Color, corner: Square) -> Option<Self> {
        let board = at.board();
        let winner = at.turn() == side;
        let target = board.king_of(!at.turn())?;
        Some(Self {
            winner,
            corner,
            heavy: (board.rooks_and_queens() & board.by_color(side)).any(),
            own_king: board.king_of(at.turn())?,
            checks: attacks::queen_attacks(target, board.occupied()),
        })
    }

    fn worth(&self, step: &Move) -> i32 {
        let mut worth = 0;
        let to = step.to();
        let taken = step.capture().map_or(0, value);
        if self.winner {
            worth += taken * 2;
            worth += match step.promotion() {
                Some(Role::Queen) => 60,
                Some(Role::Rook) => 20,
                Some(_) => -20,
                None if step.role() == Role::Pawn && !self.heavy => 14,
                None => 0,
            };
        } else {
            worth -= taken * 10;
            worth -= step.promotion().map_or(0, value) * 3;
        }
        match step {
            Move::Normal { role: Role::King, .. } => {
                let goal = if self.winner { 2 } else { 0 };
                let off = |square: Square| {
                    let distance = i32::try_from(self.corner.distance(square)).unwrap_or(0);
                    (distance - goal).abs()
                };
                worth += (off(self.own_king) - off(to)) * 6;
            }
            Move::Normal { role: Role::Queen | Role::Rook | Role::Bishop, .. } if self.checks.contains(to) => worth -= 4,
            _ => {}
        }
        worth
    }
}

fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 2,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 8,
        Role::King => 0,
    }
}

/// Breaks ties differently in each walk, and equally on every machine.
fn noise(salt: u32, step: &Move) -> i32 {
    let from = step.from().map_or(0, u32::from);
    let sum = (salt << 12) ^ (from << 6) ^ u32::from(step.to());
    let sum = sum.wrapping_mul(0x9e37_79b1);
    i32::try_from((sum ^ (sum >> 15)) >> 9 & 31).unwrap_or(0)
}
