//! What the public sees: the live audience's messages, later.

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
