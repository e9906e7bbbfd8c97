//! Tracks the stage of a game, from its set-up to the next one.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::game_phase::{GamePhase, Hint};
use crate::pauses::Pauses;
use crate::reconstruct::gesture::Sign;
use crate::reconstruct::setup::WrongSetUp;

/// The time for which a wrong set-up must stand before a game may begin with it. A sensor may fail to see a man.
pub(crate) const WRONG_SET_UP_STANDS: Duration = Duration::from_secs(3);
/// The time for which two kings must stand on centre squares to mean a result, while a clock still runs.
pub(crate) const GESTURE_STANDS: Duration = Duration::from_secs(15);
/// The time for which they must stand there to show a result, and without a clock to end the game. A king may only pass a square.
pub(crate) const GESTURE_SHOWS: Duration = Duration::from_secs(2);
/// The time for which the initial position must stand before it begins another game, if the old game has moves.
const NEXT_GAME_STANDS: Duration = Duration::from_secs(5);

/// Another board that serves a game in play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spare {
    /// There is none, or it has shown the game's position.
    #[default]
    None,
    /// It was bound, and has not reported its squares yet.
    Expected,
    /// It shows another position.
    Differs {
        /// When it first reported all its squares.
        first: Instant,
        /// An alarm has named the squares.
        named: bool,
    },
}

impl Spare {
    /// Whether it shows another position than the game's.
    pub(crate) const fn differs(self) -> bool {
        matches!(self, Spare::Differs { .. })
    }

    /// A board has reported all its squares at `now`. `after_gap`: it was not heard before.
    pub(crate) fn note_all_squares(&mut self, now: Instant, after_gap: bool) {
        if after_gap && *self == Spare::Expected {
            *self = Spare::Differs { first: now, named: false };
        }
    }
}

/// Kings that stand in the centre.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gesture {
    pub(crate) sign: Sign,
    /// The time since which both stand there.
    pub(crate) since: Instant,
    /// They have stood for long enough to show a result, and it was noted.
    pub(crate) noted: bool,
}

/// The stage of a game, and the signs of its beginning and end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifecycle {
    pub(crate) number: u32,
    pub(crate) stage: GamePhase,
    /// The time at which the game was armed or joined.
    pub(crate) began: Instant,
    /// An arbiter began it by a command.
    pub(crate) by_command: bool,
    pub(crate) hints: Vec<Hint>,
    /// The kings that stand in the centre.
    pub(crate) gesture: Option<Gesture>,
    /// When two kings first stood there after the last sure move: players may correct what they show.
    pub(crate) first_gesture: Option<Instant>,
    /// The pauses between the last changes of the board.
    pub(crate) pauses: Pauses,
    /// The time since which a set-up of the next game has stood.
    pub(crate) next_set_up: Option<Instant>,
    /// A wrong set-up, and the time since which it has stood.
    pub(crate) wrong_set_up: Option<(Instant, WrongSetUp)>,
    /// A wrong set-up with men on wrong squares that has stood for long enough, and the position in which a game begins with it.
    pub(crate) wrong_start: Option<(WrongSetUp, Chess)>,
    /// The game began with such a set-up, and nobody has moved yet.
    pub(crate) missing_at_start: Option<WrongSetUp>,
    /// Another board that serves the game from now on.
    pub(crate) spare: Spare,
}

impl Lifecycle {
    /// Begins another game. Of the old one only the number is kept.
    pub(crate) fn new_game(&mut self, began: Instant, stage: GamePhase) {
        *self = Lifecycle { number: self.number + 1, stage, began, ..Lifecycle::default() };
    }

    /// True if the decoder reads moves from the board.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.stage, GamePhase::Armed | GamePhase::Playing)
    }

    /// How long the initial position must stand before it begins another game. After the end of a game it can mean nothing
    /// else.
    pub(crate) fn next_game_wait(&self, scan: Duration) -> Duration {
        if self.stage == GamePhase::Over { scan * 2 } else { NEXT_GAME_STANDS }
    }

    /// When the initial position has stood for half of this time: the men were put back.
    pub(crate) fn put_back_at(&self, scan: Duration) -> Option<Instant> {
        self.next_set_up.map(|since| since.after(self.next_game_wait(scan) / 2))
    }
}
