//! What a message means after those before it: times, lever, running, a clock that is there or not.

use core::time::Duration;

use super::message::{Button, Times};
use crate::event::{Anomaly, ClockFace, ClockReading, ClockSide};
use crate::time::{ClockTime, Instant};

/// A time that did not fall for so long stands: a running one falls every second, and the radio is late now and then.
const STOPPED_AFTER: Duration = Duration::from_secs(2);

/// When a message was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// Not before this; none if nobody knows.
    pub(super) earliest: Option<Instant>,
    /// Not after this.
    pub(super) latest: Instant,
}

impl Written {
    /// It is known to the moment.
    pub(super) const fn exactly(at: Instant) -> Written {
        Written { earliest: Some(at), latest: at }
    }
}

/// What the gateway has told so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockReader {
    /// Left and right.
    times: Option<[ClockTime; 2]>,
    /// When a time fell last, at the latest.
    fell: Option<Instant>,
    /// The side whose lever is up, if it was told.
    lever: Option<ClockSide>,
    /// The side whose time fell last by itself: its lever is up, as long as none was told.
    runs: Option<ClockSide>,
    /// The gateway's stamp of the last movement of the lever.
    moved: Option<u64>,
    absent: bool,
    /// What was told last.
    told: Option<ClockReading>,
    /// The next reading is told even if it is the same.
    wanted: bool,
}

/// What a message gave: at most two readings, the first of them for the sake of the second.
pub(super) type Readings = [Option<ClockReading>; 2];

const NONE: Readings = [None, None];

impl ClockReader {
    /// The next reading is told even if it is the same.
    pub(super) const fn request_repeat(&mut self) {
        self.wanted = true;
    }

    /// The clock is there again, if it was not: whatever was known of it may be wrong.
    pub(super) fn mark_present(&mut self) {
        if self.absent {
            *self = ClockReader { wanted: self.wanted, ..ClockReader::default() };
        }
    }

    /// The clock is away. True if that is news.
    pub(super) const fn mark_absent(&mut self) -> bool {
        !core::mem::replace(&mut self.absent, true)
    }

    /// Times came; `asked`: from the gateway's memory, which says nothing of a clock that is away.
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

    /// So far nobody has told where the lever is: the time that falls shows it.
    fn note_falling_side(&mut self, falls: [bool; 2]) {
        let side = match falls {
            [true, false] => ClockSide::Left,
            [false, true] => ClockSide::Right,
            _ => return,
        };
        // The other one did not run, or a movement was lost: nobody reads a press from a baseline.
        if self.lever.is_none() && self.told.is_some_and(|told| told.running && told.lever_up != side) {
            self.told = None;
        }
        self.runs = Some(side);
    }

    /// The lever moved: `button` says which side went down. The gateway's stamp shows whether it is the same movement again.
    pub(super) fn read_lever(&mut self, at: Instant, stamp: u64, button: Button) -> Readings {
        self.mark_present();
        if self.moved.replace(stamp) == Some(stamp) {
            return NONE;
        }
        let up = if button == Button::LeverLeft { ClockSide::Right } else { ClockSide::Left };
        // It came from the other side, whatever was known of it: said first, as a baseline, from which nobody reads a press.
        let mut before = None;
        if self.told.is_some_and(|told| told.lever_up == up) {
            (self.lever, self.told) = (Some(up.other()), None);
            before = self.new_reading(Some(at));
        }
        self.lever = Some(up);
        [before, self.new_reading(Some(at))]
    }

    /// The reading as it is then, if it differs from what was told or was asked for. Where nobody knows when, a clock runs on or
    /// stands as before.
    fn new_reading(&mut self, at: Option<Instant>) -> Option<ClockReading> {
        let runs = |at: Instant| self.fell.is_some_and(|fell| at.since(fell) < STOPPED_AFTER);
        let [left, right] = self.times?.map(|time| ClockFace { time, ..ClockFace::default() });
        let reading = ClockReading {
            left,
            right,
            running: at.map_or(self.told.is_some_and(|told| told.running), runs),
            lever_up: self.lever.or(self.runs).unwrap_or(ClockSide::Left),
            turn: None,
            battery_low: false,
            baseline: self.told.is_none(),
            resolution_ms: 1000,
            late: Duration::ZERO,
        };
        let same = self.told.is_some_and(|told| reading == ClockReading { baseline: false, ..told });
        self.told = Some(reading);
        let wanted = core::mem::take(&mut self.wanted);
        (!same || wanted).then_some(reading)
    }
}
