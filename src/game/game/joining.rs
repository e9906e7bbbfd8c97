//! Decides from which position a game goes on that is joined in progress, or after a gap that nothing explains.

use alloc::vec::Vec;

use super::Game;
use super::transitions::revision;
use crate::alarm::AlarmKind;
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::irregular::Irregularities;
use crate::joining::{Joining, is_about_press};
use crate::pair::Pair;
use crate::played::Cause;
use crate::reconstruct::{Conclusion, Decoder};
use crate::seen::Seen;

impl Game {
    /// Follows the possible positions of a game that is joined in progress, until a whole move proves one of them. Before that no
    /// press is reported as wrong.
    pub(super) fn review_joining(&mut self, out: &mut Vec<Effect>) {
        if !self.seen.is_joining() {
            return;
        }
        if self.seen.joining.follows_gap() {
            return self.review_after_gap(out);
        }
        let view = self.seen.clock.view();
        let begun = self.seen.phase.stage == GamePhase::Playing;
        let Seen { board, play, joining, .. } = &mut self.seen;
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
                self.reports.revised();
            }
        }
    }

    /// Follows the possible positions after a gap that nothing explains. The game goes on from the one that explains two presses. The
    /// moves of the gap and their number stay unknown, and the alarms about it stay open. Meanwhile no press is reported as wrong.
    fn review_after_gap(&mut self, out: &mut Vec<Effect>) {
        let view = self.seen.clock.view();
        let Seen { board, play, joining, .. } = &mut self.seen;
        if !play.decoder.is_lost(self.now) {
            *joining = Joining::default();
            return;
        }
        joining.review(self.now, board, &view);
        play.conclusions.retain(|conclusion| !is_about_press(conclusion));
        if play.decoder.is_believed(self.now, board) {
            return;
        }
        let Some(decoder) = joining.take_in_step(board) else { return };
        self.apply_conclusions(out);
        self.irregular = Irregularities::default();
        self.begin_segment(decoder);
        self.seen.play.completed_before = Pair::default();
        self.seen.play.step_found = Some(self.now);
        out.push(revision(1, Cause::UnexplainedGap, Vec::new()));
        for index in 0..self.seen.play.decoder.record.moves().len() {
            self.move_is_sure(index, out);
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
