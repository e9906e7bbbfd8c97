//! What was observed, and what the game makes of it.

use alloc::vec::Vec;

use flagfall_protocols::driver::Timing;
use flagfall_protocols::square::Color;

use crate::clock::tracker::ClockTracker;
use crate::config::GameConfig;
use crate::interval::Interval;
use crate::laws::outcome::Ending;
use crate::lifecycle::Lifecycle;
use crate::mate;
use crate::pair::Pair;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::{Decoded, Decoder};

/// The parts that others read: board, clock, what was played, where the game stands.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) config: GameConfig,
    /// How fast the board's family is known to be.
    pub(crate) usual: Timing,
    pub(crate) board: PhysicalBoard,
    pub(crate) clock: ClockTracker,
    pub(crate) play: Play,
    pub(crate) phase: Lifecycle,
}

/// What was played.
#[derive(Clone, Debug)]
pub(crate) struct Play {
    pub(crate) decoder: Decoder,
    pub(crate) decoded: Vec<Decoded>,
    /// Moves completed before the record begins, fewer than none where the record has more than the scoresheets; none where they
    /// are not known.
    pub(crate) completed_before: Pair<Option<i32>>,
    /// What ended the game on the board, when, and whose move it was.
    pub(crate) ending: Option<(Ending, Interval, Color)>,
    /// What is known of whether anybody can still mate (5.2.2).
    pub(crate) life: mate::Watch,
}

impl Play {
    pub(crate) fn new(decoder: Decoder) -> Play {
        Play {
            decoder,
            decoded: Vec::new(),
            completed_before: Pair { white: Some(0), black: Some(0) },
            ending: None,
            life: mate::Watch::default(),
        }
    }
}
