//! Messages of a board, encoded and decoded (`chessnut/README.md#3` and `chessnut/README.md#6`).

use alloc::vec::Vec;

use crate::square::{Piece, Placement, Reading, Square};

/// What stands somewhere, by its code from 1 on.
const PIECES: [char; 12] = ['q', 'k', 'b', 'p', 'n', 'R', 'P', 'r', 'B', 'N', 'Q', 'K'];

/// Length of a position's payload as boards send it by radio.
pub const BY_RADIO: u8 = 0x24;
/// The same by cable.
pub const BY_CABLE: u8 = 0x3d;
/// Two squares a byte.
pub const SQUARES: usize = 32;

/// A message of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// 01: what stands on the squares.
    Board {
        /// Length of the payload.
        length: u8,
        /// h8 g8 … a1, low half of a byte first; see [`placement`].
        squares: [u8; SQUARES],
        /// The four bytes behind them, as far as they are there: seconds, low byte first. Not of use.
        counter: u32,
    },
    /// 23 01 00: the command was taken.
    Accepted,
    /// 23 01 01: it was not.
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
    /// 41 05 15: what kind of board it is.
    Kind([u8; 4]),
    /// 41 89 0b: the pieces of a Move; where they are and their batteries are not kept.
    Pieces,
}

/// How far bytes are a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No message begins so; `known` if its first byte is one that messages begin with.
    No {
        /// Only the length or what follows it does not fit.
        known: bool,
    },
    /// More must come.
    Part,
    /// The first so many bytes are one.
    Whole(usize),
}

/// How far these bytes of a channel are a message. Piece codes are not looked at.
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
        // What it says beside the button's number is not known.
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

/// Whether a position's payload may be so long. All squares are in the first 32 bytes, so a shorter tail does no harm.
pub const fn is_position(length: u8) -> bool {
    matches!(length, 0x20..=BY_RADIO | BY_CABLE)
}

/// Whether a byte may stand for two squares.
pub const fn is_squares(byte: u8) -> bool {
    byte & 15 <= 12 && byte >> 4 <= 12
}

impl Message {
    /// The message that these bytes are; its [`shape`] must be [`Shape::Whole`] of all of them.
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

    /// Appends the message. Of pieces nothing is known; a position's bytes behind the counter are zero.
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

    /// Percent and whether it charges, if it tells of the battery: there are two ways to say that it charges, and 0 percent is
    /// said before it is known.
    pub const fn battery(&self) -> Option<(u8, bool)> {
        match *self {
            Message::Battery { value: 0, .. } => None,
            Message::Battery { value, flag } => Some((value & 0x7f, value & 0x80 != 0 || flag == 1)),
            Message::MoveBattery { charging, percent } => Some((percent, charging == 1)),
            _ => None,
        }
    }
}

/// What the squares of a position show; none if a code is that of no piece.
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

/// The squares as a board sends them; what is no piece is an empty square.
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
