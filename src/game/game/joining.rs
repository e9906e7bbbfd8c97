//! Decides from which position a game goes on that is joined in progress, or of which moves were missed.

use alloc::vec::Vec;

use super::Game;
use super::transitions::revision;
use crate::alarm::AlarmKind;
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::joining::{Joining, is_about_press};
use crate::pair::Pair;
use crate::played::Cause;
use crate::reconstruct::{Conclusion, Decoder};
use crate::seen::Seen;

impl Game {
    /// Follows the possible positions of a game that is joined in progress, or that is lost after a gap, until a whole move proves one
    /// of them.
    pub(super) fn review_joining(&mut self, out: &mut Vec<Effect>) {
        if !self.seen.is_joining() {
            self.seen.joining.forget_positions();
            return;
        }
        let view = self.seen.clock.view();
        let Seen { board, joining, .. } = &mut self.seen;
        joining.review(self.now, board, &view);
        match self.seen.phase.stage {
            GamePhase::Playing if self.seen.joining.undecided => self.review_joined_game(out),
            GamePhase::Playing => self.review_gap(out),
            _ => {
                if let Some(decoder) = self.seen.joining.take_proved() {
                    self.join_at(decoder.record.start().clone(), None, out);
                    self.alarms.raise(self.now, AlarmKind::JoinedInProgress, None, 0);
                    self.go_on_with(decoder, out);
                }
            }
        }
    }

    /// Decides with which decoder a joined game goes on. Before that a press without a move is no fault, because its move may have
    /// been made before the game was joined.
    fn review_joined_game(&mut self, out: &mut Vec<Effect>) {
        let Seen { board, play, joining, .. } = &mut self.seen;
        if !play.decoder.record.moves().is_empty() {
            *joining = Joining::default();
            return self.settle_sides();
        }
        if let Some(decoder) = joining.take_proved() {
            return self.go_on_with(decoder, out);
        }
        joining.note_standing(self.now, &play.decoder, board);
        play.conclusions.retain(|conclusion| joining.believes(conclusion));
        if play.conclusions.iter().any(is_about_press) {
            *joining = Joining::default();
        } else if joining.show_better(&mut play.decoder, board) {
            self.reports.live_dirty = true;
            self.reports.revised();
        }
    }

    /// Goes on after a gap that nothing explains, once a move and its press have proved a position after it. The moves of the gap stay
    /// unknown, and so does their number: the alarms stay open.
    fn review_gap(&mut self, out: &mut Vec<Effect>) {
        if !self.seen.is_lost_after_gap(self.now) {
            return;
        }
        let Some(decoder) = self.seen.joining.take_proved() else { return };
        self.apply_conclusions(out);
        self.alarms.raise(self.now, AlarmKind::Unreachable, None, 0);
        self.begin_segment(decoder);
        self.seen.play.completed_before = Pair::default();
        out.push(revision(1, Cause::UnexplainedGap, Vec::new()));
        for index in 0..self.seen.play.decoder.record.moves().len() {
            self.move_is_sure(index, out);
        }
    }

    /// Goes on with this decoder, which has explained the first moves of a joined game.
    fn go_on_with(&mut self, decoder: Decoder, out: &mut Vec<Effect>) {
        self.seen.joining = Joining::default();
        let held = |conclusion: &Conclusion| !is_about_press(conclusion) && !matches!(conclusion, Conclusion::Sure { .. });
        self.seen.play.conclusions.retain(held);
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
