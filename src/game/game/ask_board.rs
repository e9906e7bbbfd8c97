//! Asks the board for its squares, or for its own log.

use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;

use super::Game;
use crate::effect::Effect;
use crate::seen::Play;

impl Game {
    /// Asks for all squares if the report of a change may have been lost.
    pub(super) fn ask_board(&mut self, out: &mut Vec<Effect>) {
        if self.board_questions.review(self.now, &mut self.seen, &self.alarms) {
            out.push(Effect::Device(DeviceCommand::ReadBoard));
        }
    }

    /// If moves were made while the board was not heard, and the board shows the position before them: asks for its log.
    pub(super) fn notice_hidden_moves(&mut self, out: &mut Vec<Effect>) {
        if let Some(since) = self.seen.moves_hidden_since() {
            let Play { decoder, conclusions, .. } = &mut self.seen.play;
            if decoder.begin_hidden_gap(since, self.now, conclusions) {
                out.push(Effect::Device(DeviceCommand::ReadLog));
            }
        }
    }
}
