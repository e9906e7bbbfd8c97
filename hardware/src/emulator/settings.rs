//! How an emulated board is made: its looks, its speed, its bad habits.

use std::time::Duration;

use flagfall_protocols::square::Placement;

use super::clock_model::ClockSettings;

/// An emulated board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What stands on it when it is switched on.
    pub placement: Placement,
    /// The clock in its port; none = no clock is connected and none can be.
    pub clock: Option<ClockSettings>,
    /// One scan of all squares: 200 to 250 ms by cable, 400 to 500 ms by Bluetooth.
    pub scan: Duration,
    /// When within the first scan a8 is sampled: moves every later sample by as much.
    pub scan_phase: Duration,
    /// How often the board asks its clock; a press is seen as much later at most. Two to three times a second.
    pub clock_poll: Duration,
    /// How unsteady the way from the clock to the host is.
    pub clock_way: ClockWay,
    /// From a command's arrival to the first byte of its answer.
    pub reply_delay: Duration,
    /// From a clock command to its acknowledgement: 0.35 s by Bluetooth, 1 to 2 s by cable.
    pub ack_delay: Duration,
    /// Bytes leave at the pace of 9600 baud, in pieces of at most 16; else each message at once.
    pub paced: bool,
    /// Serial number, 0..=16383; also the address on a bus.
    pub serial: u16,
    /// Firmware version, major and minor.
    pub version: (u8, u8),
    /// Charge of the battery in percent; none = a board without one, which does not answer that question.
    pub battery: Option<u8>,
    /// What it does that it should not.
    pub quirks: Quirks,
}

impl Default for Settings {
    /// A board by cable in the initial position, with a clock, and without bad habits.
    fn default() -> Settings {
        Settings {
            placement: Placement::initial(),
            clock: Some(ClockSettings::default()),
            scan: Duration::from_millis(225),
            scan_phase: Duration::ZERO,
            clock_poll: Duration::from_millis(400),
            clock_way: ClockWay::default(),
            reply_delay: Duration::from_millis(5),
            ack_delay: Duration::from_millis(1200),
            paced: true,
            serial: 1025,
            version: (1, 80),
            battery: None,
            quirks: Quirks::default(),
        }
    }
}

/// How long clock messages are on their way, and how many are not sent. Steady and whole by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockWay {
    /// The board asks its clock up to so much sooner than [`Settings::clock_poll`], by chance.
    pub sooner: Duration,
    /// A report leaves between so much and so much after the board has heard it; reports keep their order.
    pub delay: [Duration; 2],
    /// Of 10,000 times that the board asks, so many bring nothing: what changed is told the next time.
    pub skipped: u16,
    /// Chance begins here: the same number gives the same times.
    pub seed: u64,
}

/// Habits seen on real boards (`dgt/README.md#9.1`). None by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// An all-zero clock message follows every clock command.
    pub null_clock_message: bool,
    /// The first clock command is answered with failure (0x20).
    pub ack_fails_once: bool,
    /// So long after switching on, the board's whole log comes unasked, if the board is in a mode that reports.
    pub unasked_log: Option<Duration>,
    /// The clock says nothing until its cable is plugged again (`connect` or `replace`).
    pub clock_silent_until_replug: bool,
    /// One clock message with 12:08:08 on the right follows the first clock command.
    pub illegal_time: bool,
    /// So long after switching on, one clock message shows 1:30:00 too much for the running side.
    pub clock_jump: Option<Duration>,
    /// A former host left the board in update mode: it talks at once, and what comes first is the end of a message.
    pub starts_mid_message: bool,
}
