//! Begins a game, joins one that is already in progress, continues it after a correction, and ends it.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use shakmaty::{Chess, Position};

use super::Game;
use crate::alarm::AlarmKind;
use crate::audit::{AuditEntry, GameEvent};
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::interval::Interval;
use crate::irregular::Irregularities;
use crate::irregular::king::KingCapture;
use crate::irregular::position::IllegalPosition;
use crate::laws::outcome::{Ending, GameResult};
use crate::live_moves::LiveMoves;
use crate::monitor::check_promotion;
use crate::pair::Pair;
use crate::played::{Cause, GameMove, Revision};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::{How, Record};
use crate::reconstruct::setup::{self, Shown, WrongSetUp};
use crate::reconstruct::{Decoder, gesture};
use crate::seen::{Play, Seen};

impl Game {
    /// Checks whether the game has ended or another one has been set up.
    pub(super) fn change_phase(&mut self, out: &mut Vec<Effect>) {
        if self.seen.end_by_gesture(self.now) {
            self.end_game(out);
        }
        if self.seen.phase.stage == GamePhase::AwaitingSetUp
            && let Some(turn) = self.seen.game_in_progress(self.now)
        {
            self.join(turn, out);
        }
        if let Some((wrong, start)) = self.seen.take_incomplete_set_up(self.now) {
            self.begin_as_shown(wrong.shown, start, out);
            self.seen.play.decoder.take_for_dead(wrong.mask());
            self.seen.phase.missing_at_start = Some(wrong);
        }
        self.seen.review_missing_men(self.now, &mut self.alarms);
        let pending = || self.rulings.is_pending(&self.seen.clock.chessclock);
        if let Some((shown, start)) = self.seen.next_game(self.now, pending) {
            let left_open = self.rulings.result.is_none() && !self.seen.play.decoder.record.moves().is_empty();
            if left_open {
                self.audit_game(GameEvent::LeftOpen, out);
            }
            self.begin_as_shown(shown, start, out);
            if left_open {
                self.alarms.raise(self.now, AlarmKind::ResultMissing, None, 0);
            }
        }
    }

    /// Begins a game with this position, which the board may show the other way round.
    pub(super) fn begin_as_shown(&mut self, shown: Shown, start: Chess, out: &mut Vec<Effect>) {
        if shown == Shown::Rotated {
            self.seen.board.turn_round();
        }
        self.begin(start, Some(0), GamePhase::Armed, out);
    }

    /// Begins a new game on this board. Nothing of the old game is kept.
    pub(super) fn begin(&mut self, start: Chess, completed: Option<u32>, stage: GamePhase, out: &mut Vec<Effect>) {
        self.rulings.earlier_ruling = self.ruling();
        let now = self.now;
        let Seen { config, board, clock, play, phase, .. } = &mut self.seen;
        phase.new_game(stage);
        let record = Record::new(start, config.castling_mode(), &config.rulebook);
        let before = completed.map(|completed| completed as i32);
        *play = Play {
            completed_before: Pair { white: before, black: before },
            conclusions: core::mem::take(&mut play.conclusions),
            ..Play::new(Decoder::new(record, board.scan(), config.tuning))
        };
        let default_side = if board.rotated() { ClockSide::Right } else { ClockSide::Left };
        clock.new_game(now, config.time_control.clone(), config.white_clock.unwrap_or(default_side));
        board.forget_men();
        self.health.note_new_position();
        self.entries.clear();
        self.rulings.new_game();
        out.extend(self.alarms.next_game(now).into_iter().map(Effect::Alert));
        self.irregular = Irregularities::default();
        self.monitor.new_game();
        self.reports.live_moves = LiveMoves::default();
        self.reports.live_dirty = true;
        self.reports.revised();
        self.audit_game(if completed.is_some() { GameEvent::Armed } else { GameEvent::Joined }, out);
        let Seen { board, play, .. } = &mut self.seen;
        play.decoder.board_changed(board.last_change(), board);
        // One move may have been made already. More differences are left from the game before.
        if play.decoder.line().plies().len() > 1 {
            play.decoder.disregard_board(board);
        }
    }

    /// Joins a game in progress, in which the clock of `turn` runs.
    fn join(&mut self, turn: Color, out: &mut Vec<Effect>) {
        let Seen { config, board, .. } = &self.seen;
        if Node::new(Chess::default()).exact(board.men()).is_some() {
            return self.join_at(Chess::default(), Some(0), out);
        }
        if let Some(wrong) = setup::wrong_set_up(board.men(), config.chess960) {
            return self.begin_wrongly_set_up(&wrong, turn, out);
        }
        let Some(start) = setup::joined(board.men(), turn, config.castling_mode()) else { return };
        self.join_at(start, None, out);
        self.alarms.raise(self.now, AlarmKind::JoinedInProgress, None, 0);
    }

    /// Begins a game with a wrong set-up, because a clock runs (7.2). If men are only missing, the game begins as if they
    /// stood there, because a sensor may not see them. Otherwise it begins with the men on the board.
    fn begin_wrongly_set_up(&mut self, wrong: &WrongSetUp, turn: Color, out: &mut Vec<Effect>) {
        let Seen { config, board, .. } = &mut self.seen;
        let begun = wrong.begun(board.men(), config.chess960);
        let missing = begun.is_some();
        let joined = || setup::joined(&wrong.men(board.men()), turn, config.castling_mode());
        let Some(start) = begun.or_else(joined) else { return };
        if wrong.shown == Shown::Rotated {
            board.turn_round();
        }
        self.join_at(start, Some(0), out);
        if missing {
            let Seen { board, play, .. } = &mut self.seen;
            play.decoder.take_for_dead(wrong.mask());
            play.decoder.board_changed(board.last_change(), board);
        }
        self.alarms.raise_wrong_set_up(self.now, wrong.named());
    }

    /// Joins a game. The flags that the clock shows belong to this game.
    pub(super) fn join_at(&mut self, start: Chess, completed: Option<u32>, out: &mut Vec<Effect>) {
        let flags = self.seen.clock.chessclock.flags().clone();
        self.begin(start, completed, GamePhase::Playing, out);
        *self.seen.clock.chessclock.flags_mut() = flags;
        if completed.is_none() {
            self.seen.clock.chessclock.doubt_periods();
        }
        self.seen.raise_flags(self.now, &mut self.alarms);
    }

    /// Goes on from another position. The moves before it are kept only in the journal.
    fn restart_from(&mut self, start: Chess) {
        self.count_at_falls();
        self.rulings.decisions.forget_positions();
        let Seen { config, board, play, .. } = &mut self.seen;
        let now = play.completed_now();
        let before = |completed: Option<u32>| completed.map(|completed| completed as i32);
        play.completed_before = Pair { white: before(now.white), black: before(now.black) };
        board.forget_men();
        let record = Record::new(start, config.castling_mode(), &config.rulebook);
        play.decoder = Decoder::new(record, board.scan(), config.tuning);
        self.irregular = Irregularities::default();
        self.health.note_new_position();
        // The state for the live audience shows where the moves begin.
        self.reports.live_dirty = true;
        self.settle_endings();
        self.reopen();
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        self.reports.revised();
    }

    /// Sets a position. An earlier position of the game is a take-back; any other one begins a new record with the old
    /// counts.
    pub(super) fn set_position(&mut self, position: Chess, out: &mut Vec<Effect>) {
        match self.seen.plies_to(&position) {
            Some(kept) => {
                // A take-back to any number of plies within the record cannot fail.
                let _ = self.take_back(kept, Cause::SetPosition, out);
            }
            None => {
                self.restart_from(position);
                out.push(revision(1, Cause::SetPosition, Vec::new()));
            }
        }
    }

    /// Shortens the record to this number of plies.
    ///
    /// # Errors
    /// Fails if the game has fewer moves.
    pub(super) fn take_back(&mut self, plies: usize, cause: Cause, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let decoder = &mut self.seen.play.decoder;
        let moves = decoder.record.moves().len();
        if plies > moves {
            return Err("the game has fewer moves");
        }
        decoder.forget_tentative();
        if plies < moves {
            decoder.record.truncate(plies);
            out.push(revision(plies as u32 + 1, cause, Vec::new()));
        }
        self.reopen();
        self.settle_irregularities();
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        Ok(())
    }

    /// Corrects a move of the record, or adds a move to it.
    ///
    /// # Errors
    /// Fails if the game has fewer moves, or if the move is not legal there.
    pub(super) fn correct_move(&mut self, plies: usize, uci: &str, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let correction = self.seen.corrected(self.now, plies, uci)?;
        let moves = self.seen.play.decoder.record.moves().len();
        if plies + 1 < moves {
            self.count_at_falls();
        }
        self.seen.play.decoder.record = correction.record;
        self.seen.play.decoder.forget_tentative();
        self.settle_irregularities();
        self.reopen();
        self.note_ending(plies + 1, correction.made, correction.color, out);
        let corrected = self.sure_move(plies);
        out.push(match plies < moves {
            true => revision(plies as u32 + 1, Cause::CorrectMove, alloc::vec![corrected]),
            false => Effect::Move(corrected),
        });
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        Ok(())
    }

    /// Corrects a promotion when the board shows a move that the promoted piece can only have made if it is no queen.
    pub(super) fn correct_promotion(&mut self, out: &mut Vec<Effect>) {
        let Some((ply, record)) = self.seen.other_promotion(self.now) else { return };
        self.count_at_falls();
        self.seen.play.decoder.record = record;
        self.seen.play.decoder.forget_tentative();
        self.alarms.cure(self.now, AlarmKind::PromotionUnconfirmed);
        let moves = (ply..self.seen.play.decoder.record.moves().len()).map(|index| self.sure_move(index)).collect();
        out.push(revision(ply as u32 + 1, Cause::Promotion, moves));
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        self.reports.revised();
    }

    /// Stores the counts of moves at the flag-falls, because the moves from which they follow are about to be replaced.
    fn count_at_falls(&mut self) {
        let case = self.case();
        let counts: Vec<_> = self.seen.clock.chessclock.flags().iter().map(|fall| case.completed_by_fall(fall)).collect();
        for (fall, counted) in self.seen.clock.chessclock.flags_mut().iter_mut().zip(counts) {
            fall.counted = counted;
        }
    }

    fn settle_irregularities(&mut self) {
        self.irregular.king = KingCapture::None;
        self.irregular.illegal_position = IllegalPosition::default();
        for kind in [AlarmKind::IllegalMove, AlarmKind::PromotionNotReplaced, AlarmKind::PressedWithoutMove] {
            self.alarms.settle(self.now, kind, None);
        }
        self.settle_endings();
    }

    /// Closes the alarms of endings on the board, because the moves that led to them have changed.
    fn settle_endings(&mut self) {
        self.seen.play.rejected_ending = None;
        for kind in [AlarmKind::DeadPosition, AlarmKind::FivefoldRepetition, AlarmKind::SeventyFiveMoves] {
            self.alarms.settle(self.now, kind, None);
        }
    }

    /// Handles a move of the record that has become sure.
    pub(super) fn move_is_sure(&mut self, index: usize, out: &mut Vec<Effect>) {
        self.seen.phase.stage = GamePhase::Playing;
        self.irregular.king.move_is_sure();
        self.reports.revised();
        let Some(record) = self.seen.play.decoder.record.moves().get(index) else { return };
        let (color, made, pressed) = (record.color, record.made, record.pressed);
        // Men that do not belong to the move may still be in an impossible position.
        if pressed.is_some_and(|pressed| self.irregular.illegal_position.pressed(&self.seen, color, pressed)) {
            self.reports.revised();
        }
        out.push(Effect::Move(self.sure_move(index)));
        self.seen.report_handling(index, out);
        check_promotion(self.now, &self.seen, index, &mut self.alarms);
        if self.seen.play.ending.is_none() {
            self.note_ending(index + 1, made, color, out);
        }
    }

    /// Checks whether the last of the first `plies` sure moves, made by `color`, has ended the game.
    fn note_ending(&mut self, plies: usize, made: Interval, color: Color, out: &mut Vec<Effect>) {
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

    fn end_game(&mut self, out: &mut Vec<Effect>) {
        if self.seen.phase.stage != GamePhase::Over {
            self.seen.phase.stage = GamePhase::Over;
            self.reports.revised();
            self.audit_game(GameEvent::Over, out);
        }
    }

    /// Notes that the game goes on, so a flag that fell after its supposed end counts.
    fn reopen(&mut self) {
        self.seen.play.ending = None;
        self.seen.phase.stage = GamePhase::Playing;
        if self.rulings.result.is_none() {
            self.seen.clock.chessclock.flags_mut().iter_mut().for_each(|fall| fall.after_end = false);
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
            let ended = self.seen.play.ending;
            self.reopen();
            self.seen.play.ending = ended;
            if before.is_some() {
                self.raise_ending();
            }
            self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        } else {
            self.rulings.result = Some(result);
            // The result is reported before the next game begins.
            self.seen.phase.next_set_up = self.seen.phase.next_set_up.map(|_| self.now);
            self.keep_standing_moves(out);
            self.seen.play.decoder.forget_tentative();
            self.end_game(out);
        }
        // A live state without a change would show other audiences that an arbiter did something.
        self.reports.live_dirty |= self.rulings.result != before;
        self.reports.ruling_dirty = true;
    }

    /// Keeps the moves that stood on the board when play stopped, pressed or not. Moves after the clocks were stopped are
    /// analysis.
    fn keep_standing_moves(&mut self, out: &mut Vec<Effect>) {
        let Seen { clock, play, .. } = &self.seen;
        let stopped = clock.chessclock.present() && clock.chessclock.runs().is_none();
        let until = if stopped { clock.chessclock.changed_at() } else { self.now };
        let times = clock.view().times;
        let stood = play.decoder.line().plies().iter();
        let stood = stood.take_while(|ply| ply.made.latest <= until && !gesture::is_half(ply.mv));
        let stood: Vec<_> = stood.map(|ply| (ply.mv, ply.made)).collect();
        for (mv, made) in stood {
            self.seen.play.decoder.record.push(mv, made, None, How::Stood, times);
            out.push(Effect::Move(self.sure_move(self.seen.play.decoder.record.moves().len() - 1)));
        }
    }

    fn audit_game(&self, event: GameEvent, out: &mut Vec<Effect>) {
        out.push(Effect::Audit(AuditEntry::Game { game_no: self.seen.phase.number, event }));
    }
}

fn revision(from_ply: u32, cause: Cause, moves: Vec<GameMove>) -> Effect {
    Effect::Audit(AuditEntry::Revision(Revision { from_ply, cause, moves }))
}
