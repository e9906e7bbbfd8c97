//! Delays the messages for the public (`wire/README.md#7`), which are those of the live audience, or begin with the press of a move.
//!
//! Every event and every changed state enters a queue together with its time. It is released when both parts
//! of the delay are over. The queue is part of the deterministic station and uses the station's deadlines, so a replay releases
//! everything at the same times. A restart first releases what the journal records as released, whatever the delay is now, and
//! then continues with the configured delay: no number is used twice, and nothing is released early. An item whose time comes
//! while the program does not run is released later.
//!
//! The time in a payload (`t.us`) is the time on the board. The queue has limits. When there are too many states, the oldest state
//! is merged into a later one. An event for which there is no room is dropped, and the next state contains its moves. Both
//! losses are counted.

mod clocks;
mod public;
mod queue;
#[cfg(test)]
mod tests;

pub use clocks::MAX_CLOCKS;
pub(crate) use public::PublicAudience;
pub(crate) use queue::{DelayedContent, DelayedItem};
pub use queue::{Lost, MAX_EVENTS, MAX_STATES};

use std::fmt;
use std::time::Duration;

/// The delay between a publication to the live audience and the same publication to the public. Both parts must be over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay {
    /// The time that must pass.
    pub time: Duration,
    /// The number of plies that must follow. It does not count once the game is over.
    pub moves: u32,
}

impl Delay {
    /// Parses the text that [`fmt::Display`] writes, such as `900 s 0 moves`.
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
