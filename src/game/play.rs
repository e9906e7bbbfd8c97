//! Follows the changes of the board while a game is read for moves.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::alarm::{AlarmKind, Alarms};
use crate::audit::AuditEntry;
use crate::effect::Effect;
use crate::game_phase::{GamePhase, Hint};
use crate::laws::outcome::{Ending, GameResult};
use crate::laws::rules::Winnability;
use crate::lifecycle::{GESTURE_SHOWS, Gesture};
use crate::mate;
use crate::reconstruct::record::How;
use crate::reconstruct::{Decoder, gesture};
use crate::seen::Seen;

/// The largest number of hints (results shown with the kings) that are kept of one game.
const MAX_HINTS: usize = 8;
/// The longest time from one king's arrival in the centre to the other's in one gesture. A king that had been there for longer had made a
/// move of the game.
const OTHER_HALF: Duration = Duration::from_secs(8);

impl Seen {
    /// Handles a change of the board. Returns true if the board is now read as other moves than before.
    pub(crate) fn follow_board(&mut self, now: Instant, alarms: &mut Alarms) -> bool {
        let line = self.play.decoder.line();
        let before = (line.plies().len(), line.made_at());
        if !self.reads_moves() {
            return false;
        }
        if !self.play.awaits_ruling_on_illegal_move() {
            self.play.decoder.board_changed(now, &self.board);
        }
        if let Some(decoder) = self.play.after_illegal.as_mut().and_then(|after| after.decoder.as_mut()) {
            decoder.board_changed(now, &self.board);
        }
        if self.clock_stands() {
            self.play.decoder.drop_half_gestures();
        }
        let line = self.play.decoder.line();
        let changed = before != (line.plies().len(), line.made_at());
        self.note_first_move(now, alarms);
        self.watch_gesture(now, alarms);
        changed
    }

    /// Lets the decoder draw its conclusions up to now. While only the moves after an illegal move explain the board, none that leave
    /// it unexplained become sure. True if what is played after a result changed.
    pub(crate) fn review_play(&mut self, now: Instant, alarms: &mut Alarms) -> bool {
        let after = self.play.after_illegal.as_ref().and_then(|after| after.decoder.as_ref());
        let explained_by_other = after.is_some_and(|after| {
            let unexplained = |decoder: &Decoder| decoder.unexplained_squares(&self.board) != 0;
            !after.line().is_empty() && !unexplained(after) && unexplained(&self.play.decoder)
        });
        if self.reads_moves() && !self.play.awaits_ruling_on_illegal_move() && !explained_by_other {
            let view = self.clock.view();
            self.play.decoder.review(now, &self.board, &view, &mut self.play.conclusions);
            self.note_first_move(now, alarms);
        }
        self.review_after_result(now)
    }

    /// Notes that the game begins with the first move. It may be understood some time after the board showed it.
    fn note_first_move(&mut self, now: Instant, alarms: &mut Alarms) {
        if self.phase.stage == GamePhase::Armed && !self.play.decoder.line().is_empty() {
            self.phase.stage = GamePhase::Playing;
            self.clock.note_play();
            if self.clock_stands() {
                alarms.raise(now, AlarmKind::ClockNotStarted, None, 0);
            }
        }
    }

    /// Keeps the moves that are made, also for the flag-falls that were observed or ruled on. `fell` is when the last flag fell that may
    /// cost the game.
    pub(crate) fn keep_made_moves(&mut self, now: Instant, fell: Option<Instant>) {
        let stay = fell.is_some() || self.clock.stopped().is_some();
        self.play.decoder.keep_made(now, &self.board, stay, fell, self.phase.gesture.is_some());
        self.settle_falls();
    }

    /// Keeps with each flag-fall that was observed or ruled on the moves that stood then.
    pub(crate) fn settle_falls(&mut self) {
        for fall in self.clock.chessclock.flags_mut().iter_mut() {
            if let Some(at) = fall.settled_at() {
                self.play.decoder.keep_stood(&mut fall.stood, at);
            }
        }
    }

    /// True if the clock is connected and no time runs.
    pub(crate) fn clock_stands(&self) -> bool {
        self.clock.chessclock.present() && self.clock.chessclock.runs().is_none()
    }

    /// Notes which kings stand in the centre, and since when. After the end the note on a result stays, because the men are put back.
    pub(crate) fn watch_gesture(&mut self, now: Instant, alarms: &mut Alarms) {
        let shown = gesture::sign(self.board.men(), &self.play.decoder.record.node().men);
        if shown != self.phase.gesture.map(|gesture| gesture.sign) {
            self.phase.gesture = shown.map(|sign| Gesture { sign, since: now, noted: false });
            self.phase.first_gesture = self.phase.first_gesture.or(shown.map(|_| now));
            if shown.is_none() && self.phase.is_read() {
                alarms.cure(now, AlarmKind::KingsInCentre);
            }
        }
    }

    /// Notes the result that the kings show, once they have stood for long enough. It replaces the one that they showed before, unless
    /// a move was made since: players correct a wrong sign.
    pub(crate) fn note_shown_result(&mut self, now: Instant, alarms: &mut Alarms, out: &mut Vec<Effect>) {
        let Some(gesture) = self.phase.gesture.as_mut().filter(|shown| !shown.noted) else { return };
        if now < gesture.since.after(GESTURE_SHOWS) {
            return;
        }
        gesture.noted = true;
        let Gesture { sign, since, .. } = *gesture;
        let result = match sign.winner {
            Some(Color::White) => GameResult::WhiteWins,
            Some(Color::Black) => GameResult::BlackWins,
            None => GameResult::Draw,
        };
        let hint = Hint { result, at: since };
        let made = self.play.decoder.record.moves().last().map_or(Instant::ZERO, |last| last.made.latest);
        self.phase.hints.pop_if(|before| before.at >= made);
        if self.phase.hints.len() < MAX_HINTS {
            self.phase.hints.push(hint);
        }
        out.push(Effect::Audit(AuditEntry::Hint(hint)));
        if alarms.open().any(|alarm| alarm.kind == AlarmKind::KingsInCentre && alarm.side != sign.winner) {
            alarms.cure(now, AlarmKind::KingsInCentre);
        }
        alarms.raise(now, AlarmKind::KingsInCentre, sign.winner, sign.squares);
    }

    /// Drops the moves of the kings to the centre if they end the game now; true if they do.
    pub(crate) fn end_by_gesture(&mut self, now: Instant) -> bool {
        let may_end = self.phase.is_read() && !self.play.decoder.press_pending();
        let ends = may_end && self.gesture_means_a_result().is_some_and(|since| now >= since);
        if ends {
            let decoder = &mut self.play.decoder;
            while decoder.line().last().is_some_and(|ply| ply.pressed.is_none() && gesture::is_half(ply.mv)) {
                decoder.drop_half_gestures();
            }
        }
        ends
    }

    /// The number of moves that stay when the kings end the game, if the last one only settled and was half of their gesture. A king
    /// that stood there for longer than players need for the other half had come by a move.
    pub(crate) fn plies_before_settled_half(&self) -> Option<usize> {
        let moves = self.play.decoder.record.moves();
        let (last, began) = moves.last().zip(self.phase.first_gesture)?;
        let half = last.how == How::Settled && last.pressed.is_none() && gesture::is_half(last.mv);
        (half && began <= last.made.latest.after(OTHER_HALF)).then(|| moves.len() - 1)
    }

    /// The way in which the last of the first `plies` sure moves has ended the game. Only in the last position the solver
    /// checks whether a side with enough men can still mate.
    pub(crate) fn ending_after(&mut self, plies: usize) -> Option<Ending> {
        let record = &self.play.decoder.record;
        let last = plies == record.moves().len();
        record.ending_after(plies).or_else(|| if last { self.dead_position() } else { None })
    }

    /// The ending by a dead position: neither side can mate any more, although it has enough men (5.2.2). Rulebooks that
    /// count only material have no such ending.
    fn dead_position(&mut self) -> Option<Ending> {
        if self.config.rulebook.winnability() == Winnability::Material {
            return None;
        }
        let life = mate::dead(&self.play.decoder.record.node().position, &mut self.play.dead_position_watch);
        matches!(life, mate::Life::Dead { .. }).then_some(Ending::DeadPosition)
    }
}
