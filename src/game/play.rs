//! What was played: the board's changes, and the moves that became sure.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::alarm::AlarmKind;
use crate::audit::{AuditEntry, GameEvent};
use crate::effect::Effect;
use crate::game::Game;
use crate::interval::Interval;
use crate::laws::outcome::Ending;
use crate::laws::outcome::GameResult;
use crate::laws::rules::Winnability;
use crate::mate;
use crate::monitor::note_promotion;
use crate::reconstruct::{Decoded, gesture};
use crate::stage::{Hint, Stage};

/// Hints kept of one game.
const MAX_HINTS: usize = 8;

impl Game {
    pub(crate) fn board_changed(&mut self, out: &mut Vec<Effect>) {
        self.reports.arbiter_dirty = true;
        match self.seen.phase.stage {
            Stage::AwaitingSetUp => self.look_for_set_up(out),
            Stage::Armed | Stage::Playing => self.follow(out),
            Stage::Over => {}
        }
        self.look_for_next_game();
        self.look_for_incomplete_set_up();
    }

    pub(crate) fn audit_game(&self, event: GameEvent, out: &mut Vec<Effect>) {
        out.push(Effect::Audit(AuditEntry::Game { game_no: self.seen.phase.number, event }));
    }

    /// A king on a centre square while the clocks stand is half of a gesture, not a move.
    pub(crate) fn drop_half_gesture(&mut self) {
        if !self.seen.play.decoder.press_pending()
            && self.seen.play.decoder.line().last().is_some_and(|ply| gesture::is_half(ply.mv))
        {
            self.seen.play.decoder.drop_half_gestures();
            self.revised();
        }
    }

    fn clock_stands(&self) -> bool {
        self.seen.clock.chessclock.present() && self.seen.clock.chessclock.runs().is_none()
    }

    /// The game begins with the first move, which may be understood some time after the board showed it.
    pub(crate) fn look_for_first_move(&mut self) {
        if self.seen.phase.stage == Stage::Armed && !self.seen.play.decoder.line().is_empty() {
            self.seen.phase.stage = Stage::Playing;
            if self.clock_stands() {
                self.alarms.raise(self.now, AlarmKind::ClockNotStarted, None, 0);
            }
        }
    }

    fn follow(&mut self, out: &mut Vec<Effect>) {
        self.turn_to_who_moves_first();
        let before = self.seen.play.decoder.line().plies().len();
        let made_before = self.seen.play.decoder.line().made_at();
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        if self.clock_stands() {
            self.seen.play.decoder.drop_half_gestures();
        }
        if before != self.seen.play.decoder.line().plies().len() || made_before != self.seen.play.decoder.line().made_at() {
            self.revised();
        }
        self.look_for_first_move();
        let shown = gesture::result(self.seen.board.men(), &self.seen.play.decoder.record.node().men);
        match (shown, self.seen.phase.gesture) {
            (Some(winner), None) => {
                self.seen.phase.gesture = Some(self.now);
                let result = match winner {
                    Some(Color::White) => GameResult::WhiteWins,
                    Some(Color::Black) => GameResult::BlackWins,
                    None => GameResult::Draw,
                };
                let hint = Hint { result, at: self.now };
                if self.seen.phase.hints.len() < MAX_HINTS {
                    self.seen.phase.hints.push(hint);
                }
                out.push(Effect::Audit(AuditEntry::Hint(hint)));
            }
            (None, Some(_)) => self.seen.phase.gesture = None,
            _ => {}
        }
    }

    /// Takes what the decoder concluded.
    pub(crate) fn take_decoded(&mut self, out: &mut Vec<Effect>) {
        if self.seen.play.decoded.is_empty() {
            return;
        }
        let mut decoded = core::mem::take(&mut self.seen.play.decoded);
        for item in decoded.drain(..) {
            match item {
                Decoded::Sure { index } => self.move_is_sure(index, out),
                Decoded::PressedWithoutMove { by, at } => {
                    self.alarms.raise_press(self.now, at.latest, AlarmKind::PressedWithoutMove, by, 0);
                    self.irregular.king.pressed_without_move(&self.seen, by, at);
                }
                Decoded::PressedIllegal { by, pawn_stays, at } => self.pressed_illegally(by, pawn_stays, at),
                Decoded::PressedBack { by, at } => out.push(Effect::Audit(AuditEntry::PressedBack { side: by, pressed: at })),
                Decoded::LinkGap => self.alarms.raise(self.now, AlarmKind::LinkGap, None, 0),
                Decoded::Ambiguous { squares } => self.alarms.raise(self.now, AlarmKind::Ambiguous, None, squares),
                Decoded::Unreachable => self.alarms.raise(self.now, AlarmKind::Unreachable, None, 0),
                Decoded::InStep => {
                    self.alarms.cure(self.now, AlarmKind::LinkGap);
                    self.alarms.cure(self.now, AlarmKind::Unreachable);
                }
                Decoded::PressedOutOfTurn { by, at } => {
                    self.irregular.king.pressed(by, at);
                    if self.irregular.illegal_position.pressed(&self.seen, by, at) {
                        self.revised();
                    }
                    out.push(Effect::Audit(AuditEntry::PressOutOfTurn { side: by, pressed: at }));
                }
            }
        }
        self.seen.play.decoded = decoded;
    }

    fn move_is_sure(&mut self, index: usize, out: &mut Vec<Effect>) {
        self.seen.phase.stage = Stage::Playing;
        self.irregular.king.move_is_sure();
        self.revised();
        let Some(record) = self.seen.play.decoder.record.moves().get(index) else { return };
        let (color, made, pressed) = (record.color, record.made, record.pressed);
        if let Some(pressed) = pressed {
            // Men beside the move may still stand where they cannot.
            if self.irregular.illegal_position.pressed(&self.seen, color, pressed) {
                self.revised();
            }
        }
        out.push(Effect::Move(self.sure_move(index)));
        self.seen.look_at_move(index, out);
        note_promotion(self.now, &self.seen, index, &mut self.alarms);
        if self.seen.play.ending.is_none() {
            self.note_ending(index + 1, made, color, out);
        }
    }

    /// Has the last of the first `plies` sure moves, made by `color`, ended the game?
    pub(crate) fn note_ending(&mut self, plies: usize, made: Interval, color: Color, out: &mut Vec<Effect>) {
        let ending = self.seen.play.decoder.record.ending_after(plies);
        // Whether men enough can still mate is asked of what stands now.
        let last = plies == self.seen.play.decoder.record.moves().len();
        let ending = ending.or_else(|| if last { self.dead_position() } else { None });
        let Some(ending) = ending else { return };
        self.seen.play.ending = Some((ending, made, color));
        match ending {
            Ending::Checkmate | Ending::Stalemate => self.over(out),
            Ending::DeadPosition => self.alarms.raise(self.now, AlarmKind::DeadPosition, None, 0),
            Ending::FivefoldRepetition => self.alarms.raise(self.now, AlarmKind::FivefoldRepetition, None, 0),
            Ending::SeventyFiveMoves => self.alarms.raise(self.now, AlarmKind::SeventyFiveMoves, None, 0),
        }
    }

    /// Can neither side mate any more, with men enough for it (5.2.2)? The popular explanation knows no such thing.
    fn dead_position(&mut self) -> Option<Ending> {
        if self.seen.config.rulebook.winnability() == Winnability::Material {
            return None;
        }
        let life = mate::dead(&self.seen.play.decoder.record.node().position, &mut self.seen.play.life);
        matches!(life, mate::Life::Dead { .. }).then_some(Ending::DeadPosition)
    }

    pub(crate) fn over(&mut self, out: &mut Vec<Effect>) {
        if self.seen.phase.stage != Stage::Over {
            self.seen.phase.stage = Stage::Over;
            self.revised();
            self.audit_game(GameEvent::Over, out);
        }
    }

    /// Has the game ended, or has another one been set up?
    pub(crate) fn is_it_over(&mut self, out: &mut Vec<Effect>) {
        if matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing)
            && !self.seen.play.decoder.press_pending()
            && self.seen.gesture_means_a_result().is_some_and(|since| self.now >= since)
        {
            while self.seen.play.decoder.line().last().is_some_and(|ply| ply.pressed.is_none() && gesture::is_half(ply.mv)) {
                self.seen.play.decoder.drop_half_gestures();
            }
            self.over(out);
        }
        if self.seen.phase.stage == Stage::AwaitingSetUp {
            self.join(out);
        }
        self.begin_incompletely_set_up(out);
        if let Some((shown, start)) = self.next_game_begins() {
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
}
