//! Reads what is played after a result, and takes it over if the result is taken back (`reconstruct/README.md#4.5`).

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::time::Instant;

use crate::after_result::AfterResult;
use crate::reconstruct::{Conclusion, Decoder};
use crate::seen::Seen;

/// The largest number of squares on which the board may differ from the moves after a result, while a move is being made.
const UNDER_WAY: u32 = 3;

impl Seen {
    /// Begins to follow what is played after the result that the game is being given.
    pub(crate) fn begin_after_result(&mut self) {
        let (decoder, plies) = (self.play.decoder.clone(), self.play.decoder.record.moves().len());
        self.play.after_result = Some(Box::new(AfterResult { decoder, conclusions: Vec::new(), plies }));
    }

    /// Lets the decoder that reads the board follow it now. After a result, what is moved while the clocks stand is analysis.
    pub(crate) fn read_board(&mut self, now: Instant) {
        let analysis = self.clock_stands();
        match &mut self.play.after_result {
            None if self.phase.is_read() => self.play.decoder.board_changed(now, &self.board),
            None => {}
            Some(_) if analysis => {}
            Some(after) => after.decoder.board_changed(now, &self.board),
        }
    }

    /// The same after a time in which the board was not heard.
    pub(crate) fn read_board_after_gap(&mut self, since: Option<Instant>, now: Instant) {
        if let (Some(since), Some(after)) = (since, &mut self.play.after_result) {
            after.decoder.begin_gap(since, now, &self.board, &mut after.conclusions);
        }
    }

    /// Lets the decoder of the moves after a result draw its conclusions up to now. True if these moves changed.
    pub(crate) fn review_after_result(&mut self, now: Instant) -> bool {
        let (analysis, view) = (self.clock_stands(), self.clock.view());
        let Some(after) = self.play.after_result.as_mut().filter(|_| !analysis) else { return false };
        let moves = |decoder: &Decoder| (decoder.record.moves().len(), decoder.line().plies().len(), decoder.line().made_at());
        let known = moves(&after.decoder);
        after.decoder.review(now, &self.board, &view, &mut after.conclusions);
        after.conclusions.retain(|conclusion| !matches!(conclusion, Conclusion::Sure { .. }));
        after.conclusions.truncate(AfterResult::MAX_CONCLUSIONS);
        known != moves(&after.decoder)
    }

    /// The next moment at which these moves may change without a report.
    pub(crate) fn after_result_due(&self, now: Instant) -> Option<Instant> {
        let after = self.play.after_result.as_ref().filter(|_| !self.clock_stands())?;
        after.decoder.deadline(now, &self.board, &self.clock.view())
    }

    /// Takes what was played after the result that is taken back, if it was play: with a clock somebody pressed, and without one the
    /// board still shows it. Anything else was analysis.
    pub(crate) fn take_after_result(&mut self) -> Option<(Decoder, Vec<Conclusion>)> {
        let AfterResult { mut decoder, conclusions, plies } = *self.play.after_result.take()?;
        if self.clock_stands() {
            decoder.drop_half_gestures();
        }
        let moves = decoder.record.moves();
        let played = match self.clock.chessclock.present() {
            true => moves.len() <= plies || moves.since(plies).any(|known| known.pressed.is_some()),
            false => decoder.unexplained_squares(&self.board).count_ones() <= UNDER_WAY,
        };
        played.then_some((decoder, conclusions))
    }
}
