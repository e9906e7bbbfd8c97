//! Encodes and decodes the messages of ChessUp, a board that senses touch and follows the game in its own firmware. There is no
//! driver.
//!
//! ```text
//!  host to board                                                                         host.rs
//!    67               state                   21   a move was taken        23   a promotion was taken
//!    64               reset                   66  text of a FEN …
//!    99  from to      a move is shown, a1 = 0
//!    b9 05 00 01 00 00 01 00 00 00 00 00     play over the board, led by the host
//!
//!  board to host
//!    a3 35  file rank file rank              a move: from, to; 0 = a, 0 = the first rank
//!    97 …                                    a promotion, layout unknown
//!    72 or 73 bytes                          the state, layout unknown
//! ```
//!
//! There is no row in the registry, because a driver that only asks could not report anything reliable:
//!
//! * the only harmless question is the state (67), and no source explains its bytes, so no squares can be read;
//! * a move is the firmware's conclusion from touches, not a report of the squares: an illegal move, a piece that is put back
//!   or a piece that is knocked over is never reported, and there is no event for a move;
//! * a move must be acknowledged (21) or it is repeated, and the acknowledgement continues the board's own game, so it is not a
//!   question. Moves come only in the mode b9, which changes how the board plays with its players.
//!
//! Every message is one notification or one write, so there is no framing. Page: `chessup/README.md`, evidence B
//! (`protocols/README.md#4`).

use alloc::vec::Vec;

use crate::square::Square;

pub mod host;

/// A message of the board: one notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardMessage<'a> {
    /// A move that its firmware accepted.
    Move {
        /// The square of origin.
        from: Square,
        /// The target square.
        to: Square,
    },
    /// 97: a promotion, with the following bytes.
    Promotion(&'a [u8]),
    /// A message with the length of a state. Its layout is not known.
    State(&'a [u8]),
}

impl<'a> BoardMessage<'a> {
    /// Reads one notification; `None` if the page does not list it, or if a move leaves the board.
    pub const fn decode(bytes: &'a [u8]) -> Option<BoardMessage<'a>> {
        match bytes {
            [0xa3, 0x35, from_file, from_rank, to_file, to_rank] => {
                match (square(*from_file, *from_rank), square(*to_file, *to_rank)) {
                    (Some(from), Some(to)) => Some(BoardMessage::Move { from, to }),
                    _ => None,
                }
            }
            [0x97, rest @ ..] => Some(BoardMessage::Promotion(rest)),
            _ if matches!(bytes.len(), 72 | 73) => Some(BoardMessage::State(bytes)),
            _ => None,
        }
    }

    /// Appends the bytes of the notification.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            BoardMessage::Move { from, to } => {
                out.extend_from_slice(&[0xa3, 0x35, from.file(), from.rank(), to.file(), to.rank()]);
            }
            BoardMessage::Promotion(rest) => {
                out.push(0x97);
                out.extend_from_slice(rest);
            }
            BoardMessage::State(bytes) => out.extend_from_slice(bytes),
        }
    }
}

const fn square(file: u8, rank: u8) -> Option<Square> {
    if file < 8 && rank < 8 { Square::new(rank * 8 + file) } else { None }
}
