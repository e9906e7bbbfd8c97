//! Packs positions into exact 32-byte keys: four planes of one bit for each square. No two positions share a key. Therefore a set
//! of keys is a set of positions, and a closure does not depend on a hash.
//!
//! The codes of a square are: 0 empty, 1-6 pawn to king, 7 a rook that may still castle, 8 a mark on an empty square, and plus 8
//! for Black. A mark on rank 3 or 6 is the en-passant square, if the capture is legal. A mark elsewhere, always on the lowest
//! empty square of the other ranks, means that Black is to move. Counters of moves are not part of a key.

use shakmaty::{Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, FromSetup, Position, Setup};

/// The four planes of a key.
pub(super) type Key = [u64; 4];

/// The largest number of men in a position that has a key. One square must be empty to mark the side to move.
pub const MOST_MEN: usize = 32;

/// The squares of ranks 3 and 6, on which an en-passant square lies.
const EN_PASSANT_RANKS: u64 = 0x0000_ff00_00ff_0000;

/// The key of a position of at most [`MOST_MEN`] men.
pub(super) fn pack(position: &Chess) -> Key {
    let board = position.board();
    let (roles, colors) = board.clone().into_bitboards();
    let castling = position.castles().castling_rights().0;
    let mut marks = 0;
    if position.maybe_ep_square().is_some()
        && let Some(square) = position.legal_ep_square()
    {
        marks |= Bitboard::from_square(square).0;
    }
    if position.turn() == Color::Black {
        let empty = !board.occupied().0 & !EN_PASSANT_RANKS;
        marks |= empty & empty.wrapping_neg();
    }
    [
        roles.pawn.0 | roles.bishop.0 | roles.queen.0 | castling,
        roles.knight.0 | roles.bishop.0 | roles.king.0 | castling,
        roles.rook.0 | roles.queen.0 | roles.king.0,
        colors.black.0 | marks,
    ]
}

/// The position of a key; `None` if the planes do not form a position.
pub(super) fn unpack([a, b, c, black]: &Key) -> Option<Chess> {
    let men = a | b | c;
    let castling = a & b & c;
    let by_role = ByRole {
        pawn: Bitboard(a & !b & !c),
        knight: Bitboard(!a & b & !c),
        bishop: Bitboard(a & b & !c),
        rook: Bitboard((!a & !b & c) | castling),
        queen: Bitboard(a & !b & c),
        king: Bitboard(!a & b & c),
    };
    let by_color = ByColor { white: Bitboard(men & !black), black: Bitboard(men & black) };
    let marks = black & !men;
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: Color::from_white(marks & !EN_PASSANT_RANKS == 0),
        castling_rights: Bitboard(castling),
        ep_square: Bitboard(marks & EN_PASSANT_RANKS).first(),
        ..Setup::empty()
    };
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mate::tests::position;

    #[test]
    fn a_key_gives_its_position_back() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
            "8/8/8/8/1k1pP3/8/8/4K3 b - e3 0 1",
            "8/8/8/8/1k1pP3/8/8/4K3 b - - 0 1",
            "8/8/8/8/8/1k6/b1b5/RKR5 w - - 0 1",
        ] {
            let position = position(fen);
            let again = unpack(&pack(&position)).expect(fen);
            assert_eq!(again, position, "{fen}");
            assert_eq!(again.legal_moves(), position.legal_moves(), "{fen}");
        }
    }

    #[test]
    fn rights_and_the_side_to_move_are_part_of_the_key() {
        let keys = [
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQq - 0 1",
            "8/8/8/8/1k1pP3/8/8/4K3 b - e3 0 1",
            "8/8/8/8/1k1pP3/8/8/4K3 b - - 0 1",
        ]
        .map(|fen| pack(&position(fen)));
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{index}");
        }
    }
}
