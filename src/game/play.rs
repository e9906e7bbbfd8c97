//! What was played: the board's changes, and the moves that became sure.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::alarm::AlarmKind;
use crate::effect::Effect;
use crate::game::Game;
use crate::input::GameResult;
use crate::interval::Interval;
use crate::laws::rules::Winnability;
use crate::mate;
use crate::men;
use crate::message::{AuditBody, GameEvent, Hint, Sign, Stage};
use crate::reconstruct::record::Ending;
use crate::reconstruct::{Decoded, gesture};

/// Two kings on centre squares mean a result after this long, where the clock still runs.
pub(crate) const GESTURE_STANDS: Duration = Duration::from_secs(15);
/// And after this long where no clock is heard: a king that passes the centre on his way shows nothing.
const GESTURE_STANDS_UNTIMED: Duration = Duration::from_secs(2);
/// Hints kept of one game.
const MAX_HINTS: usize = 8;

impl Game {
    pub(crate) fn board_changed(&mut self, out: &mut Vec<Effect>) {
        self.arbiter_dirty = true;
        match self.stage {
            Stage::AwaitingSetUp => self.look_for_set_up(out),
            Stage::Armed | Stage::Playing => self.follow(out),
            Stage::Over => {}
        }
        self.look_for_next_game();
        self.look_for_incomplete_set_up();
    }

    pub(crate) fn audit_game(&self, event: GameEvent, out: &mut Vec<Effect>) {
        out.push(Effect::Audit(AuditBody::Game { game_no: self.number, event }));
    }

    /// A king on a centre square while the clocks stand is half of a gesture, not a move.
    pub(crate) fn drop_half_gesture(&mut self) {
        if !self.decoder.press_pending() && self.decoder.line().last().is_some_and(|ply| gesture::is_half(ply.mv)) {
            self.decoder.drop_half_gestures();
            self.revised();
        }
    }

    fn clock_stands(&self) -> bool {
        self.clock.present() && self.clock.runs().is_none()
    }

    /// The game begins with the first move, which may be understood some time after the board showed it.
    pub(crate) fn look_for_first_move(&mut self) {
        if self.stage == Stage::Armed && !self.decoder.line().is_empty() {
            self.stage = Stage::Playing;
            if self.clock_stands() {
                self.alarms.raise(self.now, AlarmKind::ClockNotStarted, None, 0);
            }
        }
    }

    fn follow(&mut self, out: &mut Vec<Effect>) {
        self.turn_to_who_moves_first();
        let before = self.decoder.line().plies().len();
        let made_before = self.decoder.line().made_at();
        self.decoder.board_changed(self.now, &self.board);
        if self.clock_stands() {
            self.decoder.drop_half_gestures();
        }
        if before != self.decoder.line().plies().len() || made_before != self.decoder.line().made_at() {
            self.revised();
        }
        self.look_for_first_move();
        let shown = gesture::result(self.board.men(), &self.decoder.record.node().men);
        match (shown, self.gesture) {
            (Some(winner), None) => {
                self.gesture = Some(self.now);
                let result = match winner {
                    Some(Color::White) => GameResult::WhiteWins,
                    Some(Color::Black) => GameResult::BlackWins,
                    None => GameResult::Draw,
                };
                let hint = Hint { kind: Sign::KingsInCentre, result, at: self.now.0 };
                if self.hints.len() < MAX_HINTS {
                    self.hints.push(hint);
                }
                out.push(Effect::Audit(AuditBody::Hint(hint)));
            }
            (None, Some(_)) => self.gesture = None,
            _ => {}
        }
    }

    /// Takes what the decoder concluded.
    pub(crate) fn take_decoded(&mut self, out: &mut Vec<Effect>) {
        if self.decoded.is_empty() {
            return;
        }
        let mut decoded = core::mem::take(&mut self.decoded);
        for item in decoded.drain(..) {
            match item {
                Decoded::Sure { index } => self.move_is_sure(index, out),
                Decoded::PressedWithoutMove { by, at } => {
                    self.alarms.raise_press(self.now, at.latest, AlarmKind::PressedWithoutMove, by, 0);
                    self.king_may_be_left(by, at);
                }
                Decoded::PressedIllegal { by, pawn_stays, at } => self.pressed_illegally(by, pawn_stays, at),
                Decoded::PressedBack { by, at } => {
                    out.push(Effect::Audit(AuditBody::PressedBack { side: men::color_name(by), pressed_at: at.micros() }))
                }
                Decoded::LinkGap => self.alarms.raise(self.now, AlarmKind::LinkGap, None, 0),
                Decoded::Ambiguous { squares } => self.alarms.raise(self.now, AlarmKind::Ambiguous, None, squares),
                Decoded::Unreachable => self.alarms.raise(self.now, AlarmKind::Unreachable, None, 0),
                Decoded::InStep => {
                    self.alarms.cure(self.now, AlarmKind::LinkGap);
                    self.alarms.cure(self.now, AlarmKind::Unreachable);
                }
                Decoded::PressedOutOfTurn { by, at } => {
                    self.king_answered(by, at);
                    self.look_at_position(by, at);
                    out.push(Effect::Audit(AuditBody::PressOutOfTurn { side: men::color_name(by), pressed_at: at.micros() }));
                }
            }
        }
        self.decoded = decoded;
    }

    fn move_is_sure(&mut self, index: usize, out: &mut Vec<Effect>) {
        self.stage = Stage::Playing;
        self.king_is_safe();
        self.revised();
        let Some(record) = self.decoder.record.moves().get(index) else { return };
        let (color, made, pressed) = (record.color, record.made, record.pressed);
        if let Some(pressed) = pressed {
            // Men beside the move may still stand where they cannot.
            self.look_at_position(color, pressed);
        }
        out.push(Effect::Move(self.move_body(index)));
        self.look_at_move(index, out);
        self.note_promotion(index);
        if self.ending.is_none() {
            self.note_ending(index + 1, made, color, out);
        }
    }

    /// Has the last of the first `plies` sure moves, made by `color`, ended the game?
    pub(crate) fn note_ending(&mut self, plies: usize, made: Interval, color: Color, out: &mut Vec<Effect>) {
        let ending = self.decoder.record.ending_after(plies);
        // Whether men enough can still mate is asked of what stands now.
        let last = plies == self.decoder.record.moves().len();
        let ending = ending.or_else(|| if last { self.dead_position() } else { None });
        let Some(ending) = ending else { return };
        self.ending = Some((ending, made, color));
        match ending {
            Ending::Checkmate | Ending::Stalemate => self.over(out),
            Ending::DeadPosition => self.alarms.raise(self.now, AlarmKind::DeadPosition, None, 0),
            Ending::FivefoldRepetition => self.alarms.raise(self.now, AlarmKind::FivefoldRepetition, None, 0),
            Ending::SeventyFiveMoves => self.alarms.raise(self.now, AlarmKind::SeventyFiveMoves, None, 0),
        }
    }

    /// Can neither side mate any more, with men enough for it (5.2.2)? The popular explanation knows no such thing.
    fn dead_position(&mut self) -> Option<Ending> {
        if self.config.rulebook.winnability() == Winnability::Material {
            return None;
        }
        let life = mate::dead(&self.decoder.record.node().position, &mut self.life);
        matches!(life, mate::Life::Dead { .. }).then_some(Ending::DeadPosition)
    }

    pub(crate) fn over(&mut self, out: &mut Vec<Effect>) {
        if self.stage != Stage::Over {
            self.stage = Stage::Over;
            self.revised();
            self.audit_game(GameEvent::Over, out);
        }
    }

    /// From when on the kings that stand in the centre mean a result: at once where the clocks were stopped.
    pub(crate) fn gesture_means_a_result(&self) -> Option<Instant> {
        let stands = match (self.clock.present(), self.clock.runs()) {
            (false, _) => GESTURE_STANDS_UNTIMED,
            (true, None) => Duration::ZERO,
            (true, Some(_)) => GESTURE_STANDS,
        };
        self.gesture.map(|since| since.after(stands))
    }

    /// Has the game ended, or has another one been set up?
    pub(crate) fn is_it_over(&mut self, out: &mut Vec<Effect>) {
        if matches!(self.stage, Stage::Armed | Stage::Playing)
            && !self.decoder.press_pending()
            && self.gesture_means_a_result().is_some_and(|since| self.now >= since)
        {
            while self.decoder.line().last().is_some_and(|ply| ply.pressed.is_none() && gesture::is_half(ply.mv)) {
                self.decoder.drop_half_gestures();
            }
            self.over(out);
        }
        if self.stage == Stage::AwaitingSetUp {
            self.join(out);
        }
        self.begin_incompletely_set_up(out);
        if let Some((shown, start)) = self.next_game_begins() {
            let left_open = self.result.is_none() && !self.decoder.record.moves().is_empty();
            if left_open {
                self.audit_game(GameEvent::LeftOpen, out);
            }
            self.begin_as_shown(shown, start, out);
            if left_open {
                self.alarms.raise(self.now, AlarmKind::ResultMissing, None, 0);
            }
        }
    }

    /// What the board as it stands would end, counting moves that are made and not yet sure.
    pub(crate) fn ending_on_board(&self) -> Option<(Ending, Interval, Color)> {
        self.ending.or_else(|| {
            let line = self.decoder.line().plies();
            let ends = |count| self.decoder.record.ending_of_line(&line[..count]);
            (1..=line.len()).find_map(|count| Some((ends(count)?, line[count - 1].made, line[count - 1].color)))
        })
    }
}
