//! Recognises material that cannot mate, by the argument for each set of men.

use shakmaty::{Bitboard, Chess, Color, Position};

/// True if no mate by `side` can arise with these men:
///
/// - a king alone gives no check;
/// - one knight against a king and queens: the king needs two flight squares blocked beside the knight's check, and a queen
///   that blocks next to the king takes the knight or leaves a square;
/// - bishops that all stand on one colour of squares, on both sides, with neither knights nor pawns: every flight square of
///   the other colour must be blocked by a rook or queen, which then takes the bishop or steps between.
pub(super) fn hopeless(position: &Chess, side: Color) -> bool {
    let board = position.board();
    let own = board.by_color(side) & !board.kings();
    let other = board.by_color(!side) & !board.kings();
    if own.is_empty() {
        return true;
    }
    let lone_knight = own.count() == 1 && own.is_subset(board.knights()) && other.is_subset(board.queens());
    let bishops = board.bishops();
    let one_colour = bishops.is_subset(Bitboard::LIGHT_SQUARES) || bishops.is_subset(Bitboard::DARK_SQUARES);
    let bishops_only = own.is_subset(bishops) && one_colour && other.is_subset(bishops | board.rooks() | board.queens());
    lone_knight || bishops_only
}
