//! Says where the men of a wall may ever stand, and which squares they attack.

use shakmaty::{Bitboard, Board, Color, Piece, Rank, Role, Square, attacks};

use super::super::reason::Wall;

/// The squares where a man of a kind may ever stand, without the steady men.
pub(in crate::mate) fn squares(wall: &Wall, color: Color, role: Role) -> Bitboard {
    wall.reaches
        .iter()
        .filter(|reach| reach.color == color && reach.role == role)
        .fold(Bitboard::EMPTY, |sum, reach| sum | reach.squares)
}

/// The squares that a man attacks if only steady men stand in its way.
pub(super) fn attacked(wall: &Wall, piece: Piece, from: Square) -> Bitboard {
    attacks::attacks(from, piece, wall.steady.occupied())
}

/// The squares that are never empty: those of the steady men, and of kings that have only one square.
pub(super) fn standing(wall: &Wall) -> Bitboard {
    wall.reaches
        .iter()
        .filter(|reach| reach.role == Role::King && reach.squares.count() == 1)
        .fold(wall.steady.occupied(), |sum, king| sum | king.squares)
}

/// The squares that are empty in every position behind the wall.
pub(super) fn never(wall: &Wall) -> Bitboard {
    let ever = wall.reaches.iter().fold(wall.steady.occupied(), |sum, reach| sum | reach.squares);
    !ever
}

/// True if the king of `color` on `from` can never step to `to`, because it is attacked in every position.
pub(super) fn attacked_for_ever(wall: &Wall, color: Color, from: Square, to: Square) -> bool {
    let kings = squares(wall, !color, Role::King);
    if kings.any() && kings.is_subset(attacks::king_attacks(to)) {
        return true;
    }
    attacked_by_steady(wall, !color, to, never(wall).with(from))
}

/// True if a steady man of `color` attacks the square along a way on which all squares are in `free`.
pub(super) fn attacked_by_steady(wall: &Wall, color: Color, square: Square, free: Bitboard) -> bool {
    attacked_by(&wall.steady, color, square, free)
}

/// True if a man of `color` on the board attacks the square along a way on which all squares are in `free`.
pub(super) fn attacked_by(board: &Board, color: Color, square: Square, free: Bitboard) -> bool {
    // Only these men can attack the square on an empty board.
    let near = (attacks::pawn_attacks(!color, square) & board.pawns())
        | (attacks::knight_attacks(square) & board.knights())
        | (attacks::king_attacks(square) & board.kings())
        | (attacks::bishop_attacks(square, Bitboard::EMPTY) & board.bishops_and_queens())
        | (attacks::rook_attacks(square, Bitboard::EMPTY) & board.rooks_and_queens());
    (near & board.by_color(color)).into_iter().any(|by| attacks::between(by, square).is_subset(free))
}

/// The squares on which a pawn may ever take a man.
pub(super) fn pawn_captures(wall: &Wall, color: Color, from: Square) -> Bitboard {
    let ahead = color.fold_wb(8, -8);
    let others = wall.reaches.iter().filter(|reach| reach.color != color && reach.role != Role::King);
    let victims = others.fold(wall.steady.by_color(!color), |sum, reach| sum | reach.squares);
    let takes = |to: Square| {
        // A pawn that may pass `to` by two squares may be taken there.
        let passing = to.rank() == color.fold_wb(Rank::Sixth, Rank::Third)
            && [ahead, -ahead]
                .into_iter()
                .all(|way| to.offset(way).is_some_and(|square| squares(wall, !color, Role::Pawn).contains(square)));
        victims.contains(to) || passing
    };
    attacks::pawn_attacks(color, from).into_iter().filter(|to| takes(*to)).collect()
}
