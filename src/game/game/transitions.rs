//! Begins a game, joins one that is already in progress, and continues it after a correction.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use shakmaty::{Chess, Position};

use super::Game;
use crate::after_illegal::AfterIllegal;
use crate::alarm::AlarmKind;
use crate::audit::{AuditEntry, GameEvent};
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::irregular::Irregularities;
use crate::irregular::king::KingCapture;
use crate::irregular::position::IllegalPosition;
use crate::joining::Joining;
use crate::laws::rules::Table;
use crate::monitor::check_promotion;
use crate::pair::Pair;
use crate::played::{Cause, GameMove, Revision};
use crate::reconstruct::Decoder;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::made::MadeMoves;
use crate::reconstruct::record::Record;
use crate::reconstruct::setup::{self, Shown, WrongSetUp};
use crate::seen::{Play, Seen};

impl Game {
    /// Keeps what was made, and checks whether the game has ended or another one has been set up.
    pub(super) fn change_phase(&mut self, out: &mut Vec<Effect>) {
        let fell = self.rulings.flags_that_may_cost(&self.seen.clock.chessclock).map(|fall| fall.fell.latest).max();
        self.seen.keep_made_moves(self.now, fell);
        self.reopen_contradicted_game(out);
        self.seen.note_shown_result(self.now, &mut self.alarms, out);
        self.end_by_gesture(out);
        self.take_off_men_put_back(out);
        if let Some((wrong, start)) = self.seen.take_wrong_start() {
            self.begin_next_game(out, |game, out| game.begin_wrongly_set_up(&wrong, start, out));
        }
        if self.seen.phase.stage == GamePhase::AwaitingSetUp
            && let Some(turn) = self.seen.game_in_progress(self.now)
        {
            self.join(turn, out);
        }
        if let Some((wrong, start)) = self.seen.take_wrong_set_up(self.now) {
            self.begin_next_game(out, |game, out| game.begin_as_shown(wrong.shown, start, out));
            self.seen.play.decoder.take_for_dead(wrong.mask());
            self.seen.phase.missing_at_start = Some(wrong);
        }
        self.seen.review_missing_men(self.now, &mut self.alarms);
        let pending = || self.rulings.is_pending(&self.seen.clock.chessclock);
        if let Some((shown, start)) = self.seen.next_game(self.now, pending) {
            self.begin_next_game(out, |game, out| game.begin_as_shown(shown, start, out));
        }
    }

    /// Begins the next game by itself, and notes if the game before has no result.
    fn begin_next_game(&mut self, out: &mut Vec<Effect>, begin: impl FnOnce(&mut Game, &mut Vec<Effect>)) {
        let left_open = self.rulings.result.is_none() && !self.seen.play.decoder.record.moves().is_empty();
        if left_open {
            self.audit_game(GameEvent::LeftOpen, out);
        }
        begin(self, out);
        if left_open {
            self.alarms.raise(self.now, AlarmKind::ResultMissing, None, 0);
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
        self.leave_game();
        let now = self.now;
        self.seen.joining = Joining::default();
        let Seen { config, board, clock, play, phase, .. } = &mut self.seen;
        phase.new_game(now, stage);
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
        self.reports.live.clear();
        self.reports.public.clear();
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
            let begun = wrong.begun(board.men(), config.chess960);
            let start = begun.or_else(|| setup::joined(&wrong.men(board.men()), turn, config.castling_mode()));
            return start.into_iter().for_each(|start| self.begin_wrongly_set_up(&wrong, start, out));
        }
        // If this player cannot have the move, he has not pressed for the move on the board.
        let mut sides = [turn, turn.other()].into_iter();
        let Some(start) = sides.find_map(|side| setup::joined(board.men(), side, config.castling_mode())) else {
            return;
        };
        if start.legal_moves().is_empty() {
            // This game is over (5.1.1, 5.2.1), and its men stand there until they are set up again.
            return;
        }
        let joining = core::mem::take(&mut self.seen.joining);
        self.join_at(start, None, out);
        self.seen.begin_joining(joining, self.now);
        self.alarms.raise(self.now, AlarmKind::JoinedInProgress, None, 0);
    }

    /// Begins a game with a wrong set-up, because play has begun (7.2). If men are only missing, `start` has them, because a
    /// sensor may not see them. Otherwise it is the position on the board.
    fn begin_wrongly_set_up(&mut self, wrong: &WrongSetUp, start: Chess, out: &mut Vec<Effect>) {
        let Seen { config, board, .. } = &mut self.seen;
        let missing = wrong.begun(board.men(), config.chess960).is_some();
        if wrong.shown == Shown::Rotated {
            board.turn_round();
        }
        self.join_at(start, Some(0), out);
        if missing {
            let Seen { board, play, .. } = &mut self.seen;
            play.decoder.take_for_dead(wrong.mask());
            play.decoder.board_changed(board.last_change(), board);
        }
        self.alarms.raise_wrong_set_up(self.now, AlarmKind::WrongSetUp, wrong.named());
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

    /// Goes on from another position. The moves before it become a segment of the game.
    fn restart_from(&mut self, start: Chess) {
        let Seen { config, board, .. } = &self.seen;
        let record = Record::new(start, config.castling_mode(), &config.rulebook);
        let decoder = Decoder::new(record, board.scan(), config.tuning);
        self.irregular = Irregularities::default();
        self.begin_segment(decoder);
    }

    /// Goes on with the record of this decoder. The moves before it become a segment of the game.
    pub(super) fn begin_segment(&mut self, decoder: Decoder) {
        self.seen.joining = Joining::default();
        self.count_at_falls();
        self.rulings.decisions.forget_positions();
        let Seen { board, play, .. } = &mut self.seen;
        let now = play.completed_now();
        let before = |completed: Option<u32>| completed.map(|completed| completed as i32);
        play.completed_before = Pair { white: before(now.white), black: before(now.black) };
        board.forget_men();
        play.begin_segment(decoder);
        self.health.note_new_position();
        self.settle_endings();
        self.reopen();
        self.seen.read_board(self.now);
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
            None => match self.seen.take_illegal_move_to(&position) {
                Some(after) => self.go_on_after(after, Cause::SetPosition, out),
                None => {
                    self.restart_from(position);
                    out.push(revision(1, Cause::SetPosition, Vec::new()));
                }
            },
        }
    }

    /// Follows what is played after an illegal move. If the move stands because the opponent has replied (A.5.2; club point 15),
    /// the game goes on from the position that it left.
    pub(super) fn go_on_after_illegal_move(&mut self, out: &mut Vec<Effect>) {
        if self.seen.review_after_illegal(self.now) {
            self.reports.revised();
        }
        let rules = self.seen.config.rulebook.rules();
        if rules.illegal_deadline
            && let Some(after) = self.seen.take_illegal_move_that_stands(rules.table == Table::Club)
        {
            self.alarms.cure_illegal_move(self.now, after.by);
            self.go_on_after(after, Cause::IllegalMoveStands, out);
        }
    }

    /// Goes on from the position that an illegal move has left, with the moves that were played since then.
    fn go_on_after(&mut self, after: AfterIllegal, cause: Cause, out: &mut Vec<Effect>) {
        let by = after.by;
        let Some((decoder, conclusions)) = after.into_parts() else { return };
        self.begin_segment(decoder);
        // The illegal move counts as a completed move of its player.
        let completed = self.seen.play.completed_before.get_mut(by);
        *completed = completed.map(|completed| completed + 1);
        out.push(revision(1, cause, Vec::new()));
        for index in 0..self.seen.play.decoder.record.moves().len() {
            self.move_is_sure(index, out);
        }
        self.seen.play.conclusions = conclusions;
        self.apply_conclusions(out);
    }

    /// Shortens the record to this number of plies.
    ///
    /// # Errors
    /// Fails if the game has fewer moves.
    pub(super) fn take_back(&mut self, plies: usize, cause: Cause, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let decoder = &mut self.seen.play.decoder;
        let moves = decoder.record.moves().len();
        if plies > moves {
            return Err("the game has fewer moves than the command takes back");
        }
        decoder.forget_tentative();
        self.seen.joining = Joining::default();
        let decoder = &mut self.seen.play.decoder;
        if plies < moves {
            decoder.record.truncate(plies);
            out.push(revision(plies as u32 + 1, cause, Vec::new()));
        }
        self.reopen();
        self.settle_irregularities();
        self.seen.read_board(self.now);
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
        self.seen.joining = Joining::default();
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
        self.seen.read_board(self.now);
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
        self.seen.read_board(self.now);
        self.reports.revised();
    }

    /// Stores the counts of moves at the flag-falls, because the moves from which they follow are about to be replaced.
    fn count_at_falls(&mut self) {
        let case = self.case();
        let counts: Vec<_> = self.seen.clock.chessclock.flags().iter().map(|fall| case.completed_by_fall(fall)).collect();
        for (fall, counted) in self.seen.clock.chessclock.flags_mut().iter_mut().zip(counts) {
            fall.counted = counted;
        }
        self.forget_moves_at_falls();
    }

    /// Forgets which moves stood at the flag-falls, because the record that they followed has changed.
    fn forget_moves_at_falls(&mut self) {
        self.seen.clock.chessclock.flags_mut().iter_mut().for_each(|fall| fall.stood = MadeMoves::default());
    }

    fn settle_irregularities(&mut self) {
        self.forget_moves_at_falls();
        self.seen.play.after_illegal = None;
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
        if self.rulings.result.is_none() {
            self.seen.phase.stage = GamePhase::Playing;
        }
        self.irregular.king.move_is_sure();
        self.seen.phase.first_gesture = None;
        let pressed = self.seen.play.decoder.record.moves().get(index).and_then(|known| known.pressed);
        if let Some(pressed) = pressed {
            self.seen.clock.note_pressed_move(pressed.earliest);
        }
        self.seen.play.after_illegal = None;
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

    pub(super) fn audit_game(&self, event: GameEvent, out: &mut Vec<Effect>) {
        out.push(Effect::Audit(AuditEntry::Game { game_no: self.seen.phase.number, event }));
    }
}

pub(super) fn revision(from_ply: u32, cause: Cause, moves: Vec<GameMove>) -> Effect {
    Effect::Audit(AuditEntry::Revision(Revision { from_ply, cause, moves }))
}
