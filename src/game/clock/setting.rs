//! Checks whether the clock behaves as the configured time control requires (Article 6.10.2).

use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use super::SLACK_MS;
use super::control::{Method, Period};
use super::turn::{EndedTurn, Fit};
use crate::interval::Interval;
use crate::pair::Pair;

/// The number of presses in a row that must not fit before the clock counts as set differently. One report may be late or lost.
const MISFITS: u8 = 2;

/// True if the display shows the main time of this period, with or without the first additional time.
pub(crate) fn is_start_of(period: &Period, time: ClockTime) -> bool {
    let over = i64::from(time.millis()) - i64::from(period.main_ms);
    over.abs() <= SLACK_MS || (over - i64::from(period.per_move_ms)).abs() <= SLACK_MS
}

/// Compares a clock's setting with the time control.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingWatch {
    misfits: u8,
    /// The turns in which time ran or stood otherwise than configured, since the last one that fitted.
    odd_turns: u8,
    /// The turn before this one, and the period of its player.
    turn_before: Option<(EndedTurn, Period)>,
    differs: bool,
}

impl SettingWatch {
    /// True if the clock and the configured time control differ.
    pub(crate) fn differs(&self) -> bool {
        self.differs
    }

    /// Ends the comparison, because an arbiter has stated the right setting.
    pub(crate) fn settle(&mut self) {
        *self = SettingWatch::default();
    }

    /// Checks the times at the start: each must be the main time, with or without the first additional time. Returns true if
    /// they newly differ.
    pub(crate) fn start(&mut self, period: &Period, shown: Pair<Option<ClockTime>>) -> bool {
        let fits = |time: Option<ClockTime>| time.is_none_or(|time| is_start_of(period, time));
        let differs = !(fits(shown.white) && fits(shown.black));
        differs && !core::mem::replace(&mut self.differs, true)
    }

    /// Checks a press that changed the display of the player who pressed by `rise_ms`. Returns true if the clock newly
    /// differs.
    pub(crate) fn press(&mut self, period: &Period, rise_ms: i64) -> bool {
        let add = i64::from(period.per_move_ms);
        let fits = match period.method {
            Method::TimeOnly | Method::UsDelay => (-SLACK_MS..=0).contains(&rise_ms),
            Method::Fischer => (add - SLACK_MS..=add).contains(&rise_ms),
            Method::Bronstein => (-SLACK_MS..=add).contains(&rise_ms),
        };
        self.misfits = if fits { 0 } else { self.misfits + 1 };
        if self.misfits < MISFITS {
            return false;
        }
        self.misfits = 0;
        !core::mem::replace(&mut self.differs, true)
    }

    /// Checks the time that ran off in a turn: whether it stood in a delay, and only in a delay. Returns true if the clock newly
    /// differs.
    pub(crate) fn turn(&mut self, period: &Period, turn: &EndedTurn) -> bool {
        let before = self.turn_before.replace((*turn, *period)).filter(|(_, of)| of == period);
        match turn.compare(period) {
            _ if before.is_some_and(|(before, _)| turn.ran_in_both_delays(&before, period)) => self.odd_turns = MISFITS,
            Fit::Open => {}
            Fit::Fits => self.odd_turns = 0,
            Fit::Differs => self.odd_turns += 1,
        }
        if self.odd_turns < MISFITS {
            return false;
        }
        self.odd_turns = 0;
        !core::mem::replace(&mut self.differs, true)
    }
}

/// By how many more presses must follow the other player's move than the own one to show that the clock's sides are exchanged.
const EXCHANGED: u8 = 3;

/// Finds out which display belongs to which player. The first press that follows that player's own move settles it, unless others have
/// contradicted it. Any other press is held until the next one: by then its move is read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SidesWatch {
    settled: bool,
    exchanged: u8,
    /// The presses contradicted the configured sides before, and the alarm was raised.
    reported: bool,
    /// The last press, by whom and when, while it is not counted: its move may not have been read yet.
    held: Option<(Color, Instant)>,
    /// When the last press came, and the one before it.
    presses: [Instant; 2],
}

impl SidesWatch {
    /// True if the presses so far contradict the sides and none of them has settled the question.
    pub(crate) fn contradicted(&self) -> bool {
        self.exchanged > 0 && !self.settled
    }

    /// True if the player who has `made` the last move may not have pressed yet, because his clock may run. Until his side is known, that is
    /// any clock before the first press after a move, and then the other one than presses without own moves say.
    pub(crate) fn may_wait(&self, made: Color, runs: Option<Color>, configured: bool) -> bool {
        match self.exchanged {
            _ if configured || self.settled => runs == Some(made),
            0 => runs.is_some(),
            _ => runs == Some(made.other()),
        }
    }

    /// Ends the watch: a move and its press have shown that the sides are right.
    pub(crate) fn settle(&mut self) {
        (self.settled, self.held) = (true, None);
    }

    /// Begins to count again, after the presses have contradicted sides that only an arbiter can exchange.
    pub(crate) fn watch_again(&mut self) {
        *self = SidesWatch { reported: true, ..SidesWatch::default() };
    }

    /// Notes a press by `by`. `first` is the player who made the first move that waits for a press. `seen` says that the board was heard
    /// up to the press.
    pub(crate) fn press(&mut self, by: Color, at: Instant, first: Option<Color>, seen: bool) {
        // The first press may be reported after the reply. If the sides are exchanged, the wrong player has pressed before it.
        self.settled |= seen && first == Some(by) && self.exchanged == 0 && !self.reported;
        self.held = Some((by, at)).filter(|_| seen && !self.settled);
        self.presses = [self.presses[1], at];
    }

    /// The last press, by whom and when, if it is not counted yet.
    pub(crate) fn held(&self) -> Option<(Color, Instant)> {
        self.held
    }

    /// Who made the move of the press that is held, of the moves up to it, the last one first. A move that was read only after the press may
    /// be a quick reply: it has the press if the move before it had one.
    pub(crate) fn mover(&self, mut moves: impl Iterator<Item = (Color, Interval)>) -> Option<Color> {
        let (_, at) = self.held?;
        let (last, made) = moves.next()?;
        let before = moves.next().filter(|(_, before)| made.latest > at && self.presses[0] < before.earliest);
        Some(before.map_or(last, |(before, _)| before))
    }

    /// Counts the press that was held: `made` is the player who made its move. Returns true if the sides are exchanged.
    pub(crate) fn count(&mut self, made: Color) -> bool {
        let Some((by, _)) = self.held.take().filter(|_| !self.settled) else { return false };
        // After a contradiction one press proves nothing.
        self.settled = made == by && self.exchanged == 0;
        self.exchanged = if made == by { self.exchanged.saturating_sub(1) } else { self.exchanged + 1 };
        self.settled |= self.exchanged == EXCHANGED;
        self.exchanged == EXCHANGED
    }
}
