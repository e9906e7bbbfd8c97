//! Where a game stands between its set-up and the next one.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::reconstruct::setup::WrongSetUp;
use crate::stage::{Hint, Stage};

/// A set-up that lacks a man or two must stand this long before a game begins on it: a sensor may not see them.
pub(crate) const INCOMPLETE_STANDS: Duration = Duration::from_secs(3);
/// Two kings on centre squares mean a result after this long, where the clock still runs.
pub(crate) const GESTURE_STANDS: Duration = Duration::from_secs(15);
/// And after this long where no clock is heard: a king that passes the centre on his way shows nothing.
pub(crate) const GESTURE_STANDS_UNTIMED: Duration = Duration::from_secs(2);
/// The initial position must stand this long before it means another game, while the old one has moves.
const NEXT_GAME_STANDS: Duration = Duration::from_secs(5);

/// The stage of a game, and what was shown of its beginning and its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifecycle {
    pub(crate) number: u32,
    pub(crate) stage: Stage,
    pub(crate) hints: Vec<Hint>,
    /// A king gesture that stands, and since when.
    pub(crate) gesture: Option<Instant>,
    /// A set-up of the next game that stands, and since when.
    pub(crate) next_set_up: Option<Instant>,
    /// A set-up that lacks a man or two, and since when it stands.
    pub(crate) incomplete_set_up: Option<(Instant, WrongSetUp)>,
    /// The game began on one, and nobody has moved yet.
    pub(crate) missing_at_start: Option<WrongSetUp>,
}

impl Lifecycle {
    /// Another game begins: only its number goes on.
    pub(crate) fn new_game(&mut self, stage: Stage) {
        *self = Lifecycle { number: self.number + 1, stage, ..Lifecycle::default() };
    }

    /// The board is read for moves.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.stage, Stage::Armed | Stage::Playing)
    }

    /// How long the initial position must stand to mean another game. After the end of a game it can mean nothing else.
    pub(crate) fn next_game_wait(&self, scan: Duration) -> Duration {
        if self.stage == Stage::Over { scan * 2 } else { NEXT_GAME_STANDS }
    }
}
