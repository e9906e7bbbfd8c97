//! Records flag-falls that an arbiter observed or a player claimed. They need no sign of the clock (Article 6.8).

use alloc::string::String;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::control::{MAX_PERIODS, TimeControl};
use super::tracker::ClockTracker;

impl ClockTracker {
    /// Notes the claim of a flag-fall that is latched already. Returns false if none of them is meant. Under `club` rules a call of a
    /// player who did not stop the clocks does not count (point 10).
    pub(crate) fn claim_latched(
        &mut self,
        side: Color,
        period: Option<usize>,
        seen: Instant,
        club: bool,
        command: Option<&String>,
    ) -> bool {
        let stopped = self.stopped_with(seen);
        let flags = self.chessclock.flags_mut();
        let Some(fall) = flags.claimed_fall(side, period, seen) else { return false };
        if club && fall.clocks_stopped == Some(false) {
            fall.observed_at = None;
        }
        if fall.observed_at.is_none() {
            fall.clocks_stopped = stopped;
        }
        // Nobody can have seen the flag before it fell.
        fall.observe(seen.max(fall.fell.earliest), command);
        let number = fall.number;
        flags.observe_earlier(side, number, seen, command);
        true
    }

    /// Latches a flag-fall that no report has shown.
    ///
    /// # Errors
    /// Fails if more flags are recorded than any game has.
    pub(crate) fn latch_unreported(
        &mut self,
        side: Color,
        period: Option<usize>,
        seen: Instant,
        command: Option<&String>,
    ) -> Result<(), &'static str> {
        let stopped = self.stopped_with(seen);
        if !self.chessclock.observe(side, seen, period, command) {
            return Err("no game has so many flags");
        }
        if let Some(fall) = self.chessclock.flags_mut().last_fall_mut(side) {
            fall.clocks_stopped = stopped;
        }
        Ok(())
    }

    /// The index of a period that is counted from 1.
    ///
    /// # Errors
    /// Fails if the time control has no such period.
    pub(crate) fn period_index(&self, period: u32) -> Result<usize, &'static str> {
        let index = (period as usize).checked_sub(1).filter(|&index| index < MAX_PERIODS).ok_or("there is no such period")?;
        let known = |control: &TimeControl| index == 0 || control.next_period(index - 1).is_some();
        if self.control.as_ref().is_none_or(known) { Ok(index) } else { Err("the time control has no such period") }
    }
}
