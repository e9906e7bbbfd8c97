//! A clock before its game. The tests inside the crate use it too.

use core::time::Duration;

use flagfall_protocols::driver::Timing;
use flagfall_protocols::event::{ClockFace, ClockReading, ClockSide};
use flagfall_protocols::time::ClockTime;

pub(crate) const TIMING: Timing =
    Timing { scan: Duration::from_millis(250), press_delay: Duration::from_millis(500), in_turn: true };

/// Five minutes for both players. The clock stands, and the left player begins.
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
