//! The clock of a game: the device, the time control it should have, and what is remembered of both.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::Chessclock;
use super::control::TimeControl;
use super::flag::FlagFall;
use super::setting::{SettingWatch, SidesWatch};
use crate::interval::Interval;
use crate::pair::Pair;

/// The chess clock and what a game knows of it.
#[derive(Clone, Debug)]
pub(crate) struct ClockTracker {
    pub(crate) chessclock: Chessclock,
    pub(crate) control: Option<TimeControl>,
    pub(crate) setting: SettingWatch,
    pub(crate) sides: SidesWatch,
    /// When hands set the time of a player, and by how many milliseconds it rose: the last few times.
    pub(crate) time_set: Pair<Vec<(Instant, i64)>>,
    /// The clock of a side whose flag fell was set anew since.
    pub(crate) set_anew: bool,
    /// A display that reached zero without a flag sign, and when.
    pub(crate) zero: Option<(Color, Instant)>,
    /// A clock has been started in this game: times are those of the time control only before that.
    pub(crate) has_run: bool,
    /// When a clock first ran in this game, as far as that was seen.
    pub(crate) first_ran: Option<Instant>,
    /// The period in which a player's duty to record is suspended (8.4).
    pub(crate) suspended: Pair<Option<usize>>,
    /// A question to the clock is under way since then.
    pub(crate) asked: Option<Instant>,
}

impl ClockTracker {
    pub(crate) fn new(chessclock: Chessclock, control: Option<TimeControl>) -> ClockTracker {
        ClockTracker {
            chessclock,
            control,
            setting: SettingWatch::default(),
            sides: SidesWatch::default(),
            time_set: Pair::default(),
            set_anew: false,
            zero: None,
            has_run: false,
            first_ran: None,
            suspended: Pair::default(),
            asked: None,
        }
    }

    /// Another game begins: the device stays, nothing of the old game does but a question to it.
    pub(crate) fn new_game(&mut self, now: Instant, control: Option<TimeControl>, white: ClockSide) {
        self.chessclock.new_game();
        self.chessclock.set_white_side(white);
        let has_run = self.chessclock.runs().is_some();
        self.control = control;
        self.setting = SettingWatch::default();
        self.sides = SidesWatch::default();
        self.time_set = Pair::default();
        self.set_anew = false;
        self.zero = None;
        self.has_run = has_run;
        self.first_ran = has_run.then_some(now);
        self.suspended = Pair::default();
    }

    /// When both clocks were stopped, if they were since `by` had `made` something. Who stops them to call his flag finishes
    /// nothing for him.
    pub(crate) fn stopped_after(&self, made: Interval, by: Color) -> Option<Interval> {
        let clock = &self.chessclock;
        let Interval { earliest, latest } = clock.changed();
        let stopped = clock.present() && clock.runs().is_none() && latest >= made.earliest;
        let called = |fall: &FlagFall| fall.side == by && fall.observed_at.is_some_and(|seen| seen <= latest);
        (stopped && !clock.flags().iter().any(called)).then_some(Interval { earliest: made.earliest.max(earliest), latest })
    }
}
