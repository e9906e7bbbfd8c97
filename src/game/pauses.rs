//! Remembers the pauses between changes of the board (`reconstruct/README.md#4.3`).

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;

/// The shortest pause between two changes of the board that is remembered.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// The largest number of pauses that are remembered: two for each man.
const MAX_PAUSES: usize = 64;
/// A pause of this length never separates the last move from the putting back of the men.
const NO_PAUSE: Duration = Duration::from_secs(3);
/// A longer pause always does.
const LONG_PAUSE: Duration = Duration::from_secs(10);

/// The last pauses between changes of the board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pauses {
    last_change: Instant,
    /// When each pause began, and how long it was.
    pauses: Vec<(Instant, Duration)>,
}

impl Pauses {
    /// Notes a change of the board.
    pub(crate) fn note(&mut self, now: Instant) {
        let began = core::mem::replace(&mut self.last_change, now);
        if now.since(began) >= SHORTEST_PAUSE {
            if self.pauses.len() == MAX_PAUSES {
                self.pauses.remove(0);
            }
            self.pauses.push((began, now.since(began)));
        }
    }

    /// True if the hands that put the men back went on after a move that was made at `made`: they did not pause for longer than later.
    pub(crate) fn went_on_after(&self, made: Instant) -> bool {
        let mut later = self.pauses.iter().filter(|(began, _)| *began >= made).map(|(_, lasted)| *lasted);
        let Some(first) = later.next() else { return false };
        let usual = later.max().unwrap_or_default() * 3 / 2;
        first <= usual.clamp(NO_PAUSE, LONG_PAUSE)
    }
}
