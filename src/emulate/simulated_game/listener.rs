//! Reads the bytes of the simulated board independently of the station, to know when each change was reported.

use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::ClockMessage;
use flagfall_protocols::drivers::dgt::framing::{Framed, Framing};
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::Instant;

/// The reports of the board, with their times in microseconds.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Squares that changed, with the time, in order: microseconds, bit of the square.
    pub fields: Vec<(u64, u64)>,
    /// Clock reports that show another lever position than the one before: microseconds, whose lever is up.
    pub levers: Vec<(u64, ClockSide)>,
    /// When the whole board was reported.
    pub dumps: Vec<u64>,
}

/// Reads the board's bytes separately: what came when, independently of the station.
#[derive(Debug, Default)]
pub(super) struct Listener {
    pub(super) framing: Framing,
    pub(super) heard: Heard,
}

impl Listener {
    pub(super) fn handle_bytes(&mut self, at: Instant, bytes: &[u8]) {
        for &byte in bytes {
            let Some(Framed::Message { id, data, .. }) = self.framing.push(byte) else { continue };
            match BoardMessage::decode(id, data) {
                Some(BoardMessage::Field { index, .. }) => {
                    if let Some(square) = squares::square(index) {
                        self.heard.fields.push((at.0, square.bit()));
                    }
                }
                Some(BoardMessage::Board(_)) => self.heard.dumps.push(at.0),
                Some(BoardMessage::Clock(bytes)) => {
                    let ClockMessage::Report(report) = ClockMessage::decode(&bytes) else { continue };
                    let up = report.status.lever_up();
                    if self.heard.levers.last().is_none_or(|(_, before)| *before != up) {
                        self.heard.levers.push((at.0, up));
                    }
                }
                _ => {}
            }
        }
    }
}
