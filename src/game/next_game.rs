//! Recognises the signs of the next game: a set-up, an incomplete set-up, or a clock that runs although no game was set up.

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::alarm::{AlarmKind, Alarms};
use crate::game_phase::GamePhase;
use crate::lifecycle::WRONG_SET_UP_STANDS;
use crate::men::EMPTY;
use crate::reconstruct::setup::{self, FirstMove, Shown, WrongSetUp};
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
        let turns = begins && matches!(setup::first_move(self.board.men()), Some((Shown::Rotated, FirstMove::Made)));
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
        let explained = self.phase.stage != GamePhase::Over && !self.touched() && !self.is_put_back_by_moves();
        if self.phase.stage == GamePhase::AwaitingSetUp || explained || self.phase.spare.differs() {
            self.phase.next_set_up = None;
        } else if self.shown_start().is_some() {
            self.phase.next_set_up.get_or_insert(now);
        } else if !pending || setup::first_move(self.board.men()).is_none() {
            self.phase.next_set_up = None;
        }
    }

    /// While there is no game, notes the time since which a wrong set-up has stood.
    pub(crate) fn watch_wrong_set_up(&mut self, now: Instant, pending: bool) {
        // After a result that was entered at the wrong board, its first moves may look like one.
        let played = self.play.after_result.as_ref().is_some_and(|after| after.decoder.explains(&self.board));
        let over = self.phase.stage == GamePhase::Over && !pending && !played;
        let waits = self.phase.stage == GamePhase::AwaitingSetUp || over;
        let shown = waits.then(|| setup::wrong_set_up(self.board.men(), self.config.chess960)).flatten();
        let noted = self.phase.wrong_set_up.as_ref().map(|(_, wrong)| wrong);
        let kept = self.phase.wrong_start.as_ref().map(|(wrong, _)| wrong);
        if shown.is_none() || (shown.as_ref() != noted && shown.as_ref() != kept) {
            self.phase.wrong_set_up = shown.map(|wrong| (now, wrong));
        }
    }

    /// If a wrong set-up has stood for long enough while the clocks stood: returns it with the position in which its men are
    /// added, if men are only missing. A set-up with men on wrong squares is kept until play begins.
    pub(crate) fn take_wrong_set_up(&mut self, now: Instant) -> Option<(WrongSetUp, Chess)> {
        let waits =
            matches!(self.phase.stage, GamePhase::AwaitingSetUp | GamePhase::Over) && self.clock.chessclock.runs().is_none();
        let (_, wrong) = self
            .phase
            .wrong_set_up
            .take_if(|(since, _)| waits && self.board.known() && now >= since.after(WRONG_SET_UP_STANDS))?;
        if let Some(start) = wrong.begun(self.board.men(), self.config.chess960) {
            return Some((wrong, start));
        }
        let start = setup::joined(&wrong.men(self.board.men()), Color::White, self.config.castling_mode());
        self.phase.wrong_start = start.map(|start| (wrong, start));
        None
    }

    /// Returns a set-up with men on wrong squares, and its position, once a clock runs or the first move is made. Until then the
    /// mistake can be put right, and nobody need know (7.2).
    pub(crate) fn take_wrong_start(&mut self) -> Option<(WrongSetUp, Chess)> {
        let (wrong, start) = self.phase.wrong_start.as_ref()?;
        let waits = matches!(self.phase.stage, GamePhase::AwaitingSetUp | GamePhase::Over) && self.board.known();
        let first_move = setup::first_move_from(start, &wrong.men(self.board.men()))?;
        let begins = first_move == FirstMove::Made || self.clock.chessclock.runs().is_some();
        if waits && begins { self.phase.wrong_start.take() } else { None }
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
                alarms.raise_wrong_set_up(now, AlarmKind::WrongSetUp, wrong.named());
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
            true => stood && !clock.present() && matches!(setup::first_move(self.board.men()), Some((_, FirstMove::Made))),
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
