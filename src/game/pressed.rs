//! Reports a press that completed no legal move, and follows what is played after an illegal move.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::after_illegal::{AfterIllegal, left_by, may_be_reply, moved_by};
use crate::alarm::{AlarmKind, Alarms};
use crate::interval::Interval;
use crate::men::{self, Men};
use crate::reconstruct::record::Record;
use crate::reconstruct::{Conclusion, Decoder, setup};
use crate::seen::Seen;

/// The largest number of own men that one illegal move may displace: as many as in a castling.
const MOVED_BY_ONE: usize = 2;
/// The largest number of squares that may differ after it, if the opponent has begun his reply or a man beside them was knocked
/// over.
const SQUARES_OF_ONE: u32 = 6;

impl Seen {
    /// Raises the alarm for a press without a legal move: either an illegal move, or men that no single move can have
    /// displaced (`reconstruct/README.md#6.1`). True if it was an illegal move of the men (7.5.1).
    pub(crate) fn raise_illegal_press(
        &self,
        now: Instant,
        by: Color,
        pawn_stays: bool,
        at: Interval,
        alarms: &mut Alarms,
    ) -> bool {
        let (board, node) = (&self.board, self.play.decoder.record.node());
        // Men that the opponent has moved since then do not count.
        let stood = board.past(at.latest.after(board.scan())).last().map_or(*board.men(), |(_, men)| men);
        let at_press = men::difference(&stood, &node.men);
        let own = men::squares(at_press).filter(|square| men::color(node.men[square.index()]) == Some(by)).count();
        let one_move = own <= MOVED_BY_ONE && at_press.count_ones() <= SQUARES_OF_ONE;
        if !pawn_stays && node.exact(board.men()).is_some() {
            // A legal move was made after all, but it came too late for its press.
            return false;
        }
        let squares = men::difference(board.men(), &node.men);
        if !pawn_stays && (!one_move || self.phase.gesture.is_some()) {
            alarms.raise(now, AlarmKind::PositionDiffers, None, squares);
            return false;
        }
        let kind = if pawn_stays { AlarmKind::PromotionNotReplaced } else { AlarmKind::IllegalMove };
        alarms.raise_press(now, at.latest, kind, by, squares);
        !pawn_stays
    }
}

impl Seen {
    /// Begins to follow what is played after an illegal move of `by`, if the board showed at the press which move it was.
    pub(crate) fn follow_illegal_move(&mut self, now: Instant, by: Color, pressed: Interval) {
        let base = self.play.decoder.record.node();
        if self.play.after_illegal.is_some() || !self.play.decoder.line().is_empty() || men::turn(&base.position) != by {
            return;
        }
        let Some(men) = self.shown_at(pressed).find_map(|shown| left_by(&base.men, &shown, by)) else { return };
        if may_be_reply(&base.men, &men, self.board.men(), by) {
            return;
        }
        let start = setup::after_illegal_move(&men, by.other(), &base.position, self.config.castling_mode());
        let mut conclusions = Vec::new();
        let decoder = start.map(|start| self.decoder_from(now, start, pressed, &mut conclusions));
        let followed = AfterIllegal { by, pressed, men, decoder, begins_after_reply: false, conclusions };
        self.play.after_illegal = Some(followed);
    }

    /// Handles a press of `by` after an illegal move that left the king of its player in check. If one legal-looking move of
    /// `by` was made, the moves are followed from the position after it.
    pub(crate) fn follow_reply_to_check(&mut self, now: Instant, by: Color, pressed: Interval) {
        let Some(after) = self.play.after_illegal.take_if(|after| after.decoder.is_none() && after.by != by) else { return };
        let before = &self.play.decoder.record.node().position;
        let mode = self.config.castling_mode();
        let replied = |shown: Men| setup::after_illegal_move(&moved_by(&after.men, &shown, by)?, after.by, before, mode);
        let start = self.shown_at(pressed).find_map(replied);
        let mut conclusions = Vec::new();
        let decoder = start.map(|start| self.decoder_from(now, start, pressed, &mut conclusions));
        let begins_after_reply = decoder.is_some();
        self.play.after_illegal = Some(AfterIllegal { decoder, begins_after_reply, conclusions, ..after });
    }

    /// Reviews the moves after an illegal move. They are forgotten when the position before it stands again, or when the board
    /// was not heard. True if the moves changed.
    pub(crate) fn review_after_illegal(&mut self, now: Instant) -> bool {
        let view = self.clock.view();
        let Some(after) = &mut self.play.after_illegal else { return false };
        let restored = men::same(self.board.men(), &self.play.decoder.record.node().men);
        if restored || !self.board.seen_since(after.pressed.earliest) {
            self.play.after_illegal = None;
            self.play.decoder.forget_tentative();
            self.play.decoder.board_changed(now, &self.board);
            return true;
        }
        let Some(decoder) = &mut after.decoder else { return false };
        let known = decoder.record.moves().len();
        decoder.review(now, &self.board, &view, &mut after.conclusions);
        let moves = decoder.record.moves().len();
        if known == 0 && moves > 0 {
            // The record waits for a ruling from here on.
            self.play.decoder.forget_tentative();
        }
        moves != known
    }

    /// Takes the illegal move that stands, because the opponent has replied and the board shows nothing else. `pressed` is true
    /// if he must also have pressed.
    pub(crate) fn take_illegal_move_that_stands(&mut self, pressed: bool) -> Option<AfterIllegal> {
        let after = self.play.after_illegal.as_mut()?;
        if after.is_answered(pressed) && after.decoder.as_ref().is_some_and(|decoder| decoder.explains(&self.board)) {
            return self.play.after_illegal.take();
        }
        after.conclusions.clear();
        None
    }

    /// Takes the illegal move that left this position on the board, if there is one.
    pub(crate) fn take_illegal_move_to(&mut self, position: &Chess) -> Option<AfterIllegal> {
        self.play.after_illegal.take_if(|after| after.begins_with(position))
    }

    /// The boards that may have stood at this press, the latest one first.
    fn shown_at(&self, pressed: Interval) -> impl Iterator<Item = Men> {
        let reported = pressed.latest.after(self.board.scan());
        self.board.past(pressed.earliest).filter(move |(since, _)| *since <= reported).map(|(_, men)| men)
    }

    fn decoder_from(&self, now: Instant, start: Chess, pressed: Interval, out: &mut Vec<Conclusion>) -> Decoder {
        let record = Record::new(start, self.config.castling_mode(), &self.config.rulebook);
        self.play.decoder.begin_after(pressed, record, (now, &self.board), out)
    }
}
