//! Guards: two pawns that face each other on a file cannot pass, as long as one stays on the file and is never taken.
//!
//! On the file from the guard's home on stands one pawn of its colour, and every pawn of the opponent there stands beyond it.
//! A push never jumps over it. What else could change that is excluded here, so an opponent's pawn next to `home` always has
//! the guard on `home` in its way.

use shakmaty::{Bitboard, Chess, Color, Piece, Position, Role, Square, attacks};

use super::super::reason::{Guard, Wall};
use super::wall::{pawn_steps, squares, steps};

/// A pawn of `color` cannot be pushed to `to`, the home of a guard.
pub(super) fn bars(wall: &Wall, color: Color, to: Square) -> bool {
    wall.guards.iter().any(|guard| guard.color != color && guard.home == to)
}

/// The file from the guard's home on.
fn beat(guard: Guard) -> Bitboard {
    let file = Bitboard::from_file(guard.home.file());
    let home = u32::from(guard.home);
    let ahead = if guard.color.is_white() { u64::MAX << home } else { u64::MAX >> (63 - home) };
    file & Bitboard(ahead)
}

/// Nothing behind the wall takes the guard, moves it off its file, or brings another pawn among those that it faces.
pub(in crate::mate) fn stands(wall: &Wall, guard: Guard) -> bool {
    let beat = beat(guard);
    let own = squares(wall, guard.color, Role::Pawn);
    let on_duty = own & beat;
    let stays = on_duty.into_iter().all(|from| {
        let to = pawn_steps(wall, guard.color, from);
        to.is_subset(beat) && (to & Bitboard::BACKRANKS).is_empty()
    });
    let alone = (own & !beat).into_iter().all(|from| (pawn_steps(wall, guard.color, from) & beat).is_empty());
    let men = wall.reaches.iter().filter(|reach| reach.color != guard.color);
    let safe = men
        .clone()
        .all(|reach| reach.squares.into_iter().all(|from| spares(wall, reach.role.of(reach.color), from, on_duty, beat)));
    let steady = wall
        .steady
        .by_color(!guard.color)
        .into_iter()
        .all(|from| wall.steady.piece_at(from).is_some_and(|piece| spares(wall, piece, from, on_duty, beat)));
    stays && alone && safe && steady
}

/// The man on `from` can neither take the guard nor, as a pawn, capture its way onto the file.
fn spares(wall: &Wall, piece: Piece, from: Square, on_duty: Bitboard, beat: Bitboard) -> bool {
    if piece.role == Role::Pawn {
        let takes = attacks::pawn_attacks(piece.color, from);
        (takes & on_duty).is_empty() && (takes & beat & pawn_steps(wall, piece.color, from)).is_empty()
    } else {
        (steps(wall, piece, from) & on_duty).is_empty()
    }
}

/// In this position the guard is there, alone, and faces the pawns of the opponent on its file.
pub(super) fn on_duty(wall: &Wall, guard: Guard, position: &Chess) -> bool {
    let board = position.board();
    let beat = beat(guard);
    let pawns = board.pawns() & beat;
    let Some(stands) = (pawns & board.by_color(guard.color) & !wall.steady.occupied()).single_square() else {
        return false;
    };
    let rank = |square: Square| {
        let rank = u32::from(square) / 8;
        if guard.color.is_white() { rank } else { 7 - rank }
    };
    // A steady pawn too: it may be steady because of this guard.
    (pawns & board.by_color(!guard.color)).into_iter().all(|other| rank(other) > rank(stands))
}
