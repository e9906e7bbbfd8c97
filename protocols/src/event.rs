//! Defines the events that boards and clocks report. They are the same for all device families.

use core::time::Duration;

use crate::square::{Placement, Reading, Square};
use crate::time::ClockTime;

/// A range of bytes in a link's byte stream: the evidence that a finding names.
///
/// Offsets count the bytes received on `channel` since the driver began, so they do not depend on how the bytes were cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteRange {
    /// Channel of the link, 0 on a serial line.
    pub channel: u8,
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

/// A report of a board or clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceEvent {
    /// One square changed, or was reported again. The squares are in the board's own order: White sits beside the board's
    /// left-hand connector. The game turns the squares of a rotated board.
    Square {
        /// The square.
        square: Square,
        /// Its reading now.
        reading: Reading,
    },
    /// The readings of all squares now.
    Frame(Placement),
    /// The times and lever of the clock.
    Clock(ClockReading),
    /// The board reports that no clock is connected. The last times stay valid.
    ClockAbsent,
    /// A button of the clock was pressed (never the lever).
    ClockButton(ClockButton),
    /// The identity of the device, one fact at a time.
    Identity(Identity),
    /// The battery of the board.
    Battery(Battery),
    /// The longest delay of a change on this board, from its settings. It is reported again when the settings change.
    Delay(Duration),
    /// One entry of the board's own log. The oldest entry comes first, and [`LogEntry::End`] ends the log.
    Log(LogEntry),
    /// The device answers. This is reported once after the link came up, and again after [`DeviceEvent::Silent`].
    Responding,
    /// The device stopped answering its keep-alive question.
    Silent,
}

/// One side of the chess clock, seen from its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClockSide {
    /// The left display.
    Left,
    /// The right display.
    Right,
}

impl ClockSide {
    /// Returns the other side of the same clock.
    pub const fn other(self) -> ClockSide {
        match self {
            ClockSide::Left => ClockSide::Right,
            ClockSide::Right => ClockSide::Left,
        }
    }
}

/// One display of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockFace {
    /// The time shown.
    pub time: ClockTime,
    /// The clock reports that this flag fell and that the clock stopped permanently at zero (DGT bit 0x10).
    pub flag_blocked: bool,
    /// The clock shows a flag sign here; its time may still run (DGT bit 0x40).
    pub flag_shown: bool,
    /// The clock adds time with each move on this side (Fischer, Bronstein, delay; DGT bit 0x20).
    pub adds_time: bool,
}

/// One report of the clock, as raw facts. The side to move must be concluded from it (`dgt/clock.md#1.1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The left display.
    pub left: ClockFace,
    /// The right display.
    pub right: ClockFace,
    /// The clock reports that it is running.
    pub running: bool,
    /// The side whose lever is up: its time would run.
    pub lever_up: ClockSide,
    /// The side to move, if the clock reports exactly one side.
    pub turn: Option<ClockSide>,
    /// The clock shows its battery warning.
    pub battery_low: bool,
    /// The first report since the link came up or the clock came back. It is a baseline: it shows no press and no flag fall.
    pub baseline: bool,
    /// The resolution of the times in milliseconds (1000 for every DGT clock).
    pub resolution_ms: u16,
    /// The additional delay of this report, if the clock's own stamps show it; otherwise zero. The reported change happened
    /// earlier by up to this time than the family's [`Timing`](crate::driver::Timing) says.
    pub late: Duration,
}

impl ClockReading {
    /// Returns the display of `side`.
    pub const fn face(&self, side: ClockSide) -> ClockFace {
        match side {
            ClockSide::Left => self.left,
            ClockSide::Right => self.right,
        }
    }
}

/// Buttons of a DGT clock, from left to right (`dgt/clock.md#3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words printed on the clock")]
pub enum ClockButton {
    Back,
    Minus,
    RunPause,
    Plus,
    Ok,
}

/// A short text from a device: ASCII, at most [`Text::MAX`] bytes. Other characters are replaced by `?`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Text {
    len: u8,
    bytes: [u8; Text::MAX],
}

impl Text {
    /// The longest text; the rest is cut off.
    pub const MAX: usize = 48;

    /// Creates a text of the first [`Text::MAX`] bytes of `raw`. Control bytes and non-ASCII bytes become `?`.
    pub fn new(raw: &[u8]) -> Text {
        let mut bytes = [0; Text::MAX];
        let len = raw.len().min(Text::MAX);
        for (to, &from) in bytes.iter_mut().zip(raw) {
            *to = if matches!(from, b' '..=b'~') { from } else { b'?' };
        }
        Text { len: len as u8, bytes }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl core::fmt::Debug for Text {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Returns whether two serial numbers are equal. Surrounding blanks, leading zeros and case do not matter.
pub fn same_serial(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.trim().trim_start_matches('0').to_ascii_uppercase();
    bare(one) == bare(other)
}

/// A fact about the identity of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The short serial number.
    Serial(Text),
    /// The long serial number.
    LongSerial(Text),
    /// The maker's text, its first line.
    Trademark(Text),
    /// The board's address on a bus: its serial number as a number.
    BusAddress(u16),
    /// Firmware of the board, major and minor.
    Firmware(u8, u8),
    /// Hardware of the board, major and minor.
    Hardware(u8, u8),
    /// Firmware of the clock, major and minor.
    ClockFirmware(u8, u8),
}

/// The state of a device's battery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Battery {
    /// Charge in percent, 0..=100.
    pub percent: u8,
    /// Minutes left, if the device knows.
    pub minutes_left: Option<u16>,
    /// The battery is charging.
    pub charging: bool,
}

/// One entry of the log that a board writes by itself (`dgt/README.md#7`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEntry {
    /// A square changed.
    Square {
        /// The square, in the board's own order.
        square: Square,
        /// Its reading then.
        reading: Reading,
        /// The change came within about 250 ms of the previous entry.
        quick: bool,
    },
    /// The lever moved: `side` stopped with `time` left.
    Press {
        /// The side that stopped.
        side: ClockSide,
        /// The time it showed.
        time: ClockTime,
    },
    /// The board was switched on. The pieces that it found follow in no order.
    PowerUp,
    /// The initial position stood on the board.
    InitialPosition {
        /// The board is turned by 180 degrees: White is beside the right-hand connector.
        rotated: bool,
    },
    /// The rows A, B, G and H were full, with another set-up (Chess960).
    FourRows,
    /// The board was empty.
    EmptyBoard,
    /// The start mark of the bus. All pieces follow.
    StartMark,
    /// All earlier entries have been read out already.
    Downloaded,
    /// A tag that does not concern the game (padding, watchdog) or whose layout is unknown: its first byte.
    Other(u8),
    /// The end of the log.
    End,
}

/// Input that is not as expected. Anomalies are counted by kind and are never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anomaly {
    /// A byte outside any message.
    StrayByte,
    /// A message that was cut off by the start of another one: bytes were lost.
    Truncated,
    /// A message that was cut off by silence.
    Stalled,
    /// A length that does not fit the message's id.
    BadLength,
    /// An id that the protocol page does not list.
    UnknownMessage,
    /// A field with an impossible value (square above 63, unknown piece code).
    BadField,
    /// A clock report with an impossible time (`dgt/clock.md#1.4`, reading rule 5).
    ClockIllegal,
    /// A clock report of zeros, which means nothing (`dgt/clock.md#1.4`, reading rule 3).
    ClockNull,
    /// A rise of more than an hour, ignored until repeated (`dgt/clock.md#1.4`, reading rule 6).
    ClockJump,
    /// A time of exactly 8:00:00, which one program treats as zero (`dgt/clock.md#1.4`, reading rule 7).
    ClockEightHours,
    /// The clock refused a command or failed.
    ClockRefused,
    /// A reply without a question of ours.
    Unasked,
    /// An entry of the board's log that the page does not list.
    UnknownLogTag,
    /// A log without an end mark.
    LogTruncated,
    /// A question got no answer and was asked again.
    Retried,
}

impl Anomaly {
    /// Every kind, in the order of the counters.
    pub const ALL: [Anomaly; 15] = [
        Anomaly::StrayByte,
        Anomaly::Truncated,
        Anomaly::Stalled,
        Anomaly::BadLength,
        Anomaly::UnknownMessage,
        Anomaly::BadField,
        Anomaly::ClockIllegal,
        Anomaly::ClockNull,
        Anomaly::ClockJump,
        Anomaly::ClockEightHours,
        Anomaly::ClockRefused,
        Anomaly::Unasked,
        Anomaly::UnknownLogTag,
        Anomaly::LogTruncated,
        Anomaly::Retried,
    ];

    /// Returns the counter's name in summaries and status messages.
    pub const fn name(self) -> &'static str {
        match self {
            Anomaly::StrayByte => "stray_byte",
            Anomaly::Truncated => "truncated",
            Anomaly::Stalled => "stalled",
            Anomaly::BadLength => "bad_length",
            Anomaly::UnknownMessage => "unknown_message",
            Anomaly::BadField => "bad_field",
            Anomaly::ClockIllegal => "clock_illegal",
            Anomaly::ClockNull => "clock_null",
            Anomaly::ClockJump => "clock_jump",
            Anomaly::ClockEightHours => "clock_eight_hours",
            Anomaly::ClockRefused => "clock_refused",
            Anomaly::Unasked => "unasked",
            Anomaly::UnknownLogTag => "unknown_log_tag",
            Anomaly::LogTruncated => "log_truncated",
            Anomaly::Retried => "retried",
        }
    }
}
