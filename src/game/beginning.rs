//! How a game begins: on a set-up, on one that is not quite right, or in progress.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{CastlingMode, Chess};

use crate::alarm::AlarmKind;
use crate::audit::GameEvent;
use crate::effect::Effect;
use crate::game::Game;
use crate::irregular::Irregularities;
use crate::lifecycle::INCOMPLETE_STANDS;
use crate::men::EMPTY;
use crate::pair::Pair;
use crate::reconstruct::Decoder;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::Record;
use crate::reconstruct::setup::{self, Shown, WrongSetUp};
use crate::seen::{Play, Seen};
use crate::stage::Stage;
use crate::told::Told;

impl Game {
    pub(crate) fn look_for_set_up(&mut self, out: &mut Vec<Effect>) {
        match setup::shows_start(self.seen.board.men(), self.seen.config.chess960) {
            Some((shown, start)) if self.seen.board.known() => self.begin_as_shown(shown, start, out),
            _ => {}
        }
    }

    pub(crate) fn begin_as_shown(&mut self, shown: Shown, start: Chess, out: &mut Vec<Effect>) {
        if shown == Shown::Rotated {
            self.seen.board.turn_round();
        }
        self.begin(start, Some(0), Stage::Armed, out);
    }

    /// A new game begins on this board; nothing of the old one is carried over.
    pub(crate) fn begin(&mut self, start: Chess, completed: Option<u32>, stage: Stage, out: &mut Vec<Effect>) {
        let mode = self.seen.config.castling_mode();
        self.rulings.earlier_ruling = self.ruling();
        let now = self.now;
        let Seen { config, board, clock, play, phase, .. } = &mut self.seen;
        phase.new_game(stage);
        let record = Record::new(start, mode, &config.rulebook);
        let before = completed.map(|completed| completed as i32);
        *play = Play {
            completed_before: Pair { white: before, black: before },
            decoded: core::mem::take(&mut play.decoded),
            ..Play::new(Decoder::new(record, board.scan(), config.tuning))
        };
        let default_side = if board.rotated() { ClockSide::Right } else { ClockSide::Left };
        clock.new_game(now, config.time_control.clone(), config.white_clock.unwrap_or(default_side));
        self.seen.board.forget_men();
        self.health.men_were_put_elsewhere();
        self.desk.clear();
        self.rulings.new_game();
        out.extend(self.alarms.next_game(self.now).into_iter().map(Effect::Alert));
        self.irregular = Irregularities::default();
        self.monitor.new_game();
        self.reports.told = Told::default();
        self.reports.live_dirty = true;
        self.revised();
        self.audit_game(if completed.is_some() { GameEvent::Armed } else { GameEvent::Joined }, out);
        self.seen.play.decoder.board_changed(self.seen.board.last_change(), &self.seen.board);
        // One move may have been made already; more are what is left of the game before.
        if self.seen.play.decoder.line().plies().len() > 1 {
            self.seen.play.decoder.leave_standing(&self.seen.board);
        }
    }

    /// Goes on from another position; the moves until then are kept by the journal only.
    pub(crate) fn restart_from(&mut self, start: Chess, mode: CastlingMode) {
        self.count_at_falls();
        self.rulings.decisions.forget_positions();
        let now = self.seen.play.completed_now();
        let before = |completed: Option<u32>| completed.map(|completed| completed as i32);
        self.seen.play.completed_before = Pair { white: before(now.white), black: before(now.black) };
        self.irregular = Irregularities::default();
        self.seen.board.forget_men();
        self.health.men_were_put_elsewhere();
        self.seen.play.decoder =
            Decoder::new(Record::new(start, mode, &self.seen.config.rulebook), self.seen.board.scan(), self.seen.config.tuning);
        // The live audience is shown where the moves begin.
        self.reports.live_dirty = true;
        self.reopen();
        self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        self.revised();
    }

    /// A board that does not identify men shows the initial position either way round: White is who moves first.
    pub(crate) fn turn_to_who_moves_first(&mut self) {
        let begins = self.seen.phase.stage == Stage::Armed
            && !self.seen.board.identifies()
            && self.seen.play.decoder.record.moves().is_empty();
        if begins && matches!(setup::first_move(self.seen.board.men()), Some((Shown::Rotated, true))) {
            self.seen.board.turn_round();
            // Weak squares have other names.
            self.seen.board.forget_men();
            self.health.men_were_put_elsewhere();
            self.seen.play.decoder.forget_tentative();
        }
    }

    pub(crate) fn look_for_next_game(&mut self) {
        let explained = self.seen.phase.stage != Stage::Over && !self.seen.touched();
        if self.seen.phase.stage == Stage::AwaitingSetUp || explained {
            self.seen.phase.next_set_up = None;
        } else if setup::shows_start(self.seen.board.men(), self.seen.config.chess960).is_some() {
            self.seen.phase.next_set_up.get_or_insert(self.now);
        } else if !self.rulings.is_pending(&self.seen.clock.chessclock) || setup::first_move(self.seen.board.men()).is_none() {
            self.seen.phase.next_set_up = None;
        }
    }

    /// A set-up that lacks a man or two, where no game is on.
    pub(crate) fn look_for_incomplete_set_up(&mut self) {
        let waits = self.seen.phase.stage == Stage::AwaitingSetUp
            || (self.seen.phase.stage == Stage::Over && !self.rulings.is_pending(&self.seen.clock.chessclock));
        let shown = waits.then(|| setup::wrong_set_up(self.seen.board.men(), self.seen.config.chess960)).flatten();
        let shown = shown.filter(|wrong| wrong.begun(self.seen.board.men(), self.seen.config.chess960).is_some());
        let same = |wrong: &WrongSetUp| self.seen.phase.incomplete_set_up.as_ref().is_some_and(|(_, before)| before == wrong);
        if !shown.as_ref().is_some_and(same) {
            self.seen.phase.incomplete_set_up = shown.map(|wrong| (self.now, wrong));
        }
    }

    /// It has stood for long enough: the game begins as if those men stood there. Once somebody moves or a clock runs, the arbiter
    /// is told of those that still do not (7.2).
    pub(crate) fn begin_incompletely_set_up(&mut self, out: &mut Vec<Effect>) {
        let waits =
            matches!(self.seen.phase.stage, Stage::AwaitingSetUp | Stage::Over) && self.seen.clock.chessclock.runs().is_none();
        let stood = |since: &Instant| self.now >= since.after(INCOMPLETE_STANDS);
        let begins =
            waits && self.seen.board.known() && self.seen.phase.incomplete_set_up.as_ref().is_some_and(|(since, _)| stood(since));
        if begins
            && let Some((_, wrong)) = self.seen.phase.incomplete_set_up.take()
            && let Some(start) = wrong.begun(self.seen.board.men(), self.seen.config.chess960)
        {
            self.begin_as_shown(wrong.shown, start, out);
            self.seen.play.decoder.take_for_dead(wrong.mask());
            self.seen.phase.missing_at_start = Some(wrong);
        }
        if self.seen.phase.missing_at_start.is_some()
            && setup::shows_start(self.seen.board.men(), self.seen.config.chess960).is_some()
        {
            self.seen.phase.missing_at_start = None;
            self.seen.play.decoder.take_for_dead(0);
        }
        let begun = self.seen.phase.stage == Stage::Playing || self.seen.clock.chessclock.runs().is_some();
        if begun && let Some(mut wrong) = self.seen.phase.missing_at_start.take() {
            wrong.squares.retain(|wrong| self.seen.board.men()[wrong.square.index()] == EMPTY);
            if !wrong.squares.is_empty() {
                self.alarms.raise_wrong_set_up(self.now, wrong.named());
            }
        }
    }

    /// The next game begins by itself: its initial position has stood long enough, and the clocks stand.
    ///
    /// With a flag, or anything else found, that awaits its ruling the set-up alone is not enough, or it would be lost with its game. Then the clock must
    /// have been set anew, as it must be for another game; where no clock is heard, the first move tells.
    pub(crate) fn next_game_begins(&self) -> Option<(Shown, Chess)> {
        let stood = self.now >= self.seen.phase.next_set_up?.after(self.seen.phase.next_game_wait(self.seen.board.scan()));
        let begins = match self.rulings.is_pending(&self.seen.clock.chessclock) {
            false => stood && self.seen.clock.chessclock.runs().is_none(),
            true if self.seen.clock.set_anew => stood || self.seen.clock.chessclock.runs().is_some(),
            true => {
                stood
                    && !self.seen.clock.chessclock.present()
                    && setup::first_move(self.seen.board.men()).is_some_and(|(_, made)| made)
            }
        };
        let begun = || Some((setup::first_move(self.seen.board.men())?.0, Chess::default()));
        let shown = || setup::shows_start(self.seen.board.men(), self.seen.config.chess960).or_else(begun);
        if begins && self.seen.board.known() { shown() } else { None }
    }

    /// A clock runs and no game was set up: the game is joined where it is.
    pub(crate) fn join(&mut self, out: &mut Vec<Effect>) {
        let (Some(turn), true) = (self.seen.clock.chessclock.runs(), self.seen.board.known()) else { return };
        let quiet = self.now >= self.seen.board.last_change().after(self.seen.board.scan() * 2)
            && self.now >= self.seen.clock.chessclock.changed_at().after(self.seen.board.scan());
        if !quiet {
            return;
        }
        let first = Node::new(Chess::default());
        if first.exact(self.seen.board.men()).is_some() {
            return self.join_at(Chess::default(), Some(0), out);
        }
        if let Some(wrong) = setup::wrong_set_up(self.seen.board.men(), self.seen.config.chess960) {
            return self.begin_wrongly_set_up(&wrong, turn, out);
        }
        let Some(start) = setup::joined(self.seen.board.men(), turn, self.seen.config.castling_mode()) else { return };
        self.join_at(start, None, out);
        self.alarms.raise(self.now, AlarmKind::JoinedInProgress, None, 0);
    }

    /// Pieces were set up wrongly and the clock runs (7.2): where men are only missing the game begins as if they stood there, for
    /// a sensor may not see them; otherwise with what stands.
    fn begin_wrongly_set_up(&mut self, wrong: &WrongSetUp, turn: Color, out: &mut Vec<Effect>) {
        let upright = wrong.men(self.seen.board.men());
        let begun = wrong.begun(self.seen.board.men(), self.seen.config.chess960);
        let missing = begun.is_some();
        let Some(start) = begun.or_else(|| setup::joined(&upright, turn, self.seen.config.castling_mode())) else { return };
        if wrong.shown == Shown::Rotated {
            self.seen.board.turn_round();
        }
        self.join_at(start, Some(0), out);
        if missing {
            self.seen.play.decoder.take_for_dead(wrong.mask());
            self.seen.play.decoder.board_changed(self.seen.board.last_change(), &self.seen.board);
        }
        self.alarms.raise_wrong_set_up(self.now, wrong.named());
    }

    /// The game that is joined is the one whose flags the clock shows.
    pub(crate) fn join_at(&mut self, start: Chess, completed: Option<u32>, out: &mut Vec<Effect>) {
        let flags = self.seen.clock.chessclock.flags().clone();
        self.begin(start, completed, Stage::Playing, out);
        *self.seen.clock.chessclock.flags_mut() = flags;
        if completed.is_none() {
            self.seen.clock.chessclock.doubt_periods();
        }
        self.raise_flags();
    }
}
