//! Messages of a host to a board, encoded and decoded (`chessup/README.md#1`): for emulators and tests, there is no session.

use alloc::vec::Vec;

use crate::square::Square;

/// Everything a host is known to send, one write each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand<'a> {
    /// 67: the state is asked for.
    State,
    /// 21: a move was taken.
    MoveTaken,
    /// 23: a promotion was taken.
    PromotionTaken,
    /// 64.
    Reset,
    /// 66: a position, as a FEN.
    Position(&'a [u8]),
    /// 99: the board shows a move.
    Move {
        /// From here.
        from: Square,
        /// To here.
        to: Square,
    },
    /// b9: play over the board, led by the host; only this one setting is known.
    PlayOverTheBoard,
}

const PLAY_OVER_THE_BOARD: [u8; 12] = [0xb9, 0x05, 0x00, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00];

impl<'a> HostCommand<'a> {
    /// Reads one write; none if it is nothing that the page lists.
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

    /// Appends the write.
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
