//! Computes clock readings from messages of the gateway and from earlier messages: the times, the lever, whether the clock
//! runs, and whether it is connected.

use core::time::Duration;

use super::message::{Button, Times};
use crate::event::{Anomaly, ClockFace, ClockReading, ClockSide};
use crate::time::{ClockTime, Instant};

/// The time without a falling time after which a clock counts as stopped. A running time falls every second, and the radio is
/// sometimes late.
const STOPPED_AFTER: Duration = Duration::from_secs(2);

/// The time at which a message was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// The earliest possible time; `None` if it is not known.
    pub(super) earliest: Option<Instant>,
    /// The latest possible time.
    pub(super) latest: Instant,
}

impl Written {
    /// Creates an exactly known time.
    pub(super) const fn exactly(at: Instant) -> Written {
        Written { earliest: Some(at), latest: at }
    }
}

/// The state that the gateway has reported so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockReader {
    /// The times of the left and the right side.
    times: Option<[ClockTime; 2]>,
    /// The latest possible time at which a time fell.
    fell: Option<Instant>,
    /// The side whose lever is up, if it was reported.
    lever: Option<ClockSide>,
    /// The side whose time fell last by itself. Its lever counts as up until the gateway reports the lever.
    runs: Option<ClockSide>,
    /// The gateway's stamp of the last movement of the lever.
    moved: Option<u64>,
    absent: bool,
    /// The last reported reading.
    reported: Option<ClockReading>,
    /// The next reading is reported even if it is the same.
    wanted: bool,
}

/// The result of a message: at most two readings. The first one prepares the second.
pub(super) type Readings = [Option<ClockReading>; 2];

const NONE: Readings = [None, None];

impl ClockReader {
    /// The next reading is reported even if it is the same.
    pub(super) const fn request_repeat(&mut self) {
        self.wanted = true;
    }

    /// Records that the clock is present. If it was absent, everything known about it may be wrong.
    pub(super) fn mark_present(&mut self) {
        if self.absent {
            *self = ClockReader { wanted: self.wanted, ..ClockReader::default() };
        }
    }

    /// Records that the clock is absent. Returns true if that is news.
    pub(super) const fn mark_absent(&mut self) -> bool {
        !core::mem::replace(&mut self.absent, true)
    }

    /// Reads times. `asked` means that they come from the gateway's memory, which is not valid for an absent clock.
    pub(super) fn read_times(&mut self, written: Written, times: &Times, asked: bool) -> Result<Readings, Anomaly> {
        let times = times.read().ok_or(Anomaly::ClockIllegal)?;
        if asked && self.absent {
            return Ok(NONE);
        }
        self.mark_present();
        if let Some(before) = self.times.replace(times) {
            let falls = [0, 1].map(|side| times[side] < before[side]);
            if falls != [false, false] {
                self.fell = Some(written.latest);
            }
            self.note_falling_side(falls);
        }
        Ok([self.new_reading(written.earliest), None])
    }

    /// Concludes the side of the lever from the falling time, as long as the gateway has not reported the lever.
    fn note_falling_side(&mut self, falls: [bool; 2]) {
        let side = match falls {
            [true, false] => ClockSide::Left,
            [false, true] => ClockSide::Right,
            _ => return,
        };
        // The reported side did not run, or a movement was lost. The next reading is a baseline, because a baseline never
        // counts as a press.
        if self.lever.is_none() && self.reported.is_some_and(|reported| reported.running && reported.lever_up != side) {
            self.reported = None;
        }
        self.runs = Some(side);
    }

    /// Reads a movement of the lever. `button` names the side that went down. The gateway's stamp shows whether it is the same
    /// movement again.
    pub(super) fn read_lever(&mut self, at: Instant, stamp: u64, button: Button) -> Readings {
        self.mark_present();
        if self.moved.replace(stamp) == Some(stamp) {
            return NONE;
        }
        let up = if button == Button::LeverLeft { ClockSide::Right } else { ClockSide::Left };
        // The lever came from the other side, whatever was known before. This is reported first as a baseline, because a
        // baseline never counts as a press.
        let mut before = None;
        if self.reported.is_some_and(|reported| reported.lever_up == up) {
            (self.lever, self.reported) = (Some(up.other()), None);
            before = self.new_reading(Some(at));
        }
        self.lever = Some(up);
        [before, self.new_reading(Some(at))]
    }

    /// Returns the reading at the time `at`, if it differs from the last reported one or was requested. If the time is not
    /// known, the clock counts as running or stopped as before.
    fn new_reading(&mut self, at: Option<Instant>) -> Option<ClockReading> {
        let runs = |at: Instant| self.fell.is_some_and(|fell| at.since(fell) < STOPPED_AFTER);
        let [left, right] = self.times?.map(|time| ClockFace { time, ..ClockFace::default() });
        let reading = ClockReading {
            left,
            right,
            running: at.map_or(self.reported.is_some_and(|reported| reported.running), runs),
            lever_up: self.lever.or(self.runs).unwrap_or(ClockSide::Left),
            turn: None,
            battery_low: false,
            baseline: self.reported.is_none(),
            resolution_ms: 1000,
            late: Duration::ZERO,
        };
        let same = self.reported.is_some_and(|reported| reading == ClockReading { baseline: false, ..reported });
        self.reported = Some(reading);
        let wanted = core::mem::take(&mut self.wanted);
        (!same || wanted).then_some(reading)
    }
}
