//! Checks guards, pawns that no opposing pawn on their file can pass.
//!
//! Two pawns that face each other on a file cannot pass, as long as one stays on the file and is never taken. On the file from
//! the guard's home on stands one pawn of its colour, and every pawn of the opponent there stands beyond it. A push never jumps
//! over it. All other ways to change this are excluded here, so an opponent's pawn next to `home` always has the guard on `home`
//! in its way.

use shakmaty::{Bitboard, Chess, Color, Piece, Position, Role, Square, attacks};

use super::super::reason::{Guard, Wall};
use super::places::squares;
use super::wall::{pawn_steps, steps};

/// True if a pawn of `color` cannot be pushed to `to`, because it is the home of a guard.
pub(super) fn bars(wall: &Wall, color: Color, to: Square) -> bool {
    wall.guards.iter().any(|guard| guard.color != color && guard.home == to)
}

/// The part of the file from the guard's home on.
fn guarded_file(guard: Guard) -> Bitboard {
    let file = Bitboard::from_file(guard.home.file());
    let home = u32::from(guard.home);
    let ahead = if guard.color.is_white() { u64::MAX << home } else { u64::MAX >> (63 - home) };
    file & Bitboard(ahead)
}

/// True if nothing behind the wall takes the guard, moves it off its file, or brings another pawn among those that it faces.
pub(in crate::mate) fn stands(wall: &Wall, guard: Guard) -> bool {
    let guarded_file = guarded_file(guard);
    let own = squares(wall, guard.color, Role::Pawn);
    let on_duty = own & guarded_file;
    let stays = on_duty.into_iter().all(|from| {
        let to = pawn_steps(wall, guard.color, from);
        to.is_subset(guarded_file) && (to & Bitboard::BACKRANKS).is_empty()
    });
    let alone = (own & !guarded_file).into_iter().all(|from| (pawn_steps(wall, guard.color, from) & guarded_file).is_empty());
    let men = wall.reaches.iter().filter(|reach| reach.color != guard.color);
    let safe = men.clone().all(|reach| {
        reach.squares.into_iter().all(|from| leaves_guard(wall, reach.role.of(reach.color), from, on_duty, guarded_file))
    });
    let steady = wall
        .steady
        .by_color(!guard.color)
        .into_iter()
        .all(|from| wall.steady.piece_at(from).is_some_and(|piece| leaves_guard(wall, piece, from, on_duty, guarded_file)));
    stays && alone && safe && steady
}

/// True if the man on `from` can neither take the guard nor, as a pawn, reach the file by a capture.
fn leaves_guard(wall: &Wall, piece: Piece, from: Square, on_duty: Bitboard, guarded_file: Bitboard) -> bool {
    if piece.role == Role::Pawn {
        let takes = attacks::pawn_attacks(piece.color, from);
        (takes & on_duty).is_empty() && (takes & guarded_file & pawn_steps(wall, piece.color, from)).is_empty()
    } else {
        // Most men are too far away to take it.
        let near = attacks::attacks(from, piece, Bitboard::EMPTY) & on_duty;
        near.is_empty() || (steps(wall, piece, from) & near).is_empty()
    }
}

/// True if in this position the guard is there, alone, and faces the pawns of the opponent on its file.
pub(super) fn on_duty(wall: &Wall, guard: Guard, position: &Chess) -> bool {
    let board = position.board();
    let guarded_file = guarded_file(guard);
    let pawns = board.pawns() & guarded_file;
    let Some(stands) = (pawns & board.by_color(guard.color) & !wall.steady.occupied()).single_square() else {
        return false;
    };
    let rank = |square: Square| {
        let rank = u32::from(square) / 8;
        if guard.color.is_white() { rank } else { 7 - rank }
    };
    // This includes a steady pawn, because it may be steady because of this guard.
    (pawns & board.by_color(!guard.color)).into_iter().all(|other| rank(other) > rank(stands))
}
