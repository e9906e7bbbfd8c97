//! Converts the numbers of squares and the codes of pieces that DGT boards use (`dgt/README.md#6`).

use crate::square::{Color, Piece, Reading, ResultPiece, Role, Square};

/// Returns the square with the board's number `index` (0 = a8, 7 = h8 … 63 = h1); `None` above 63.
pub const fn square(index: u8) -> Option<Square> {
    // Both orders go from a to h within a rank. Only the order of the ranks differs.
    if index < 64 { Square::new(index ^ 0b11_1000) } else { None }
}

/// Returns the board's number of `square`.
pub const fn index(square: Square) -> u8 {
    (square.index() as u8) ^ 0b11_1000
}

/// Returns the reading of a piece code of a chess board; `None` if bit 5 or 6 is set, because no source explains them. Bit 4 is
/// the "S bit", which DGT's change log names without an explanation. It is ignored.
pub const fn reading(code: u8) -> Option<Reading> {
    use Color::{Black, White};
    if code & 0x60 != 0 {
        return None;
    }
    let (color, role) = match code & 0x0f {
        0x01 => (White, Role::Pawn),
        0x02 => (White, Role::Rook),
        0x03 => (White, Role::Knight),
        0x04 => (White, Role::Bishop),
        0x05 => (White, Role::King),
        0x06 => (White, Role::Queen),
        0x07 => (Black, Role::Pawn),
        0x08 => (Black, Role::Rook),
        0x09 => (Black, Role::Knight),
        0x0a => (Black, Role::Bishop),
        0x0b => (Black, Role::King),
        0x0c => (Black, Role::Queen),
        0x0d => return Some(Reading::ResultPiece(ResultPiece::Draw)),
        0x0e => return Some(Reading::ResultPiece(ResultPiece::WhiteWins)),
        0x0f => return Some(Reading::ResultPiece(ResultPiece::BlackWins)),
        _ => return Some(Reading::Empty),
    };
    Some(Reading::Piece(Piece::new(color, role)))
}

/// Returns the code of a reading; `None` for a reading without a code on this board (occupied, unreadable).
pub const fn code(reading: Reading) -> Option<u8> {
    match reading {
        Reading::Empty => Some(0x00),
        Reading::Piece(piece) => {
            let white = match piece.role {
                Role::Pawn => 0x01,
                Role::Rook => 0x02,
                Role::Knight => 0x03,
                Role::Bishop => 0x04,
                Role::King => 0x05,
                Role::Queen => 0x06,
            };
            Some(match piece.color {
                Color::White => white,
                Color::Black => white + 6,
            })
        }
        Reading::ResultPiece(ResultPiece::Draw) => Some(0x0d),
        Reading::ResultPiece(ResultPiece::WhiteWins) => Some(0x0e),
        Reading::ResultPiece(ResultPiece::BlackWins) => Some(0x0f),
        Reading::Occupied | Reading::Unreadable => None,
    }
}
