//! Defines the settings of an emulated DGT board: its contents, its speed and its faults.

use std::time::Duration;

use flagfall_protocols::square::Placement;

use super::clock_model::ClockSettings;

/// The settings of an emulated DGT board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The clock in its port. `None` means that the board has no clock and none can be connected.
    pub clock: Option<ClockSettings>,
    /// One scan of all squares: 200 to 250 ms by cable, 400 to 500 ms by Bluetooth.
    pub scan: Duration,
    /// The time of a8's sample within the first scan. It shifts every later sample by the same time.
    pub scan_phase: Duration,
    /// The interval at which the board queries its clock, and the longest delay of a press: two to three times a second.
    pub clock_poll: Duration,
    /// The variation of the delay from the clock to the host.
    pub clock_way: ClockWay,
    /// The time from a command's arrival to the first byte of its answer.
    pub reply_delay: Duration,
    /// The time from a clock command to its acknowledgement: 0.35 s by Bluetooth, 1 to 2 s by cable.
    pub ack_delay: Duration,
    /// Bytes leave at the pace of 9600 baud, in pieces of at most 16. Otherwise each message leaves at once.
    pub paced: bool,
    /// Serial number. Its lower 14 bits are the address on a bus.
    pub serial: u16,
    /// Firmware version, major and minor.
    pub version: (u8, u8),
    /// Charge of the battery in percent. `None` is a board without a battery, which does not answer that question.
    pub battery: Option<u8>,
    /// The field updates that are lost on the way to the host.
    pub lost_updates: LostUpdates,
    /// Its faults.
    pub quirks: Quirks,
}

impl Default for Settings {
    /// A board by cable in the initial position, with a clock and without faults.
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
            lost_updates: LostUpdates::default(),
            quirks: Quirks::default(),
        }
    }
}

/// The delays of clock messages, and the share of messages that are not sent. By default there is no delay and all are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockWay {
    /// The longest time by which a query comes earlier than [`Settings::clock_poll`]. The actual time is random.
    pub sooner: Duration,
    /// The shortest and the longest time from the clock's answer to the board's report. Reports keep their order.
    pub delay: [Duration; 2],
    /// The number of queries in 10,000 that bring no report. The next report contains the change.
    pub skipped: u16,
    /// The seed: the same number gives the same times.
    pub seed: u64,
}

/// The share of field updates that are lost. By default none is lost. Answers to questions are never lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LostUpdates {
    /// The number of field updates in 10,000 that are lost, 0 to 10,000.
    pub share: u16,
    /// The seed: the same number loses the same updates.
    pub seed: u64,
}

/// Faults that were seen on real boards (`dgt/README.md#9.1`). The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// An all-zero clock message follows every clock command.
    pub null_clock_message: bool,
    /// The first clock command is answered with failure (0x20).
    pub ack_fails_once: bool,
    /// The time after switching on at which the board sends its whole log without a question, if it is in a mode that reports.
    pub unasked_log: Option<Duration>,
    /// The clock does not answer until its cable is plugged in again (`connect` or `replace`).
    pub clock_silent_until_replug: bool,
    /// One clock message with 12:08:08 on the right follows the first clock command.
    pub illegal_time: bool,
    /// The time after switching on at which one clock message shows 1:30:00 too much for the running side.
    pub clock_jump: Option<Duration>,
    /// A former host left the board in update mode: it reports at once, and its first bytes are the end of a message.
    pub starts_mid_message: bool,
}
