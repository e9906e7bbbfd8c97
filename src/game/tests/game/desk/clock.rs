//! A clock before its game; for the tests inside the crate too.

use core::time::Duration;

use flagfall_protocols::driver::Timing;
use flagfall_protocols::event::{ClockFace, ClockReading, ClockSide};
use flagfall_protocols::time::ClockTime;

pub(crate) const TIMING: Timing =
    Timing { scan: Duration::from_millis(250), press_delay: Duration::from_millis(500), in_turn: true };

/// Five minutes for both; it stands, and the left player is to begin.
pub(crate) fn five_minutes() -> ClockReading {
    let face = ClockFace { time: ClockTime(300_000), ..ClockFace::default() };
    ClockReading {
        left: face,
        right: face,
        running: false,
        lever_up: ClockSide::Left,
        turn: Some(ClockSide::Left),
        battery_low: false,
        baseline: true,
        resolution_ms: 1000,
        late: Duration::ZERO,
    }
}
