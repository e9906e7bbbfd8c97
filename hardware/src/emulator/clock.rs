//! Emulates a chess clock: two times, a lever and flags. The clock is independent of any board. The caller passes events with
//! their times, and the clock shows the same as a real clock.
//!
//! Times are stored in microseconds, so that rounding between two steps loses nothing. The display is rounded up to whole
//! seconds, as on the recorded clock (0:00:01 running, then 0:00:00 with the flag).

use std::time::Duration;

use flagfall_protocols::event::{ClockFace, ClockReading, ClockSide};
use flagfall_protocols::time::{ClockTime, Instant};

use super::clock_model::{ClockSettings, Method};

/// The time and state of one side.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    left: Duration,
    period: usize,
    moves: u32,
    blocked: bool,
    flag: bool,
    /// The time at which the sign of a change of period goes off.
    sign_until: Option<Instant>,
}

/// An emulated chess clock.
#[derive(Clone, Debug)]
pub struct Clock {
    settings: ClockSettings,
    now: Instant,
    sides: [Side; 2],
    lever_up: ClockSide,
    turn: ClockSide,
    started: bool,
    running: bool,
    flagged_first: Option<ClockSide>,
    /// The time used for the present move, including the delay.
    used: Duration,
    /// The low battery sign is shown.
    pub battery_low: bool,
}

impl Clock {
    /// Creates a clock that is set but not started.
    pub fn new(settings: ClockSettings, at: Instant) -> Clock {
        let first = settings.period(0);
        // The starting time includes the first additional time.
        let extra = if settings.method == Method::Fischer { span(first.additional) } else { Duration::ZERO };
        let side = Side { left: capped(span(first.time) + extra), ..Side::default() };
        let white = settings.white();
        Clock {
            settings,
            now: at,
            sides: [side; 2],
            lever_up: white,
            turn: white,
            started: false,
            running: false,
            flagged_first: None,
            used: Duration::ZERO,
            battery_low: false,
        }
    }

    /// Returns the settings of the clock.
    pub const fn settings(&self) -> &ClockSettings {
        &self.settings
    }

    /// Returns whether a time runs.
    pub const fn running(&self) -> bool {
        self.running
    }

    /// Lets time pass up to `to`. A moment before the last one changes nothing.
    pub fn advance(&mut self, to: Instant) {
        while self.now < to {
            let mut step = to.since(self.now);
            if self.running {
                let delay = self.delay_left();
                let side = &mut self.sides[slot(self.turn)];
                if !delay.is_zero() {
                    step = step.min(delay);
                } else if !side.left.is_zero() {
                    step = step.min(side.left);
                    side.left -= step;
                }
                self.used = self.used.saturating_add(step);
            }
            self.now = self.now.after(step);
            self.check_zero();
        }
        for side in &mut self.sides {
            if side.sign_until.is_some_and(|until| until <= self.now) {
                side.sign_until = None;
            }
        }
    }

    /// Presses the lever of `side` down; the other side goes up.
    pub fn press(&mut self, side: ClockSide) {
        let moved = self.lever_up == side;
        self.lever_up = side.other();
        if !self.started {
            // Before the start the lever decides which side begins.
            self.turn = self.lever_up;
        } else if moved && self.running {
            self.end_turn(side);
        }
    }

    /// Starts the clock, or continues after a pause. The side whose lever is up runs, even if the lever was moved during the
    /// pause (*assumed*). A blocked clock does not start.
    pub fn run(&mut self) {
        if self.running || self.sides.iter().any(|side| side.blocked) {
            return;
        }
        if self.turn != self.lever_up {
            self.turn = self.lever_up;
            self.used = Duration::ZERO;
        }
        self.started = true;
        self.running = true;
        self.check_zero();
    }

    /// Stops both times.
    pub fn stop(&mut self) {
        self.running = false;
    }

    /// Sets both times, as an arbiter does. A side that gets time loses its flag. Returns false and changes nothing while a
    /// time runs.
    #[must_use = "a running clock cannot be set"]
    pub fn set(&mut self, left: ClockTime, right: ClockTime) -> bool {
        if self.running {
            return false;
        }
        for (which, time) in [(ClockSide::Left, left), (ClockSide::Right, right)] {
            let side = &mut self.sides[slot(which)];
            side.left = capped(span(time));
            if time.millis() > 0 {
                (side.blocked, side.flag, side.sign_until) = (false, false, None);
                if self.flagged_first == Some(which) {
                    self.flagged_first = None;
                }
            }
        }
        true
    }

    /// Sets what the clock does with each move from now on, in every period: adds this time, as an arbiter grants it (Guideline
    /// III.4), gives back the used time up to this time, or does not run for this time. Returns false and changes nothing while
    /// a time runs.
    #[must_use = "a running clock cannot be set"]
    pub fn set_method(&mut self, method: Method, time: ClockTime) -> bool {
        if self.running {
            return false;
        }
        self.settings.method = method;
        for period in &mut self.settings.periods {
            period.additional = time;
        }
        true
    }

    /// Removes the flag sign of `side` from the display. A blocked clock stays blocked.
    pub fn flag_sign_off(&mut self, side: ClockSide) {
        let side = &mut self.sides[slot(side)];
        (side.flag, side.sign_until) = (false, None);
    }

    /// Returns the present display of the clock.
    pub fn reading(&self) -> ClockReading {
        ClockReading {
            left: self.face(ClockSide::Left),
            right: self.face(ClockSide::Right),
            running: self.running,
            lever_up: self.lever_up,
            turn: Some(self.turn),
            battery_low: self.battery_low,
            baseline: false,
            resolution_ms: 1000,
            late: Duration::ZERO,
        }
    }

    fn face(&self, which: ClockSide) -> ClockFace {
        let side = &self.sides[slot(which)];
        let seconds = side.left.as_micros().div_ceil(1_000_000) as u32;
        let period = self.settings.period(side.period);
        ClockFace {
            time: ClockTime(seconds * 1000),
            flag_blocked: side.blocked,
            flag_shown: side.flag || side.sign_until.is_some(),
            adds_time: self.settings.method != Method::TimeOnly && period.additional.millis() > 0,
        }
    }

    /// Returns the rest of the US delay in this move.
    fn delay_left(&self) -> Duration {
        match self.settings.method {
            Method::UsDelay => self.additional(self.turn).saturating_sub(self.used),
            _ => Duration::ZERO,
        }
    }

    fn additional(&self, side: ClockSide) -> Duration {
        span(self.settings.period(self.sides[slot(side)].period).additional)
    }

    /// Ends the turn of `side`: its move counts, the next period may begin, and the additional time of the next move is added.
    fn end_turn(&mut self, side: ClockSide) {
        let used_of_delay = self.used.min(self.additional(side));
        let own = &mut self.sides[slot(side)];
        own.moves = own.moves.saturating_add(1);
        let mut extra = Duration::ZERO;
        if self.settings.required(own.period) == Some(own.moves) {
            own.period += 1;
            extra = span(self.settings.period(own.period).time);
        }
        extra += match self.settings.method {
            Method::Fischer => span(self.settings.period(own.period).additional),
            Method::Bronstein => used_of_delay,
            Method::TimeOnly | Method::UsDelay => Duration::ZERO,
        };
        own.left = capped(own.left.saturating_add(extra));
        self.turn = side.other();
        self.used = Duration::ZERO;
        self.check_zero();
    }

    fn check_zero(&mut self) {
        if self.running && self.delay_left().is_zero() && self.sides[slot(self.turn)].left.is_zero() {
            self.handle_zero(self.turn);
        }
    }

    fn handle_zero(&mut self, which: ClockSide) {
        let period = self.sides[slot(which)].period;
        if self.settings.changes_at_zero(period) {
            let extra = span(self.settings.period(period + 1).time);
            let sign = self.now.after(self.settings.model.sign_lasts());
            for side in self.sides.iter_mut().filter(|side| side.period == period) {
                side.period += 1;
                side.left = capped(side.left.saturating_add(extra));
            }
            self.sides[slot(which)].sign_until = Some(sign);
            return;
        }
        let side = &mut self.sides[slot(which)];
        if self.settings.freeze {
            side.blocked = true;
            self.running = false;
        } else if self.flagged_first.is_none_or(|first| first == which) || self.settings.model.second_flag() {
            side.flag = true;
        }
        self.flagged_first.get_or_insert(which);
    }
}

const fn slot(side: ClockSide) -> usize {
    match side {
        ClockSide::Left => 0,
        ClockSide::Right => 1,
    }
}

const fn span(time: ClockTime) -> Duration {
    Duration::from_millis(time.millis() as u64)
}

fn capped(time: Duration) -> Duration {
    time.min(span(ClockSettings::LONGEST))
}
