//! Defines the settings of an emulated clock, and how each model behaves when a time reaches zero (`dgt/clock.md#5.1`).
//!
//! *Assumed* marks a choice for which the manuals say nothing; see `README.md` of this crate.

use std::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::ClockTime;

/// The model of the emulated clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// DGT XL.
    Xl,
    /// DGT 3000.
    Dgt3000,
    /// DGT 2010. No board connection of it is known, but its rules are supported.
    Dgt2010,
    /// DGT 2500.
    Dgt2500,
    /// No particular model: it freezes if the settings say so, and it shows a flag on every side that reaches zero.
    Generic,
}

impl Model {
    /// Returns whether both times stop permanently at zero, with the usual setting.
    ///
    /// The 2010 always blocks. The XL and the 3000 block with a method that adds time. The 2500 has a switch and a generic
    /// clock a setting; both are on (*assumed*).
    pub const fn freezes(self, method: Method) -> bool {
        match self {
            Model::Xl | Model::Dgt3000 => !matches!(method, Method::TimeOnly),
            Model::Dgt2010 | Model::Dgt2500 | Model::Generic => true,
        }
    }

    /// Returns whether, without freeze, the second side at zero gets a flag too. On the 3000 it does not; for the others this
    /// is *assumed*.
    pub const fn second_flag(self) -> bool {
        !matches!(self, Model::Dgt3000)
    }

    /// Returns how long the flag stays after a change of period at zero: five minutes on the 3000 and the 2500; for the others
    /// this is *assumed*. The time also counts while the clock is stopped (*assumed*).
    pub const fn sign_lasts(self) -> Duration {
        Duration::from_secs(300)
    }

    /// Returns the version that the clock reports, major and minor. 1.14 is known for an XL and 2.2 for a 3000; for the others
    /// it is *assumed*.
    pub const fn version(self) -> (u8, u8) {
        match self {
            Model::Xl | Model::Dgt2010 => (1, 14),
            Model::Dgt3000 | Model::Dgt2500 | Model::Generic => (2, 2),
        }
    }
}

/// The change of the time with each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// No time is added.
    TimeOnly,
    /// The additional time is added at the press. The first one is in the starting time already: 3+2 starts at 0:03:02.
    Fischer,
    /// At the press the used time is added back, at most the additional time.
    Bronstein,
    /// At the start of every move the time does not run for the additional time.
    UsDelay,
}

/// One allotted period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Main time, added at the start of the period.
    pub time: ClockTime,
    /// Additional time or delay for each move; [`ClockSettings::method`] says which.
    pub additional: ClockTime,
    /// The number of moves in the period. `None` is the rest of the game, or until the time is used up.
    pub moves: Option<u32>,
}

/// The moment at which the clock goes to the next period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A side gets the next period when it presses after the required move. A period without a number of moves changes at zero.
    ByMoveCount,
    /// Both sides get the next period when one side reaches zero, and that side shows a flag. Moves are not counted.
    AtZero,
}

/// The settings of an emulated clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockSettings {
    /// The model of the clock.
    pub model: Model,
    /// Both times stop permanently when the last period of one side is used up.
    pub freeze: bool,
    /// The change of the time with each move.
    pub method: Method,
    /// The periods, at least one. The last one lasts to the end of the game.
    pub periods: Vec<Period>,
    /// The moment at which the clock goes to the next period.
    pub change: Change,
    /// White sits at the left display. White's lever is up at the start, so White begins.
    pub left_is_white: bool,
}

impl ClockSettings {
    /// The longest time a DGT clock shows.
    pub const LONGEST: ClockTime = ClockTime::hms(9, 59, 59);

    /// Creates settings with one period of `time` and `additional` time for each move. `freeze` is the model's usual setting.
    pub fn new(model: Model, method: Method, time: ClockTime, additional: ClockTime) -> ClockSettings {
        ClockSettings {
            model,
            freeze: model.freezes(method),
            method,
            periods: vec![Period { time, additional, moves: None }],
            change: Change::ByMoveCount,
            left_is_white: true,
        }
    }

    /// Returns the side of the clock where White sits.
    pub const fn white(&self) -> ClockSide {
        if self.left_is_white { ClockSide::Left } else { ClockSide::Right }
    }

    /// Returns period `index`, or the last period if `index` is larger.
    pub(super) fn period(&self, index: usize) -> Period {
        let nothing = Period { time: ClockTime(0), additional: ClockTime(0), moves: None };
        self.periods.get(index).or(self.periods.last()).copied().unwrap_or(nothing)
    }

    /// Returns whether another period follows period `index` when the time reaches zero.
    pub(super) fn changes_at_zero(&self, index: usize) -> bool {
        index + 1 < self.periods.len() && (self.change == Change::AtZero || self.period(index).moves.is_none())
    }

    /// Returns the number of the move that ends period `index`, counted from the start of the game; `None` if no move ends it.
    pub(super) fn required(&self, index: usize) -> Option<u32> {
        if self.change == Change::AtZero || index + 1 >= self.periods.len() {
            return None;
        }
        self.periods[..=index].iter().try_fold(0, |sum: u32, period| Some(sum.saturating_add(period.moves?)))
    }
}

impl Default for ClockSettings {
    /// A DGT 3000 set to 90 minutes and 30 seconds a move.
    fn default() -> ClockSettings {
        ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime::hms(1, 30, 0), ClockTime::hms(0, 0, 30))
    }
}
