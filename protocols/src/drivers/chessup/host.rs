//! Encodes and decodes the commands that a host sends to a ChessUp (`chessup/README.md#1`). They are for emulators and tests;
//! there is no driver.

use alloc::vec::Vec;

use crate::square::Square;

/// All known commands of a host, one write each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand<'a> {
    /// 67: asks for the state.
    State,
    /// 21: acknowledges a move.
    MoveTaken,
    /// 23: acknowledges a promotion.
    PromotionTaken,
    /// 64: resets the board.
    Reset,
    /// 66: a position, as a FEN.
    Position(&'a [u8]),
    /// 99: makes the board show a move.
    Move {
        /// The square of origin.
        from: Square,
        /// The target square.
        to: Square,
    },
    /// b9: play over the board, led by the host. Only this one setting is known.
    PlayOverTheBoard,
}

const PLAY_OVER_THE_BOARD: [u8; 12] = [0xb9, 0x05, 0x00, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00];

impl<'a> HostCommand<'a> {
    /// Reads one write; `None` if the page does not list it.
    pub fn decode(bytes: &'a [u8]) -> Option<HostCommand<'a>> {
        Some(match bytes {
            [0x67] => HostCommand::State,
            [0x21] => HostCommand::MoveTaken,
            [0x23] => HostCommand::PromotionTaken,
            [0x64] => HostCommand::Reset,
            [0x66, fen @ ..] => HostCommand::Position(fen),
            [0x99, from, to] => HostCommand::Move { from: Square::new(*from)?, to: Square::new(*to)? },
            _ if *bytes == PLAY_OVER_THE_BOARD => HostCommand::PlayOverTheBoard,
            _ => return None,
        })
    }

    /// Appends the bytes of the write.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            HostCommand::State => out.push(0x67),
            HostCommand::MoveTaken => out.push(0x21),
            HostCommand::PromotionTaken => out.push(0x23),
            HostCommand::Reset => out.push(0x64),
            HostCommand::Position(fen) => {
                out.push(0x66);
                out.extend_from_slice(fen);
            }
            HostCommand::Move { from, to } => out.extend_from_slice(&[0x99, from.index() as u8, to.index() as u8]),
            HostCommand::PlayOverTheBoard => out.extend_from_slice(&PLAY_OVER_THE_BOARD),
        }
    }
}
