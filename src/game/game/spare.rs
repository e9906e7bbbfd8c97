//! Goes on with a game at another board: asks an arbiter to set up its position there.

use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::event::Identity;
use flagfall_protocols::square::Placement;

use super::Game;
use crate::alarm::AlarmKind;
use crate::effect::Effect;
use crate::lifecycle::Spare;
use crate::seen::Seen;

impl Game {
    /// An arbiter has named the device that is the board's from now on.
    pub(super) fn bind_device(&mut self) {
        if self.health.bound(self.now, &mut self.alarms) {
            self.seen.board.forget_dropouts();
        }
        self.seen.expect_spare(false);
    }

    /// The board has reported who it is.
    pub(super) fn identify_device(&mut self, identity: &Identity) {
        if self.health.identified(self.now, identity, &mut self.alarms) {
            self.seen.board.forget_dropouts();
            self.seen.expect_spare(true);
        }
    }

    /// The board has reported all its squares.
    pub(super) fn handle_frame(&mut self, frame: &Placement, out: &mut Vec<Effect>) {
        let unseen = self.seen.board.unseen_since();
        self.seen.phase.spare.note_all_squares(self.now, unseen.is_some());
        if !self.seen.board.frame(self.now, frame) && unseen.is_none() {
            return;
        }
        let goes_back = self.seen.meet_spare();
        // Moves may have been made meanwhile, which the board's own log may show.
        let Seen { board, play, phase, .. } = &mut self.seen;
        if let Some(since) = unseen.filter(|_| phase.is_read() && !goes_back)
            && play.decoder.begin_gap(since, self.now, board, &mut play.conclusions)
        {
            out.push(Effect::Device(DeviceCommand::ReadLog));
        }
        self.seen.read_board_after_gap(unseen, self.now);
        self.handle_board_change(out);
        self.notice_hidden_moves(out);
    }

    /// Names the squares on which a spare differs from the game, until it shows the game's position, an arbiter has closed the alarm, or
    /// the game has a result.
    pub(super) fn review_spare(&mut self) {
        let Spare::Differs { first, named } = self.seen.phase.spare else {
            self.alarms.cure(self.now, AlarmKind::PositionToRestore);
            return;
        };
        let heard = self.seen.board.unseen_since().is_none();
        let closed = named && !self.alarms.is_open(AlarmKind::PositionToRestore);
        let over = !self.seen.phase.is_read() || self.rulings.result.is_some();
        if !over && !closed && !heard {
            return;
        }
        self.seen.turn_spare();
        if !over && self.seen.spare_is_set_up(self.now) {
            self.seen.end_set_up(self.now);
            self.alarms.cure(self.now, AlarmKind::PositionToRestore);
            return;
        }
        let wrong = if over || closed { Some(Default::default()) } else { self.seen.compare_spare(self.now) };
        match wrong {
            Some(wrong) if wrong.is_empty() => {
                if closed && !over {
                    self.seen.end_set_up(self.now);
                }
                self.seen.phase.spare = Spare::None;
                self.alarms.cure(self.now, AlarmKind::PositionToRestore);
                // The men may be set up for the next game already.
                let pending = self.rulings.is_pending(&self.seen.clock.chessclock);
                self.seen.watch_next_set_up(self.now, pending);
            }
            Some(wrong) => {
                self.seen.phase.spare = Spare::Differs { first, named: true };
                self.alarms.raise_wrong_set_up(self.now, AlarmKind::PositionToRestore, wrong);
            }
            None => {}
        }
    }
}
