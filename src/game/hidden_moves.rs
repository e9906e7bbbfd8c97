//! Notices moves that were made while the board was not heard and that ended where they began: only the clock shows them
//! (`reconstruct/README.md#3.6`).

use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::after_gap::ClockOverGap;
use crate::pair::Pair;
use crate::seen::Seen;

/// The running clock when the board was last heard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockBeforeGap {
    pub(crate) lost: Instant,
    pub(crate) ran: Color,
    /// When the clock was last heard.
    pub(crate) heard: Instant,
    pub(crate) times: Pair<Option<ClockTime>>,
}

impl Seen {
    /// Notes the clock when the board is not heard any more.
    pub(crate) fn note_clock_before_gap(&mut self, now: Instant) {
        let clock = &self.clock.chessclock;
        let times = self.clock_times();
        let running = clock.runs().zip(clock.last_report()).filter(|_| self.phase.is_read());
        let before = running.map(|(ran, (heard, _))| ClockBeforeGap { lost: now, ran, heard, times });
        // A gap that nothing explains goes on.
        let earlier = self.clock_over_gap.take().filter(|_| self.play.decoder.has_gap());
        let earlier = earlier.map(|over| ClockBeforeGap { lost: now, ..over.before });
        self.clock_before_gap = self.clock_before_gap.or(earlier).or(before);
    }

    fn clock_times(&self) -> Pair<Option<ClockTime>> {
        let time = |color| self.clock.chessclock.time(color);
        Pair { white: time(Color::White), black: time(Color::Black) }
    }

    /// Since when the board was not heard, if it shows again what was played before and the clock shows that more was played. None
    /// until both have reported.
    pub(crate) fn moves_hidden_since(&mut self) -> Option<Instant> {
        let clock = &self.clock.chessclock;
        let heard = |before: &ClockBeforeGap| clock.last_report().is_some_and(|(at, _)| at > before.lost);
        let before = self.clock_before_gap.take_if(|before| self.board.unseen_since().is_none() && heard(before))?;
        self.clock_over_gap = clock.last_report().map(|(heard, _)| ClockOverGap { before, heard, times: self.clock_times() });
        if self.play.decoder.has_gap() || self.touched() || !self.phase.is_read() {
            return None;
        }
        let other = before.ran.other();
        let fell = clock.time(other) < *before.times.get(other);
        let over = clock.lever_up() == Some(other);
        // The move on the board may have been pressed meanwhile. Then the opponent's clock has run since, and still runs.
        let last = self.play.decoder.line().last().filter(|last| last.color == before.ran && last.pressed.is_none());
        let hidden = if last.is_some() { fell && !over } else { fell || over };
        hidden.then_some(before.lost)
    }
}
