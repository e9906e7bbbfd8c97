//! Searches for the usual mates of a side that has only minor men and pawns: the loser's king stands in a corner, one of its own men
//! beside it, the winner's king guards the other two squares, and a bishop or knight gives check.
//!
//! All these mates are known before the search, so the distance of a position from the nearest of them is a good guide where the men
//! can move freely. The search finds most of them within a few hundred positions, and never shows that there is none.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Rank, Role, Square, attacks};

use super::arena::Arena;
use super::deepen::leaps;
use super::key::pack;
use super::meter::Meter;
use super::probe::is_mate;

/// The men of the loser that can block. A queen takes or answers every check.
const BLOCKERS: [Role; 4] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook];
/// With more pawns on the board than this, they stand in the way too often: the distances are those on an empty board.
const MOST_PAWNS: usize = 4;
/// More moves than any man needs.
const FAR: u32 = 20;
/// One more than the largest distance.
const DISTANCES: usize = 6 * FAR as usize;

/// A mate in a corner.
struct Picture {
    /// The corner of the loser's king.
    corner: Square,
    /// The squares from which the winner's king guards the two other squares beside the corner.
    king: Bitboard,
    /// The square on which a man of the loser blocks its king.
    block: Square,
    /// For each of [`BLOCKERS`]: the squares from which a bishop, and a knight, gives a check that the blocker cannot answer.
    checks: [[Bitboard; 2]; 4],
}

/// The pictures of mates of a king of this colour, two for each corner.
fn pictures(loser: Color) -> Vec<Picture> {
    let corners = [Square::A1, Square::H1, Square::A8, Square::H8];
    corners
        .into_iter()
        .flat_map(|corner| {
            let blocks = attacks::king_attacks(corner) & attacks::rook_attacks(corner, Bitboard::EMPTY);
            blocks.into_iter().map(move |block| picture(corner, block, loser))
        })
        .collect()
}

fn picture(corner: Square, block: Square, loser: Color) -> Picture {
    let open = attacks::king_attacks(corner).without(block);
    let guards = |square: Square| square.distance(corner) > 1 && open.is_subset(attacks::king_attacks(square));
    let checks = BLOCKERS.map(|role| {
        let unanswered = |check: &Square| {
            let standing = Bitboard::from(corner).with(*check);
            let answers = attacks::between(*check, corner).with(*check);
            (attacks::attacks(block, role.of(loser), standing) & answers).is_empty()
        };
        [attacks::bishop_attacks(corner, Bitboard::EMPTY), attacks::knight_attacks(corner)]
            .map(|all| all.into_iter().filter(unanswered).collect())
    });
    Picture { corner, king: Bitboard::FULL.into_iter().filter(|square| guards(*square)).collect(), block, checks }
}

/// A line to a mate by `side`, not always a short one. Visits up to `cap` positions.
pub(super) fn pictured(root: &Chess, side: Color, cap: u32, meter: &mut Meter) -> Option<Vec<Move>> {
    if !fits(root.board(), side) {
        return None;
    }
    let pictures = pictures(!side);
    let mut arena = Arena::new(root);
    // The waiting positions by their distance, and among equals the oldest first.
    let mut waiting: Vec<VecDeque<u32>> = vec![VecDeque::new(); DISTANCES];
    waiting[0].push_back(0);
    let mut least = 0;
    while least < DISTANCES && arena.len() <= cap {
        let Some(index) = waiting[least].pop_front() else {
            least += 1;
            continue;
        };
        let position = arena.position(index)?;
        for step in &position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(*step);
            if !meter.step() {
                return None;
            }
            if position.turn() == side && is_mate(&after) {
                let mut line = arena.line(index)?;
                line.push(*step);
                return Some(line);
            }
            let Some(new) = arena.insert(&pack(&after), index) else { continue };
            if !after.has_insufficient_material(side) {
                let far = distance(after.board(), side, &pictures).min(DISTANCES - 1);
                least = least.min(far);
                waiting[far].push_back(new);
            }
        }
    }
    None
}

/// True if the side has a minor man and no heavy one, and the loser has a man that can block.
fn fits(board: &Board, side: Color) -> bool {
    let men = board.by_color(side);
    let minor = board.knights() | board.bishops();
    board.pawns().count() <= MOST_PAWNS
        && (men & minor).any()
        && (men & board.rooks_and_queens()).is_empty()
        && (board.by_color(!side) & !board.queens()).count() > 1
}

/// How far the position is from the nearest picture. The sides move in turns, so the side that needs more moves counts twice.
fn distance(board: &Board, side: Color, pictures: &[Picture]) -> usize {
    let (Some(winner), Some(loser)) = (board.king_of(side), board.king_of(!side)) else { return DISTANCES };
    let mut nearest = 5 * FAR;
    for picture in pictures {
        let home = loser.distance(picture.corner);
        let king = picture.king.into_iter().map(|to| winner.distance(to)).min().unwrap_or(FAR);
        // The winner's king would keep the other one out of the corner.
        let king = if home > 0 { king.max(1) } else { king };
        for (role, checks) in BLOCKERS.into_iter().zip(picture.checks) {
            let theirs = home + blocks(board, !side, picture.block, role);
            if theirs < FAR && 2 * theirs + king < nearest {
                let ours = king + checked(board, side, checks);
                nearest = nearest.min(2 * ours.max(theirs) + ours.min(theirs));
            }
        }
    }
    nearest as usize
}

/// The approximate number of moves until a minor man gives check. The check is the last move, so this is one at least.
fn checked(board: &Board, side: Color, [diagonals, leaps_from]: [Bitboard; 2]) -> u32 {
    let men = board.by_color(side);
    let mut least = FAR;
    for man in men & board.bishops() {
        for to in diagonals {
            least = least.min(slides(man, to));
        }
    }
    for man in men & board.knights() {
        for to in leaps_from {
            least = least.min(leaps(man, to));
        }
    }
    least.max(1)
}

/// The approximate number of moves until a man of this kind stands on the square, perhaps after a promotion.
fn blocks(board: &Board, loser: Color, block: Square, role: Role) -> u32 {
    let men = board.by_color(loser);
    let pawns = men & board.pawns();
    let mut least = FAR;
    if role == Role::Pawn {
        let left = to_promote(block, loser);
        for pawn in pawns & Bitboard::from_file(block.file()) {
            if left > 0 && left <= to_promote(pawn, loser) {
                least = least.min(to_promote(pawn, loser) - left);
            }
        }
        return least;
    }
    let moves = |from: Square| match role {
        Role::Knight => leaps(from, block),
        Role::Bishop => slides(from, block),
        _ if from == block => 0,
        _ if from.file() == block.file() || from.rank() == block.rank() => 1,
        _ => 2,
    };
    for man in men & board.by_role(role) {
        least = least.min(moves(man));
    }
    for pawn in pawns {
        let last = Square::from_coords(pawn.file(), loser.relative_rank(Rank::Eighth));
        least = least.min(to_promote(pawn, loser) + moves(last));
    }
    least
}

/// The number of moves of a bishop on an empty board.
fn slides(from: Square, to: Square) -> u32 {
    if from == to {
        0
    } else if from.is_light() != to.is_light() {
        FAR
    } else if attacks::bishop_attacks(from, Bitboard::EMPTY).contains(to) {
        1
    } else {
        2
    }
}

/// The number of ranks that a pawn has before it.
fn to_promote(pawn: Square, color: Color) -> u32 {
    u32::from(color.fold_wb(Rank::Eighth, Rank::First)).abs_diff(u32::from(pawn.rank()))
}
