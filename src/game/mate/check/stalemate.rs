//! Recognises steps of a king that end the game: wherever the other king stands behind the wall, the opponent has no legal move
//! after the step and is not in check.
//!
//! Such a step leads out of the wall, but only to stalemates, so the wall need not hold what is behind it. The position after the
//! step is that before it, with the king on another square and perhaps one man of the opponent less.

use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use super::super::reason::Wall;
use super::places::{attacked_by_steady, attacked_for_ever, never, pawn_captures, squares};

/// True if the step of the king of `color` stalemates the opponent in every position behind the wall in which it is legal.
pub(in crate::mate) fn stalemates(wall: &Wall, color: Color, from: Square, to: Square) -> bool {
    let near = attacks::king_attacks(to).with(to);
    let places = squares(wall, !color, Role::King) & !near;
    places.into_iter().all(|king| cannot_step(wall, color, king, to) && !discovers_check(wall, color, from, to, king))
        && men_cannot_move(wall, !color, to)
}

/// True if a king may leave its squares behind the wall by a step that stalemates.
pub(in crate::mate) fn may_end_the_game(wall: &Wall) -> bool {
    Color::ALL.into_iter().any(|color| {
        let places = squares(wall, color, Role::King);
        places.into_iter().any(|from| {
            let out = attacks::king_attacks(from) & !places & !wall.steady.by_color(color);
            out.into_iter().any(|to| !attacked_for_ever(wall, color, from, to) && stalemates(wall, color, from, to))
        })
    })
}

/// True if the opponent's king on `king` has no legal step while the king of `color` stands on `to`.
fn cannot_step(wall: &Wall, color: Color, king: Square, to: Square) -> bool {
    // The king on `to` may stand where otherwise no man ever does.
    let free = never(wall).without(to).with(king);
    let closed = wall.steady.by_color(!color) | attacks::king_attacks(to);
    (attacks::king_attacks(king) & !closed).into_iter().all(|flight| attacked_by_steady(wall, color, flight, free))
}

/// True if the king's step may open the line of a man of its colour to the opponent's king. No other check is possible, because
/// that king was not in check before the step.
fn discovers_check(wall: &Wall, color: Color, from: Square, to: Square, king: Square) -> bool {
    let standing = wall.steady.occupied().with(to).without(from);
    [Role::Bishop, Role::Rook, Role::Queen].into_iter().any(|role| {
        let lines = attacks::attacks(king, role.of(color), standing);
        let men = squares(wall, color, role) | wall.steady.by_piece(role.of(color));
        (lines & men).into_iter().any(|by| attacks::between(by, king).contains(from))
    })
}

/// True if no man of `color` but the king can move while the other king stands on `to`, where it may have taken a man.
fn men_cannot_move(wall: &Wall, color: Color, to: Square) -> bool {
    let own = wall.steady.by_color(color);
    // The other king may have stood on any square before, so it blocks nothing but `to`.
    let standing = wall.steady.occupied().with(to);
    let stays = |piece: Piece, from: Square| {
        let moves = match piece.role {
            Role::King => Bitboard::EMPTY,
            Role::Pawn => {
                let ahead = from.offset(color.fold_wb(8, -8)).map_or(Bitboard::EMPTY, Bitboard::from_square);
                (ahead & !standing) | pawn_captures(wall, color, from)
            }
            _ => attacks::attacks(from, piece, standing) & !own,
        };
        from == to || moves.without(to).is_empty()
    };
    let reaches = wall.reaches.iter().filter(|reach| reach.color == color);
    own.into_iter().all(|from| wall.steady.piece_at(from).is_some_and(|piece| stays(piece, from)))
        && reaches.into_iter().all(|reach| reach.squares.into_iter().all(|from| stays(reach.role.of(color), from)))
}
