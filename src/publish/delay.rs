//! What the public sees: the live audience's messages, later (`wire/README.md#7`).
//!
//! Every event and every changed picture of the live audience enters a line with its time and comes out when both parts of the
//! delay are over. This is part of the deterministic station: its deadlines are deadlines, so a replay lets everything go at
//! the same moments. A restart lets go what the journal says was let go, whatever the delay is now, and then goes on with the
//! delay that is configured: nothing is numbered twice, and nothing comes early. What is due while nothing runs comes later.
//!
//! The time in a payload (`t.us`) is that of the board. The line is bounded: the oldest pictures go into later ones; an event
//! without room is dropped and the next picture has its moves; both are counted.

mod public;
mod queue;
#[cfg(test)]
mod tests;

pub(crate) use public::PublicAudience;
pub(crate) use queue::{DelayedContent, DelayedItem};
pub use queue::{Lost, MAX_EVENTS, MAX_STATES};

use std::fmt;
use std::time::Duration;

/// How much later than the live audience the public learns of something: after both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// This time has passed.
    pub time: Duration,
    /// And so many more plies were made, unless the game is over.
    pub moves: u32,
}

impl Delay {
    /// Reads what [`fmt::Display`] writes, `900 s 0 moves`.
    pub fn parse(text: &str) -> Option<Delay> {
        let (seconds, moves) = text.strip_suffix(" moves")?.split_once(" s ")?;
        Some(Delay { time: Duration::from_secs(seconds.parse().ok()?), moves: moves.parse().ok()? })
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s {} moves", self.time.as_secs(), self.moves)
    }
}
