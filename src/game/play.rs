//! What was played: the board's changes, and the moves that became sure.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{CastlingMode, Chess};

use crate::alarm::AlarmKind;
use crate::clock::setting::SidesWatch;
use crate::effect::Effect;
use crate::game::{Game, castling_mode};
use crate::illegal_position::IllegalPosition;
use crate::input::GameResult;
use crate::interval::Interval;
use crate::king_capture::KingCapture;
use crate::laws::rules::Winnability;
use crate::mate;
use crate::men;
use crate::message::{AuditBody, GameEvent, Hint, Sign, Stage};
use crate::pair::Pair;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::{Ending, Record};
use crate::reconstruct::setup::{self, Shown, WrongSetUp};
use crate::reconstruct::{Decoded, Decoder, gesture};
use crate::watch::Differing;

/// The initial position must stand this long before it means another game, while the old one has moves.
pub(crate) const NEXT_GAME_STANDS: Duration = Duration::from_secs(5);
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
    }

    fn look_for_set_up(&mut self, out: &mut Vec<Effect>) {
        match setup::shows_start(self.board.men(), self.config.chess960) {
            Some((shown, start)) if self.board.known() => self.begin_as_shown(shown, start, out),
            _ => {}
        }
    }

    fn begin_as_shown(&mut self, shown: Shown, start: Chess, out: &mut Vec<Effect>) {
        if shown == Shown::Rotated {
            self.board.turn_round();
        }
        self.begin(start, Some(0), Stage::Armed, out);
    }

    /// A new game begins on this board; nothing of the old one is carried over.
    pub(crate) fn begin(&mut self, start: Chess, completed: Option<u32>, stage: Stage, out: &mut Vec<Effect>) {
        let mode = castling_mode(&self.config);
        self.earlier_ruling = self.ruling();
        self.number += 1;
        self.control = self.config.time_control.clone();
        self.decoder = Decoder::new(Record::new(start, mode, &self.config.rulebook), self.scan, self.config.tuning);
        self.desk.clear();
        self.time_set = Pair::default();
        self.life = mate::Watch::default();
        self.clock.new_game();
        let default_side = if self.board.rotated() { ClockSide::Right } else { ClockSide::Left };
        self.clock.set_white_side(self.config.white_clock.unwrap_or(default_side));
        self.setting = Default::default();
        self.clock_has_run = self.clock.runs().is_some();
        self.clock_first_ran = self.clock_has_run.then_some(self.now);
        self.suspended = Pair::default();
        self.zero = None;
        self.clock_set_anew = false;
        self.questions.next_game();
        self.forget_findings();
        out.extend(self.alarms.next_game(self.now).iter().map(|alarm| Effect::Alert(crate::view::alert(alarm))));
        let before = completed.map(|completed| completed as i32);
        self.completed_before = Pair { white: before, black: before };
        self.ending = None;
        self.king = KingCapture::None;
        self.illegal_position = IllegalPosition::default();
        self.result = None;
        self.decisions.clear();
        self.lodged = None;
        self.hints.clear();
        self.gesture = None;
        self.differing = Differing::new();
        self.incomplete_told = None;
        self.next_set_up = None;
        self.sides = SidesWatch::default();
        self.told.clear();
        self.stage = stage;
        self.live_dirty = true;
        self.revised();
        self.audit_game(if completed.is_some() { GameEvent::Armed } else { GameEvent::Joined }, out);
        self.decoder.board_changed(self.board.last_change(), &self.board);
        // One move may have been made already; more are what is left of the game before.
        if self.decoder.line().plies().len() > 1 {
            self.decoder.leave_standing(&self.board);
        }
    }

    /// Goes on from another position; the moves until then are kept by the journal only.
    pub(crate) fn restart_from(&mut self, start: Chess, mode: CastlingMode) {
        self.count_at_falls();
        self.decisions.forget_positions();
        let now = self.completed_now();
        let before = |completed: Option<u32>| completed.map(|completed| completed as i32);
        self.completed_before = Pair { white: before(now.white), black: before(now.black) };
        self.king = KingCapture::None;
        self.illegal_position = IllegalPosition::default();
        self.decoder = Decoder::new(Record::new(start, mode, &self.config.rulebook), self.scan, self.config.tuning);
        // The live audience is shown where the moves begin.
        self.live_dirty = true;
        self.reopen();
        self.decoder.board_changed(self.now, &self.board);
        self.revised();
    }

    /// A king on a centre square while the clocks stand is half of a gesture, not a move.
    pub(crate) fn drop_half_gesture(&mut self) {
        if !self.decoder.press_pending() && self.decoder.line().last().is_some_and(|ply| gesture::is_half(ply.mv)) {
            self.decoder.drop_half_gestures();
            self.revised();
        }
    }

    /// A board that does not identify men shows the initial position either way round: White is who moves first.
    fn turn_to_who_moves_first(&mut self) {
        let begins = self.stage == Stage::Armed && !self.board.identifies() && self.decoder.record.moves().is_empty();
        if begins && matches!(setup::first_move(self.board.men()), Some((Shown::Rotated, true))) {
            self.board.turn_round();
            self.decoder.forget_tentative();
        }
    }

    fn follow(&mut self, out: &mut Vec<Effect>) {
        self.turn_to_who_moves_first();
        let before = self.decoder.line().plies().len();
        let made_before = self.decoder.line().made_at();
        self.decoder.board_changed(self.now, &self.board);
        let clock_stands = self.clock.present() && self.clock.runs().is_none();
        if clock_stands {
            self.decoder.drop_half_gestures();
        }
        if before != self.decoder.line().plies().len() || made_before != self.decoder.line().made_at() {
            self.revised();
        }
        if self.stage == Stage::Armed && !self.decoder.line().is_empty() {
            self.stage = Stage::Playing;
            if clock_stands {
                self.alarms.raise(self.now, AlarmKind::ClockNotStarted, None, 0);
            }
        }
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

    fn look_for_next_game(&mut self) {
        let explained = self.stage != Stage::Over && !self.touched();
        if self.stage == Stage::AwaitingSetUp || explained {
            self.next_set_up = None;
        } else if setup::shows_start(self.board.men(), self.config.chess960).is_some() {
            self.next_set_up.get_or_insert(self.now);
        } else if !self.ruling_open() || setup::first_move(self.board.men()).is_none() {
            self.next_set_up = None;
        }
    }

    /// The next game begins by itself: its initial position has stood long enough, and the clocks stand.
    ///
    /// With a flag, or anything else found, that awaits its ruling the set-up alone is not enough, or it would be lost with its game. Then the clock must
    /// have been set anew, as it must be for another game; where no clock is heard, the first move tells.
    fn next_game_begins(&self) -> Option<(Shown, Chess)> {
        let stood = self.now >= self.next_set_up?.after(self.next_game_wait());
        let begins = match self.ruling_open() {
            false => stood && self.clock.runs().is_none(),
            true if self.clock_set_anew => stood || self.clock.runs().is_some(),
            true => stood && !self.clock.present() && setup::first_move(self.board.men()).is_some_and(|(_, made)| made),
        };
        let begun = || Some((setup::first_move(self.board.men())?.0, Chess::default()));
        let shown = || setup::shows_start(self.board.men(), self.config.chess960).or_else(begun);
        if begins && self.board.known() { shown() } else { None }
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

    /// How long the initial position must stand to mean another game. After the end of a game it can mean nothing else.
    pub(crate) fn next_game_wait(&self) -> Duration {
        if self.stage == Stage::Over { self.scan * 2 } else { NEXT_GAME_STANDS }
    }

    /// A clock runs and no game was set up: the game is joined where it is.
    fn join(&mut self, out: &mut Vec<Effect>) {
        let (Some(turn), true) = (self.clock.runs(), self.board.known()) else { return };
        let quiet =
            self.now >= self.board.last_change().after(self.scan * 2) && self.now >= self.clock.changed_at().after(self.scan);
        if !quiet {
            return;
        }
        let first = Node::new(Chess::default());
        if first.exact(self.board.men()).is_some() {
            return self.join_at(Chess::default(), Some(0), out);
        }
        if let Some(wrong) = setup::wrong_set_up(self.board.men(), self.config.chess960) {
            return self.begin_wrongly_set_up(&wrong, turn, out);
        }
        let Some(start) = setup::joined(self.board.men(), turn, castling_mode(&self.config)) else { return };
        self.join_at(start, None, out);
        self.alarms.raise(self.now, AlarmKind::JoinedInProgress, None, 0);
    }

    /// Pieces were set up wrongly and the clock runs (7.2): where men are only missing the game begins as if they stood there, for
    /// a sensor may not see them; otherwise with what stands.
    fn begin_wrongly_set_up(&mut self, wrong: &WrongSetUp, turn: Color, out: &mut Vec<Effect>) {
        let upright = wrong.men(self.board.men());
        let begun = wrong.begun(self.board.men(), self.config.chess960);
        let missing = begun.is_some();
        let Some(start) = begun.or_else(|| setup::joined(&upright, turn, castling_mode(&self.config))) else { return };
        if wrong.shown == Shown::Rotated {
            self.board.turn_round();
        }
        self.join_at(start, Some(0), out);
        if missing {
            self.decoder.take_for_dead(wrong.mask());
            self.decoder.board_changed(self.board.last_change(), &self.board);
        }
        self.alarms.raise_wrong_set_up(self.now, wrong.named());
    }

    /// The game that is joined is the one whose flags the clock shows.
    pub(crate) fn join_at(&mut self, start: Chess, completed: Option<u32>, out: &mut Vec<Effect>) {
        let flags = self.clock.flags().clone();
        self.begin(start, completed, Stage::Playing, out);
        *self.clock.flags_mut() = flags;
        if completed.is_none() {
            self.clock.doubt_periods();
        }
        self.raise_flags();
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
