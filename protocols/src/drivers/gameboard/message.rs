//! Encodes and decodes the messages that a board of the Gameboard UI Protocol sends. Each word of a line is one message.

use alloc::vec::Vec;

use crate::square::{Placement, Reading, Square};

/// The longest message, in bytes: all squares.
pub const LONGEST: usize = 64;

/// The letters of a position: an empty square, White's pieces in capitals, Black's pieces.
const LETTERS: &[u8; 13] = b".PNBRQKpnbrqk";

/// One message of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// `-f2`, `+f4`: a piece was lifted from a square or put on it.
    Square {
        /// The square.
        square: Square,
        /// The square is occupied now.
        occupied: bool,
    },
    /// `#60`: the answer for a square. It does not name the square.
    Status {
        /// The square is occupied.
        occupied: bool,
        /// The low six bits: the number of pieces on the board. It is not used, because the page's mask for it cannot hold 31
        /// pieces.
        count: u8,
    },
    /// All squares, a1 first. The letters are those that a host has sent; the board itself only senses whether a square is
    /// occupied.
    Position(Placement),
}

impl Message {
    /// Reads a word; `None` if it is no message.
    pub fn read(word: &[u8]) -> Option<Message> {
        match word {
            [sign @ (b'-' | b'+'), name @ ..] => Some(Message::Square { square: square(name)?, occupied: *sign == b'+' }),
            [b'#', high, low] => {
                let status = digit(*high)? << 4 | digit(*low)?;
                Some(Message::Status { occupied: status & 0x40 != 0, count: status & 0x3f })
            }
            letters if letters.len() == LONGEST => {
                let mut placement = Placement::EMPTY;
                for (square, letter) in Square::all().zip(letters) {
                    if !LETTERS.contains(letter) {
                        return None;
                    }
                    placement.set(square, if *letter == b'.' { Reading::Empty } else { Reading::Occupied });
                }
                Some(Message::Position(placement))
            }
            _ => None,
        }
    }

    /// Appends the message without its end. An unknown piece is written as a pawn.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Message::Square { square, occupied } => {
                out.push(if *occupied { b'+' } else { b'-' });
                out.extend_from_slice(&name(*square));
            }
            Message::Status { occupied, count } => {
                let status = u8::from(*occupied) << 6 | count & 0x3f;
                let digit = |nibble: u8| b"0123456789ABCDEF"[usize::from(nibble & 15)];
                out.extend_from_slice(&[b'#', digit(status >> 4), digit(status)]);
            }
            Message::Position(placement) => out.extend(placement.0.iter().map(letter)),
        }
    }
}

/// Parses the name of a square.
pub(super) fn square(name: &[u8]) -> Option<Square> {
    core::str::from_utf8(name).ok().and_then(Square::parse)
}

/// Returns the name of a square.
pub const fn name(square: Square) -> [u8; 2] {
    [b'a' + square.file(), b'1' + square.rank()]
}

/// Both cases are accepted, because the page's example contains no letter.
fn digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

fn letter(reading: &Reading) -> u8 {
    match reading.piece() {
        Some(piece) => piece.letter() as u8,
        None if *reading == Reading::Empty => b'.',
        None => b'P',
    }
}
