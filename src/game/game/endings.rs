//! Ends a game, gives it its result, and reopens a game that only seemed to be over.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Position;

use super::Game;
use super::transitions::revision;
use crate::alarm::AlarmKind;
use crate::audit::GameEvent;
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::interval::Interval;
use crate::laws::outcome::{Ending, GameResult};
use crate::lifecycle::Spare;
use crate::played::Cause;
use crate::reconstruct::line::Tentative;
use crate::reconstruct::moves::MoveRecord;
use crate::reconstruct::record::How;
use crate::reconstruct::{Conclusion, Decoder, gesture};
use crate::seen::Seen;

impl Game {
    /// Checks whether the last of the first `plies` sure moves, made by `color`, has ended the game.
    pub(super) fn note_ending(&mut self, plies: usize, made: Interval, color: Color, out: &mut Vec<Effect>) {
        let play = &mut self.seen.play;
        let counted = play.rejected_ending.is_some_and(|rejected| rejected != Ending::DeadPosition);
        // After a capture or pawn move, repetitions and moves are counted anew.
        if counted && play.decoder.record.node().position.halfmoves() == 0 {
            play.rejected_ending = None;
        }
        let ending = self.seen.ending_after(plies);
        let Some(ending) = ending.filter(|ending| self.seen.play.rejected_ending != Some(*ending)) else { return };
        self.seen.play.ending = Some((ending, made, color));
        match AlarmKind::of_ending(ending) {
            Some(_) => self.raise_ending(),
            None => self.end_game(out),
        }
    }

    /// Raises the alarm of the ending on the board, if players may not have noticed it.
    fn raise_ending(&mut self) {
        let alarm = self.seen.play.ending.and_then(|(ending, ..)| AlarmKind::of_ending(ending));
        if let Some(alarm) = alarm {
            self.alarms.raise(self.now, alarm, None, 0);
        }
    }

    /// Takes an arbiter's word that the game has not ended on the board as it seemed to have.
    pub(super) fn reject_ending(&mut self) {
        if self.seen.play.ending.is_some_and(|(ending, ..)| AlarmKind::of_ending(ending).is_some()) {
            self.seen.play.rejected_ending = self.seen.play.ending.take().map(|(ending, ..)| ending);
        }
    }

    pub(super) fn end_game(&mut self, out: &mut Vec<Effect>) {
        if self.seen.phase.stage != GamePhase::Over {
            self.seen.phase.stage = GamePhase::Over;
            self.seen.play.pressed_elsewhere.clear();
            self.reports.revised();
            self.audit_game(GameEvent::Over, out);
        }
    }

    /// Ends the game if the kings show a result now. A king move that only settled is taken off if it was half of the gesture.
    pub(super) fn end_by_gesture(&mut self, out: &mut Vec<Effect>) {
        if !self.seen.end_by_gesture(self.now) {
            return;
        }
        if let Some(plies) = self.seen.plies_before_settled_half() {
            self.take_off(plies, Cause::KingsInCentre, out);
        }
        self.end_game(out);
    }

    /// Takes moves off the record that were none, once the board shows the initial position: men were put back. What stood there before the
    /// clocks were stopped stays.
    pub(super) fn take_off_men_put_back(&mut self, out: &mut Vec<Effect>) {
        let Seen { phase, play, clock, .. } = &self.seen;
        let stood = phase.put_back_at(self.seen.board.scan()).is_some_and(|at| self.now >= at);
        let pending = !play.decoder.made().is_empty();
        let ended_before = !phase.is_read();
        let waits = !stood || phase.spare.differs() || clock.chessclock.runs().is_some();
        if waits || (ended_before && pending) || !(ended_before || self.seen.touched() || self.seen.is_put_back_by_moves()) {
            return;
        }
        let moves = play.decoder.record.moves().len();
        // What was made before the clocks were stopped stays. Without a clock, what nobody has seen need not be taken back.
        let published = match self.seen.clock.stopped() {
            Some(_) => usize::MAX,
            None => self.reports.live.count().saturating_sub(moves),
        };
        let line = play.decoder.made().len().min(published);
        let (sure, stood) = self.seen.plies_before_putting_back(line);
        if sure < moves {
            let first = self.seen.move_before_putting_back(sure);
            self.take_off(sure, Cause::MenPutBack, out);
            if let Some(stood) = first {
                self.seen.play.decoder.record.push(stood.mv, stood.made, None, stood.how, stood.clocks);
                out.push(Effect::Move(self.sure_move(sure)));
            }
        } else if stood < line || (pending && self.seen.clock.stopped().is_some()) {
            self.keep_first(stood, out);
            self.seen.play.decoder.forget_tentative();
            self.reports.revised();
        }
    }

    /// Takes the moves after the first `plies` off the record: they were none of the game.
    fn take_off(&mut self, plies: usize, cause: Cause, out: &mut Vec<Effect>) {
        self.seen.play.decoder.forget_tentative();
        self.seen.play.decoder.record.truncate(plies);
        out.push(revision(plies as u32 + 1, cause, Vec::new()));
        self.reports.revised();
    }

    /// Notes that the game goes on, so a flag that fell after its supposed end counts. While it has a result, the board is only followed.
    pub(super) fn reopen(&mut self) {
        self.seen.play.ending = None;
        self.seen.phase.spare = Spare::None;
        if self.rulings.result.is_some() {
            self.seen.phase.stage = GamePhase::Over;
            self.seen.begin_after_result();
        } else {
            self.seen.phase.stage = GamePhase::Playing;
            self.seen.clock.chessclock.flags_mut().iter_mut().for_each(|fall| fall.after_end = false);
            self.alarms.settle(self.now, AlarmKind::FlagAfterEnd, None);
            for side in self.rulings.flags_without_ruling(&self.seen.clock.chessclock) {
                self.alarms.raise(self.now, AlarmKind::Flag, Some(side), 0);
            }
        }
    }

    /// Gives the game this result, or none.
    pub(super) fn give_result(&mut self, result: GameResult, out: &mut Vec<Effect>) {
        let before = self.rulings.result;
        if result == GameResult::Open {
            self.rulings.result = None;
            // Kings that still stand in the centre no longer show a result.
            self.seen.phase.gesture = None;
            self.alarms.cure(self.now, AlarmKind::KingsInCentre);
            let ended = self.seen.play.ending;
            self.reopen();
            self.seen.play.ending = ended;
            if before.is_some() {
                self.raise_ending();
            }
            if let Some((decoder, conclusions)) = self.seen.take_after_result() {
                self.go_on_with_moves_after_result(decoder, conclusions, out);
            }
            self.seen.read_board(self.now);
            // A mate on the board stands without a decision.
            if before.is_some() && ended.is_some_and(|(ending, ..)| AlarmKind::of_ending(ending).is_none()) {
                self.end_game(out);
            }
        } else {
            self.rulings.result = Some(result);
            self.seen.phase.gesture = None;
            // The result is reported before the next game begins.
            self.seen.phase.next_set_up = self.seen.phase.next_set_up.map(|_| self.now);
            if self.seen.phase.is_read() {
                self.seen.begin_after_result();
            }
            self.keep_standing_moves(out);
            self.seen.play.decoder.forget_tentative();
            self.end_game(out);
        }
        self.reports.ruling_dirty = true;
    }

    /// Goes on with the moves that were played while the game had a result, which was taken back. A move that only stood on the board
    /// when the result was given is read again.
    fn go_on_with_moves_after_result(&mut self, decoder: Decoder, conclusions: Vec<Conclusion>, out: &mut Vec<Effect>) {
        let before = core::mem::replace(&mut self.seen.play.decoder, decoder).record;
        let moves = self.seen.play.decoder.record.moves().iter();
        let same =
            |(known, now): &(MoveRecord, MoveRecord)| (known.mv, known.pressed, known.how) == (now.mv, now.pressed, now.how);
        let kept = before.moves().iter().zip(moves).take_while(same).count();
        if kept < before.moves().len() {
            out.push(revision(kept as u32 + 1, Cause::Reopened, Vec::new()));
        }
        for index in kept..self.seen.play.decoder.record.moves().len() {
            self.move_is_sure(index, out);
        }
        self.seen.play.conclusions.extend(conclusions);
        self.apply_conclusions(out);
        self.reports.revised();
    }

    /// Keeps the moves that stood on the board when play stopped, pressed or not. Moves after the clocks were stopped are
    /// analysis.
    fn keep_standing_moves(&mut self, out: &mut Vec<Effect>) {
        let Seen { clock, play, .. } = &self.seen;
        let until = match clock.stopped() {
            Some(stopped) => stopped,
            None if self.seen.clock_stands() => clock.chessclock.changed_at(),
            None => self.now,
        };
        let stood = play.decoder.made().iter().take_while(|ply| ply.made.latest <= until).count();
        self.keep_first(stood, out);
    }

    /// Makes the first of the made moves sure, as moves that stood on the board, up to one that is none.
    fn keep_first(&mut self, plies: usize, out: &mut Vec<Effect>) {
        let Seen { clock, play, .. } = &self.seen;
        let times = clock.view().times;
        // A king's move to the centre that was made when a flag fell shows no result.
        let before_flag = |made: Instant| clock.chessclock.flags().iter().any(|fall| !fall.after_end && made <= fall.fell.latest);
        let is_move = |ply: &&Tentative| !ply.inferred && (!gesture::is_half(ply.mv) || before_flag(ply.made.latest));
        let stood = play.decoder.made().iter().take(plies).take_while(is_move);
        let stood: Vec<_> = stood.map(|ply| (ply.mv, ply.made)).collect();
        for (mv, made) in stood {
            self.seen.play.decoder.record.push(mv, made, None, How::Stood, times);
            out.push(Effect::Move(self.sure_move(self.seen.play.decoder.record.moves().len() - 1)));
        }
    }

    /// Reopens a game that nobody decided, if board and clock contradict its end. Its moves and times stay; a last move that was
    /// only passing is taken off the list.
    pub(super) fn reopen_contradicted_game(&mut self, out: &mut Vec<Effect>) {
        if self.rulings.result.is_some() {
            return;
        }
        let Some(plies) = self.seen.contradicted_end(self.now) else { return };
        let decoder = &mut self.seen.play.decoder;
        decoder.forget_tentative();
        if plies < decoder.record.moves().len() {
            decoder.record.truncate(plies);
            out.push(revision(plies as u32 + 1, Cause::Reopened, Vec::new()));
        }
        self.seen.phase.gesture = None;
        self.alarms.cure(self.now, AlarmKind::KingsInCentre);
        self.reopen();
        self.alarms.raise(self.now, AlarmKind::Reopened, None, 0);
        self.audit_game(GameEvent::Reopened, out);
        let Seen { play, board, clock, .. } = &mut self.seen;
        play.decoder.board_changed(self.now, board);
        for (by, at) in core::mem::take(&mut play.pressed_elsewhere) {
            play.decoder.press(at, by, board, &clock.view(), &mut play.conclusions);
        }
        self.reports.revised();
    }
}
