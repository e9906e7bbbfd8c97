//! Determines whether a player must record his moves (Article 8.4).

use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;

use super::control::Period;
use super::tracker::ClockTracker;
use crate::laws::rulebook::Rulebook;
use crate::pair::Pair;

/// A player's duty to record the moves (8.1, 8.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// The time control is not known.
    #[default]
    Unknown,
    /// Every move.
    Required,
    /// Suspended to the end of the period: little time, and less than 30 seconds added with each move.
    Suspended,
    /// Not under these rules.
    NotRequired,
}

/// The time left in a period, in milliseconds, below which a player need not record, if less than [`ADDED_MS`] is added with each
/// move (8.4).
const LITTLE_TIME_MS: u32 = 5 * 60_000;
/// The time added with each move, in milliseconds, from which a player must always record (8.4).
const ADDED_MS: u32 = 30_000;

/// True if the player need not record any more until the end of the period (8.4).
fn may_stop_recording(period: &Period, left: ClockTime) -> bool {
    left.millis() < LITTLE_TIME_MS && period.per_move_ms < ADDED_MS
}

impl ClockTracker {
    /// Updates the duty to record from a clock report. It stays suspended until the end of the period. Returns true if
    /// something changed.
    pub(crate) fn note_recording(&mut self, rulebook: &Rulebook) -> bool {
        let Some(control) = self.control.as_ref().filter(|_| rulebook.rules().records) else { return false };
        let mut changed = false;
        for color in [Color::White, Color::Black] {
            let Some(left) = self.chessclock.time(color) else { continue };
            let index = self.chessclock.period(color);
            let suspended = self.suspended.get_mut(color);
            let now = *suspended == Some(index) || may_stop_recording(control.period(index), left);
            let noted = now.then_some(index);
            changed |= *suspended != noted;
            *suspended = noted;
        }
        changed
    }

    /// Whether each player must record his moves.
    pub(crate) fn recording(&self, rulebook: &Rulebook) -> Pair<Recording> {
        let of = |color: Color| match (rulebook.rules().records, &self.control) {
            (false, _) => Recording::NotRequired,
            (true, None) => Recording::Unknown,
            (true, Some(_)) if self.suspended.get(color).is_some() => Recording::Suspended,
            (true, Some(_)) => Recording::Required,
        };
        Pair { white: of(Color::White), black: of(Color::Black) }
    }
}
