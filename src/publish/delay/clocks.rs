//! Holds the times of the clock that the public receives after a delay, and repeats the last ones.

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_game::clock::ClockState;
use flagfall_game::game::Game;
use flagfall_protocols::time::Instant;

use super::queue::{DelayQueue, plies};
use crate::wire::clock::ClockBody;

/// The largest number of reports of the clock in the line: enough for the longest delay of 24 hours, one report in ten seconds,
/// and 3000 presses in that time.
pub const MAX_CLOCKS: usize = 12_000;
/// The public receives the times of a running clock at each multiple of this time, and at once when another clock runs.
const RUNNING: Duration = Duration::from_secs(10);
/// The public receives the times again after this time without a message about the clock, so that a page knows that it is up to
/// date.
const STOPPED: Duration = Duration::from_secs(30);

/// A report of the clock that waits for the public.
#[derive(Clone, Debug)]
struct DelayedClock {
    at: Instant,
    game: u32,
    /// The number of plies that were reported to the public by then.
    plies: u32,
    clock: ClockState,
    /// Whether another clock runs than before.
    switched: bool,
}

/// The times that the public has.
#[derive(Clone, Debug)]
pub(super) struct ShownClock {
    /// The time on the board at which they were read or seen.
    pub(super) at: Instant,
    /// The number of the game.
    pub(super) game: u32,
    pub(super) body: ClockBody,
}

/// The reports of the clock that wait for the public, and what the public has.
#[derive(Clone, Debug, Default)]
pub(super) struct DelayedClocks {
    items: VecDeque<DelayedClock>,
    /// The last report that was added.
    newest: Option<ClockState>,
    shown: Option<ShownClock>,
    /// The time of the last message about the clock, and the player whose clock ran in it.
    published: Instant,
    published_running: Option<&'static str>,
}

impl DelayedClocks {
    /// Adds the present times. Of the reports that become due between two multiples of ten seconds only the last one is kept.
    /// Returns whether a report was replaced because there was no room.
    pub(super) fn add(&mut self, at: Instant, game: &Game, queue: &DelayQueue) -> bool {
        self.add_report(at, game.clock(), game.number(), plies(game), queue)
    }

    /// Adds a report of the clock, in this game and after this number of plies.
    pub(super) fn add_report(&mut self, at: Instant, clock: ClockState, game: u32, plies: u32, queue: &DelayQueue) -> bool {
        let known = self.newest.map(|newest| ClockState { read: clock.read, ..newest });
        if known == Some(clock) {
            return false;
        }
        let switched = self.newest.is_none_or(|newest| newest.running != clock.running);
        self.newest = Some(clock);
        let timed = queue.timed(at);
        if self.items.back().is_some_and(|last| !last.switched && timed <= multiple_after(queue.timed(last.at))) {
            self.items.pop_back();
        }
        let full = self.items.len() == MAX_CLOCKS;
        if full {
            self.items.pop_back();
        }
        self.items.push_back(DelayedClock { at, game, plies, clock, switched });
        full
    }

    /// Returns when the public must receive times; none while they wait for moves or for records.
    pub(super) fn deadline(&self, queue: &DelayQueue) -> Option<Instant> {
        let again = self.shown.as_ref().and_then(|shown| {
            let pause = if shown.body.running.is_some() { RUNNING } else { STOPPED };
            queue.not_before(self.published.after(pause))
        });
        [self.first_due(queue), again].into_iter().flatten().min()
    }

    /// When the first reports are released: at a multiple of ten seconds, or when another clock runs. No report is released before those
    /// that came earlier, which may wait for moves longer than a later one: moves may have been taken back between them.
    fn first_due(&self, queue: &DelayQueue) -> Option<Instant> {
        let due = |item: &DelayedClock| queue.due(item.at, item.game, item.plies);
        let plain = due(self.items.front()?).map(multiple_after)?;
        let mut latest = Instant::ZERO;
        for item in &self.items {
            let Some(due) = due(item) else { break };
            latest = latest.max(due);
            if item.switched {
                return queue.not_before(plain.min(latest));
            }
        }
        queue.not_before(plain)
    }

    /// Takes everything that is due out of the line. Returns whether the public must receive the times.
    pub(super) fn release_due(&mut self, now: Instant, queue: &DelayQueue) -> bool {
        let due = self.deadline(queue).is_some_and(|due| due <= now);
        if due {
            self.apply_due(now, queue);
        }
        // A state may have shown that another clock runs.
        due || self.shown.as_ref().is_some_and(|shown| shown.body.running != self.published_running)
    }

    fn apply_due(&mut self, now: Instant, queue: &DelayQueue) {
        let due = |first: &DelayedClock| queue.due(first.at, first.game, first.plies).is_some_and(|due| due <= now);
        while let Some(DelayedClock { at, game, clock, .. }) = self.items.pop_front_if(|first| due(first)) {
            self.show(ShownClock { at, game, body: clock.into() });
        }
    }

    /// The records of an earlier run end at `floor`: what was due by then counts as released.
    pub(super) fn resume(&mut self, floor: Instant, queue: &DelayQueue) {
        self.apply_due(floor, queue);
        self.published = floor;
    }

    /// The number of reports that wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Notes times that the public may have. A state may have released later ones.
    pub(super) fn show(&mut self, clock: ShownClock) {
        if self.shown.as_ref().is_none_or(|shown| shown.at <= clock.at) {
            self.shown = Some(clock);
        }
    }

    /// Returns the times for a message at `now`, if there are any.
    pub(super) fn publish(&mut self, now: Instant) -> Option<&ShownClock> {
        self.published = now;
        self.published_running = self.shown.as_ref().and_then(|shown| shown.body.running);
        self.shown.as_ref()
    }
}

/// The first multiple of ten seconds that is not before `at`.
fn multiple_after(at: Instant) -> Instant {
    let step = RUNNING.as_micros() as u64;
    Instant(at.0.div_ceil(step).saturating_mul(step))
}
