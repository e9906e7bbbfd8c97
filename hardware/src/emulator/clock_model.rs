//! Settings of an emulated clock, and what the models do at zero (`dgt/clock.md#5.1`).
//!
//! Where the manuals read so far are silent the choice made here is marked *assumed*; see `README.md` of this crate.

use std::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::ClockTime;

/// Which clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// DGT XL.
    Xl,
    /// DGT 3000.
    Dgt3000,
    /// DGT 2010; no board connection of it is known, its rules are used all the same.
    Dgt2010,
    /// DGT 2500.
    Dgt2500,
    /// No model in particular: freezes if told to, shows a flag on every side that falls.
    Generic,
}

impl Model {
    /// Whether both times stop for good at zero unless an operator changed it.
    ///
    /// The 2010 always blocks; the XL and the 3000 do with a method that adds time. The 2500 has a switch and a generic clock
    /// a setting: both are taken to be on (*assumed*).
    pub const fn freezes(self, method: Method) -> bool {
        match self {
            Model::Xl | Model::Dgt3000 => !matches!(method, Method::TimeOnly),
            Model::Dgt2010 | Model::Dgt2500 | Model::Generic => true,
        }
    }

    /// Without freeze: whether the side that reaches zero second gets a flag too. The 3000 does not; for the others that is
    /// *assumed*.
    pub const fn second_flag(self) -> bool {
        !matches!(self, Model::Dgt3000)
    }

    /// How long the flag stays after a change of period at zero: five minutes on the 3000 and the 2500, for the others
    /// *assumed*. Counted while the clock is stopped too (*assumed*).
    pub const fn sign_lasts(self) -> Duration {
        Duration::from_secs(300)
    }

    /// Version the clock answers, major and minor: 1.14 is known of an XL, 2.2 of a 3000; for the others *assumed*.
    pub const fn version(self) -> (u8, u8) {
        match self {
            Model::Xl | Model::Dgt2010 => (1, 14),
            Model::Dgt3000 | Model::Dgt2500 | Model::Generic => (2, 2),
        }
    }
}

/// What happens to the time with each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Nothing.
    TimeOnly,
    /// The additional time is added at the press. The first one is in the starting time already: 3+2 starts at 0:03:02.
    Fischer,
    /// At the press the time used is given back, at most the additional time.
    Bronstein,
    /// The time stands still for the additional time at the start of every move.
    UsDelay,
}

/// One allotted period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Main time, given at the start of the period.
    pub time: ClockTime,
    /// Additional time or delay for each move, as [`ClockSettings::method`] uses it.
    pub additional: ClockTime,
    /// Moves to be made in it; none = the rest of the game, or as long as the time lasts.
    pub moves: Option<u32>,
}

/// When the clock goes to the next period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The presser gets it at the press of the required move. A period without a number of moves changes at zero all the same.
    ByMoveCount,
    /// Both sides get it at once when one reaches zero, and that side shows a flag. Moves are not counted.
    AtZero,
}

/// How an emulated clock is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockSettings {
    /// Which clock.
    pub model: Model,
    /// Both times stop for good when the last period of one side is used up.
    pub freeze: bool,
    /// What happens with each move.
    pub method: Method,
    /// The periods, at least one; the last one lasts to the end.
    pub periods: Vec<Period>,
    /// When the clock goes to the next period.
    pub change: Change,
    /// White sits at the left display; that side's lever is up at the start, so it begins.
    pub left_is_white: bool,
}

impl ClockSettings {
    /// The longest time a DGT clock shows.
    pub const LONGEST: ClockTime = ClockTime::hms(9, 59, 59);

    /// One period of `time` with `additional` time for each move, freezing as `model` does by itself.
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

    /// The side of the clock where White sits.
    pub const fn white(&self) -> ClockSide {
        if self.left_is_white { ClockSide::Left } else { ClockSide::Right }
    }

    /// Period `index`; beyond the last there is only the last.
    pub(super) fn period(&self, index: usize) -> Period {
        let nothing = Period { time: ClockTime(0), additional: ClockTime(0), moves: None };
        self.periods.get(index).or(self.periods.last()).copied().unwrap_or(nothing)
    }

    /// Whether period `index` is followed by another one that begins at zero.
    pub(super) fn changes_at_zero(&self, index: usize) -> bool {
        index + 1 < self.periods.len() && (self.change == Change::AtZero || self.period(index).moves.is_none())
    }

    /// The number of the move by which period `index` ends, counted from the start of the game; none if not by moves.
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
