//! Recognises pushes of a pawn that end the game: wherever the other men stand behind the wall, the push mates a king that has only
//! one square.
//!
//! Such a push leads out of the wall, but only to mates of the side whose mate is in question, so the wall need not hold what is
//! behind it. The position after the push is that before it, with the pawn one square ahead and nothing taken.

use shakmaty::{Bitboard, Board, Color, Role, Square, attacks};

use super::super::reason::Wall;
use super::places::{attacked_by, never, squares};

/// True if the push of the steady pawn of `color` by one square mates the other king in every position behind the wall in which it
/// is legal.
pub(in crate::mate) fn mates(wall: &Wall, color: Color, from: Square, to: Square) -> bool {
    let Some(king) = squares(wall, !color, Role::King).single_square() else { return false };
    // The pawn gives check from a square next to the king, so no man can step between.
    if from.offset(color.fold_wb(8, -8)) != Some(to)
        || Bitboard::BACKRANKS.contains(to)
        || !attacks::pawn_attacks(color, to).contains(king)
    {
        return false;
    }
    let mut after = wall.steady.clone();
    after.discard_piece_at(from);
    after.set_piece_at(to, color.pawn());
    cannot_step(wall, &after, color, king, to) && cannot_be_taken(wall, &after, color, to)
}

/// True if a steady pawn of the opponent of `side` may ever mate by a push.
pub(in crate::mate) fn may_end_the_game(wall: &Wall, side: Color) -> bool {
    let pawns = wall.steady.by_piece((!side).pawn());
    pawns.into_iter().any(|from| from.offset(side.fold_wb(-8, 8)).is_some_and(|to| mates(wall, !side, from, to)))
}

/// True if every square next to the king has a steady man of its own or is attacked by a steady man, the pushed pawn included.
fn cannot_step(wall: &Wall, after: &Board, color: Color, king: Square, to: Square) -> bool {
    let free = never(wall).without(to).with(king);
    let steps = attacks::king_attacks(king) & !after.by_color(!color);
    steps.into_iter().all(|flight| attacked_by(after, color, flight, free))
}

/// True if no man but the king can take the pushed pawn on `to`. It was pushed by one square, so it cannot be taken in passing.
fn cannot_be_taken(wall: &Wall, after: &Board, color: Color, to: Square) -> bool {
    let takes = |role: Role, from: Square| attacks::attacks(from, role.of(!color), after.occupied()).contains(to);
    let steady = after.by_color(!color);
    let reaches = wall.reaches.iter().filter(|reach| reach.color != color && reach.role != Role::King);
    steady.into_iter().all(|from| after.role_at(from).is_some_and(|role| !takes(role, from)))
        && reaches.into_iter().all(|reach| reach.squares.into_iter().all(|from| !takes(reach.role, from)))
}
