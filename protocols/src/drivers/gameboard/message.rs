//! What a board says, both directions: the words of a line, one message each.

use alloc::vec::Vec;

use crate::square::{Placement, Reading, Square};

/// The longest message: all squares.
pub const LONGEST: usize = 64;

/// The pieces of a position, White's in capitals, and a free square.
const LETTERS: &[u8; 13] = b".PNBRQKpnbrqk";

/// One message of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// `-f2`, `+f4`: something was lifted from a square or put on it.
    Square {
        /// Which square.
        square: Square,
        /// Something stands there now.
        occupied: bool,
    },
    /// `#60`: the answer for a square, which it does not name.
    Status {
        /// Something stands there.
        occupied: bool,
        /// The low six bits: pieces on the board. Nothing rests on it: the page's mask for it does not hold 31 of them.
        count: u8,
    },
    /// All squares, a1 first: the letters of what a host said that stands there; the board itself sees that something does.
    Position(Placement),
}

impl Message {
    /// Reads a word; none if it is no message.
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

    /// Appends the message without its end. What stands on a square nobody knows is told as a pawn.
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

/// A square's name.
pub(super) fn square(name: &[u8]) -> Option<Square> {
    core::str::from_utf8(name).ok().and_then(Square::parse)
}

/// The name of a square.
pub const fn name(square: Square) -> [u8; 2] {
    [b'a' + square.file(), b'1' + square.rank()]
}

/// Either case: the page has no letter in its example.
const fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

fn letter(reading: &Reading) -> u8 {
    match reading.piece() {
        Some(piece) => piece.letter() as u8,
        None if *reading == Reading::Empty => b'.',
        None => b'P',
    }
}
