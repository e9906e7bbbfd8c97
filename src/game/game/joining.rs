//! Decides from which position a game that is joined in progress goes on.

use alloc::vec::Vec;

use super::Game;
use crate::alarm::AlarmKind;
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::joining::{Joining, is_about_press};
use crate::reconstruct::{Conclusion, Decoder};

impl Game {
    /// Follows the possible positions of a game that is joined in progress, until a whole move proves one of them. Before that no
    /// press is reported as wrong.
    pub(super) fn review_joining(&mut self, out: &mut Vec<Effect>) {
        if !self.seen.is_joining() {
            return;
        }
        let view = self.seen.clock.view();
        let begun = self.seen.phase.stage == GamePhase::Playing;
        let crate::seen::Seen { board, play, joining, .. } = &mut self.seen;
        joining.review(self.now, board, &view);
        if begun && !play.decoder.record.moves().is_empty() {
            *joining = Joining::default();
            self.settle_sides();
        } else if let Some(decoder) = joining.take_proved() {
            if !begun {
                self.join_at(decoder.record.start().clone(), None, out);
                self.alarms.raise(self.now, AlarmKind::JoinedInProgress, None, 0);
            }
            self.go_on_with(decoder, out);
        } else if begun {
            joining.note_standing(self.now, &play.decoder, board);
            play.conclusions.retain(|conclusion| joining.believes(conclusion));
            if play.conclusions.iter().any(is_about_press) {
                *joining = Joining::default();
            } else if joining.show_better(&mut play.decoder, board) {
                self.reports.live_dirty = true;
                self.reports.revised();
            }
        }
    }

    /// Goes on with this decoder, which has explained the first moves.
    fn go_on_with(&mut self, decoder: Decoder, out: &mut Vec<Effect>) {
        self.seen.joining = Joining::default();
        self.seen
            .play
            .conclusions
            .retain(|conclusion| !is_about_press(conclusion) && !matches!(conclusion, Conclusion::Sure { .. }));
        self.seen.play.decoder = decoder;
        self.settle_sides();
        self.reports.live_dirty = true;
        self.reports.revised();
        for index in 0..self.seen.play.decoder.record.moves().len() {
            self.move_is_sure(index, out);
        }
    }

    /// A whole move with its press has shown which side of the clock is White's.
    fn settle_sides(&mut self) {
        if self.seen.play.decoder.record.moves().last().is_some_and(|last| last.pressed.is_some()) {
            self.seen.clock.sides.settle();
        }
    }
}
