//! Encodes and decodes the messages that a Chessnut board sends (`chessnut/README.md#3` and `chessnut/README.md#6`).

use alloc::vec::Vec;

use crate::square::{Piece, Placement, Reading, Square};

/// The pieces in the order of their codes. The first code is 1.
const PIECES: [char; 12] = ['q', 'k', 'b', 'p', 'n', 'R', 'P', 'r', 'B', 'N', 'Q', 'K'];

/// The length of a position's payload by radio, in bytes.
pub const BY_RADIO: u8 = 0x24;
/// The length of a position's payload by cable, in bytes.
pub const BY_CABLE: u8 = 0x3d;
/// The number of bytes for all squares, with two squares per byte.
pub const SQUARES: usize = 32;

/// A message of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// 01: the pieces on all squares.
    Board {
        /// Length of the payload.
        length: u8,
        /// h8 g8 … a1, the low half of a byte first; see [`placement`].
        squares: [u8; SQUARES],
        /// The four bytes after them, as far as they are present: seconds, low byte first. They are not used.
        counter: u32,
    },
    /// 23 01 00: the command was accepted.
    Accepted,
    /// 23 01 01: the command was not accepted.
    NotReady,
    /// 2a: the battery; [`Message::battery`] reads it.
    Battery {
        /// Percent, and bit 7: charging.
        value: u8,
        /// 1: charging.
        flag: u8,
    },
    /// 41 03 0c: the battery of a Move.
    MoveBattery {
        /// 1: charging.
        charging: u8,
        /// Percent.
        percent: u8,
    },
    /// 32: how many games are stored.
    Games(u8),
    /// 0f: a button was pressed.
    Button(u8),
    /// 41 05 15: the kind of board.
    Kind([u8; 4]),
    /// 41 89 0b: the pieces of a Move. Their places and batteries are not stored.
    Pieces,
}

/// How much of a message some bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No message begins with these bytes.
    No {
        /// The first byte is valid; only the length or a later byte is not.
        known: bool,
    },
    /// The message is incomplete.
    Part,
    /// The first bytes are a complete message of this length.
    Whole(usize),
}

/// Returns how much of a message these bytes of a channel are. Piece codes are not checked.
pub fn shape(channel: u8, bytes: &[u8]) -> Shape {
    let Some(&op) = bytes.first() else { return Shape::Part };
    let known = match channel {
        0 => op == 0x01,
        _ => matches!(op, 0x0f | 0x23 | 0x2a | 0x32 | 0x41),
    };
    let fits = match (op, &bytes[1..]) {
        _ if !known => false,
        (0x01, [length, ..]) => is_position(*length),
        (0x23, [length]) => *length == 1,
        (0x23, [length, said, ..]) => *length == 1 && *said <= 1,
        (0x2a, [length, ..]) => *length == 2,
        (0x32, [length, ..]) => *length == 1,
        // The bytes after the button's number are not known.
        (0x0f, [length, ..]) => (1..=4).contains(length),
        (_, [length]) => matches!(*length, 0x03 | 0x05 | 0x89),
        (_, [length, what, ..]) => matches!((*length, *what), (0x03, 0x0c) | (0x05, 0x15) | (0x89, 0x0b)),
        (_, []) => true,
    };
    match bytes.get(1) {
        _ if !fits => Shape::No { known },
        Some(length) if bytes.len() >= usize::from(*length) + 2 => Shape::Whole(usize::from(*length) + 2),
        _ => Shape::Part,
    }
}

/// Returns whether a position's payload may have this length. The first 32 bytes contain all squares, so a shorter tail is
/// harmless.
pub const fn is_position(length: u8) -> bool {
    matches!(length, 0x20..=BY_RADIO | BY_CABLE)
}

/// Returns whether a byte is valid for two squares.
pub const fn is_squares(byte: u8) -> bool {
    byte & 15 <= 12 && byte >> 4 <= 12
}

impl Message {
    /// Decodes a message. The [`shape`] of the bytes must be [`Shape::Whole`] with their full length.
    pub fn decode(bytes: &[u8]) -> Option<Message> {
        Some(match *bytes {
            [0x01, length, ref rest @ ..] => {
                let (squares, tail) = rest.split_first_chunk::<SQUARES>()?;
                let counter = (0u32..4).zip(tail).map(|(place, byte)| u32::from(*byte) << (8 * place)).sum();
                Message::Board { length, squares: *squares, counter }
            }
            [0x23, 0x01, 0x00] => Message::Accepted,
            [0x23, 0x01, _] => Message::NotReady,
            [0x2a, 0x02, value, flag] => Message::Battery { value, flag },
            [0x41, 0x03, 0x0c, charging, percent] => Message::MoveBattery { charging, percent },
            [0x32, 0x01, games] => Message::Games(games),
            [0x0f, _, button, ..] => Message::Button(button),
            [0x41, 0x05, 0x15, a, b, c, d] => Message::Kind([a, b, c, d]),
            [0x41, 0x89, 0x0b, ..] => Message::Pieces,
            _ => return None,
        })
    }

    /// Appends the bytes of the message. The data of pieces are placeholders, and a position's bytes after the counter are
    /// zero.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Message::Board { length, squares, counter } => {
                let end = out.len() + 2 + usize::from(length);
                out.extend_from_slice(&[0x01, length]);
                out.extend_from_slice(&squares);
                out.extend_from_slice(&counter.to_le_bytes());
                out.resize(end, 0);
            }
            Message::Accepted => out.extend_from_slice(&[0x23, 0x01, 0x00]),
            Message::NotReady => out.extend_from_slice(&[0x23, 0x01, 0x01]),
            Message::Battery { value, flag } => out.extend_from_slice(&[0x2a, 0x02, value, flag]),
            Message::MoveBattery { charging, percent } => out.extend_from_slice(&[0x41, 0x03, 0x0c, charging, percent]),
            Message::Games(games) => out.extend_from_slice(&[0x32, 0x01, games]),
            Message::Button(button) => out.extend_from_slice(&[0x0f, 0x01, button]),
            Message::Kind([a, b, c, d]) => out.extend_from_slice(&[0x41, 0x05, 0x15, a, b, c, d]),
            Message::Pieces => {
                out.extend_from_slice(&[0x41, 0x89, 0x0b]);
                out.resize(out.len() + 136, 0xff);
            }
        }
    }

    /// Returns the percent and whether the battery charges, if the message reports the battery. There are two codes for
    /// charging. 0 percent means that the charge is not known yet.
    pub const fn battery(&self) -> Option<(u8, bool)> {
        match *self {
            Message::Battery { value: 0, .. } => None,
            Message::Battery { value, flag } => Some((value & 0x7f, value & 0x80 != 0 || flag == 1)),
            Message::MoveBattery { charging, percent } => Some((percent, charging == 1)),
            _ => None,
        }
    }
}

/// Returns the placement of a position; `None` if a code is not valid.
pub fn placement(squares: &[u8; SQUARES]) -> Option<Placement> {
    let mut placement = Placement::EMPTY;
    for square in Square::all() {
        let place = 63 - square.index();
        let code = squares[place / 2] >> (4 * (place % 2)) & 15;
        let reading = match code {
            0 => Reading::Empty,
            code => Reading::Piece(Piece::from_letter(*PIECES.get(usize::from(code) - 1)?)?),
        };
        placement.set(square, reading);
    }
    Some(placement)
}

/// Returns the squares as a board sends them. A reading that is no piece is sent as an empty square.
pub fn squares(placement: &Placement) -> [u8; SQUARES] {
    let mut squares = [0; SQUARES];
    for square in Square::all() {
        let piece = placement.get(square).piece();
        let code =
            piece.and_then(|piece| PIECES.iter().position(|letter| *letter == piece.letter())).map_or(0, |place| place + 1);
        let place = 63 - square.index();
        squares[place / 2] |= (code as u8) << (4 * (place % 2));
    }
    squares
}
