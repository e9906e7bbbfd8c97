//! Recognises the signs of the next game: a set-up, an incomplete set-up, or a clock that runs although no game was set up.

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::alarm::Alarms;
use crate::game_phase::GamePhase;
use crate::lifecycle::INCOMPLETE_STANDS;
use crate::men::EMPTY;
use crate::reconstruct::setup::{self, Shown, WrongSetUp};
use crate::seen::Seen;

impl Seen {
    /// The initial position that the board shows, if it shows one.
    pub(crate) fn shown_start(&self) -> Option<(Shown, Chess)> {
        setup::shows_start(self.board.men(), self.config.chess960)
    }

    /// Turns round a board that does not identify men, because its initial position looks the same from both sides. White is
    /// the side that moves first. Returns true if the board was turned.
    pub(crate) fn turn_to_first_mover(&mut self) -> bool {
        let begins =
            self.phase.stage == GamePhase::Armed && !self.board.identifies() && self.play.decoder.record.moves().is_empty();
        let turns = begins && matches!(setup::first_move(self.board.men()), Some((Shown::Rotated, true)));
        if turns {
            self.board.turn_round();
            // After the turn the weak squares have other names.
            self.board.forget_men();
            self.play.decoder.forget_tentative();
        }
        turns
    }

    /// Notes the time since which the next game's set-up has stood. `pending` is true while a ruling is awaited.
    pub(crate) fn watch_next_set_up(&mut self, now: Instant, pending: bool) {
        let explained = self.phase.stage != GamePhase::Over && !self.touched();
        if self.phase.stage == GamePhase::AwaitingSetUp || explained {
            self.phase.next_set_up = None;
        } else if self.shown_start().is_some() {
            self.phase.next_set_up.get_or_insert(now);
        } else if !pending || setup::first_move(self.board.men()).is_none() {
            self.phase.next_set_up = None;
        }
    }

    /// While there is no game, notes the time since which a set-up that lacks a man or two has stood.
    pub(crate) fn watch_incomplete_set_up(&mut self, now: Instant, pending: bool) {
        let waits = self.phase.stage == GamePhase::AwaitingSetUp || (self.phase.stage == GamePhase::Over && !pending);
        let shown = waits.then(|| setup::wrong_set_up(self.board.men(), self.config.chess960)).flatten();
        let shown = shown.filter(|wrong| wrong.begun(self.board.men(), self.config.chess960).is_some());
        let same = |wrong: &WrongSetUp| self.phase.incomplete_set_up.as_ref().is_some_and(|(_, before)| before == wrong);
        if !shown.as_ref().is_some_and(same) {
            self.phase.incomplete_set_up = shown.map(|wrong| (now, wrong));
        }
    }

    /// Removes and returns an incomplete set-up that has stood for long enough, with the position in which those men are
    /// added.
    pub(crate) fn take_incomplete_set_up(&mut self, now: Instant) -> Option<(WrongSetUp, Chess)> {
        let waits =
            matches!(self.phase.stage, GamePhase::AwaitingSetUp | GamePhase::Over) && self.clock.chessclock.runs().is_none();
        let (_, wrong) = self
            .phase
            .incomplete_set_up
            .take_if(|(since, _)| waits && self.board.known() && now >= since.after(INCOMPLETE_STANDS))?;
        let start = wrong.begun(self.board.men(), self.config.chess960)?;
        Some((wrong, start))
    }

    /// Reports the men that are still missing (7.2), once a player moves or a clock runs.
    pub(crate) fn review_missing_men(&mut self, now: Instant, alarms: &mut Alarms) {
        if self.phase.missing_at_start.is_some() && self.shown_start().is_some() {
            self.phase.missing_at_start = None;
            self.play.decoder.take_for_dead(0);
        }
        let begun = self.phase.stage == GamePhase::Playing || self.clock.chessclock.runs().is_some();
        if begun && let Some(mut wrong) = self.phase.missing_at_start.take() {
            wrong.squares.retain(|wrong| self.board.men()[wrong.square.index()] == EMPTY);
            if !wrong.squares.is_empty() {
                alarms.raise_wrong_set_up(now, wrong.named());
            }
        }
    }

    /// The position with which the next game begins by itself, if it has stood for long enough and the clocks stand.
    ///
    /// While a ruling is `pending`, the set-up alone is not enough, because the ruling would be lost with its game. Then the
    /// clock must have been set again, as for any other game. If no clock is heard, the first move is the sign.
    pub(crate) fn next_game(&self, now: Instant, pending: impl FnOnce() -> bool) -> Option<(Shown, Chess)> {
        let clock = &self.clock.chessclock;
        let stood = now >= self.phase.next_set_up?.after(self.phase.next_game_wait(self.board.scan()));
        let begins = match pending() {
            false => stood && clock.runs().is_none(),
            true if self.clock.set_anew => stood || clock.runs().is_some(),
            true => stood && !clock.present() && setup::first_move(self.board.men()).is_some_and(|(_, made)| made),
        };
        let begun = || Some((setup::first_move(self.board.men())?.0, Chess::default()));
        if begins && self.board.known() { self.shown_start().or_else(begun) } else { None }
    }

    /// The side whose clock runs although no game was set up, once board and clock are quiet.
    pub(crate) fn game_in_progress(&self, now: Instant) -> Option<Color> {
        let turn = self.clock.chessclock.runs().filter(|_| self.board.known())?;
        let scan = self.board.scan();
        let quiet = now >= self.board.last_change().after(scan * 2) && now >= self.clock.chessclock.changed_at().after(scan);
        quiet.then_some(turn)
    }
}
