//! ChessUp: a board that senses touch and follows the game in its own firmware. A codec only, no driver.
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
//! There is no row in the registry, because no driver that only asks could say anything true:
//!
//! * the one harmless question is the state (67), and what its bytes mean no source tells: no squares can be read;
//! * a move is what the firmware concluded from touches, not what stands on squares: an illegal move, a piece put back or a piece
//!   knocked over is never told, and the vocabulary of events has no moves;
//! * a move has to be acknowledged (21) or is repeated, and the acknowledgement makes the board's own game go on: it is no question. It
//!   takes the mode b9 to have moves at all, which changes how the board plays with whoever sits at it.
//!
//! Every message is one notification or one write of its own, so there is nothing to frame. Page: `chessup/README.md`, evidence B
//! (`protocols/README.md#4`).

use alloc::vec::Vec;

use crate::square::Square;

pub mod host;

/// What the board says, one notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardMessage<'a> {
    /// A move that its firmware took.
    Move {
        /// Where the piece stood.
        from: Square,
        /// Where it stands now.
        to: Square,
    },
    /// 97: a promotion; the bytes behind it.
    Promotion(&'a [u8]),
    /// As long as a state, which has no known layout.
    State(&'a [u8]),
}

impl<'a> BoardMessage<'a> {
    /// Reads one notification; none if it is nothing that the page lists, or a move beyond the edge of the board.
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

    /// Appends the notification.
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
