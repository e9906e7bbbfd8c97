//! Encodes and decodes the messages that a Millennium board sends (`chesslink/README.md#3` and `chesslink/README.md#5`).

use alloc::vec::Vec;

use super::framing::{push, value};
use crate::square::{Piece, Placement, Reading, Square};

/// One message of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// v: firmware version.
    Version {
        /// Major.
        major: u8,
        /// Minor.
        minor: u8,
    },
    /// s: the letters of all squares, h1 first.
    Board(&'a [u8; 64]),
    /// r: the value of a setting that was asked for.
    Setting {
        /// The address of the setting.
        address: u8,
        /// Its value.
        value: u8,
    },
    /// w: a setting was written.
    Written {
        /// The address of the setting.
        address: u8,
        /// Its value.
        value: u8,
    },
    /// l: lights are lit.
    Lit,
    /// x: lights are out.
    Unlit,
}

impl<'a> Message<'a> {
    /// Decodes a text without check digits; `None` if it is no message of a board.
    pub fn decode(text: &'a [u8]) -> Option<Message<'a>> {
        let pair = |a: u8, b: u8, c: u8, d: u8| Some((value([a, b])?, value([c, d])?));
        Some(match *text {
            [b'v', a, b, c, d] => {
                let (major, minor) = pair(a, b, c, d)?;
                Message::Version { major, minor }
            }
            [b'r', a, b, c, d] => {
                let (address, value) = pair(a, b, c, d)?;
                Message::Setting { address, value }
            }
            [b'w', a, b, c, d] => {
                let (address, value) = pair(a, b, c, d)?;
                Message::Written { address, value }
            }
            [b's', ref letters @ ..] => Message::Board(letters.try_into().ok()?),
            [b'l'] => Message::Lit,
            [b'x'] => Message::Unlit,
            _ => return None,
        })
    }

    /// Appends the message with its check digits, without parity.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Message::Version { major, minor } => push(out, &four(b'v', major, minor)),
            Message::Setting { address, value } => push(out, &four(b'r', address, value)),
            Message::Written { address, value } => push(out, &four(b'w', address, value)),
            Message::Board(letters) => {
                let mut text = [b's'; 65];
                text[1..].copy_from_slice(letters);
                push(out, &text);
            }
            Message::Lit => push(out, b"l"),
            Message::Unlit => push(out, b"x"),
        }
    }
}

/// Returns a letter and two values of two digits each.
pub(super) const fn four(letter: u8, first: u8, second: u8) -> [u8; 5] {
    let ([a, b], [c, d]) = (super::framing::digits(first), super::framing::digits(second));
    [letter, a, b, c, d]
}

/// Returns the square at `index` of a board's text: 0 = h1, 7 = a1, 63 = a8; `None` above 63.
pub const fn square(index: u8) -> Option<Square> {
    // The ranks have the same order as in this project; the files have the reverse order.
    Square::new(index ^ 0b111)
}

/// Returns the placement of a board's text; `None` if a square is `?`, which the board sends while it does not know the piece.
pub fn placement(letters: &[u8; 64]) -> Option<Placement> {
    let mut placement = Placement::EMPTY;
    for (index, &letter) in (0u8..).zip(letters) {
        let reading = match letter {
            b'.' => Reading::Empty,
            letter => Reading::Piece(Piece::from_letter(letter as char)?),
        };
        placement.set(square(index)?, reading);
    }
    Some(placement)
}

/// Returns the text of a placement. An unidentified piece is `?`.
pub fn letters(placement: &Placement) -> [u8; 64] {
    let mut letters = [b'.'; 64];
    for (index, letter) in (0u8..).zip(&mut letters) {
        *letter = match square(index).map(|square| placement.get(square)) {
            Some(Reading::Piece(piece)) => piece.letter() as u8,
            Some(Reading::Occupied | Reading::Unreadable) => b'?',
            // A result piece is not a chess piece.
            Some(Reading::Empty | Reading::ResultPiece(_)) | None => b'.',
        };
    }
    letters
}
