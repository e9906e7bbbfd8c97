//! The neutral vocabulary: what boards and clocks tell, whatever their make.

use core::time::Duration;

use crate::square::{Placement, Reading, Square};
use crate::time::ClockTime;

/// Where in a link's byte stream something was read: the evidence a finding names.
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

/// Something a board or clock told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceEvent {
    /// One square changed, or was reported again. Squares are the board's own: a1 is where it is with White beside the
    /// board's left-hand connector; turning a rotated board is the game's work.
    Square {
        /// Which square.
        square: Square,
        /// What it shows now.
        reading: Reading,
    },
    /// What all squares show now.
    Frame(Placement),
    /// The times and lever of the clock.
    Clock(ClockReading),
    /// The board says that no clock is connected; the last times are kept.
    ClockAbsent,
    /// A button of the clock was pressed (never the lever).
    ClockButton(ClockButton),
    /// Who the device is; one fact at a time.
    Identity(Identity),
    /// The battery of the board.
    Battery(Battery),
    /// How late this board tells a change at most, as its settings say; told anew when they do.
    Delay(Duration),
    /// One entry of the board's own log, oldest first, ended by [`LogEntry::End`].
    Log(LogEntry),
    /// The device answers: said once after the link came up, and again after [`DeviceEvent::Silent`].
    Responding,
    /// The device stopped answering its keep-alive question.
    Silent,
}

/// One side of the chess clock as seen from its front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClockSide {
    /// The left display.
    Left,
    /// The right display.
    Right,
}

impl ClockSide {
    /// The other side of the same clock.
    pub const fn other(self) -> ClockSide {
        match self {
            ClockSide::Left => ClockSide::Right,
            ClockSide::Right => ClockSide::Left,
        }
    }
}

/// What one display of the clock shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockFace {
    /// The time shown.
    pub time: ClockTime,
    /// The clock reports that this flag fell and that it stopped for good at zero (DGT bit 0x10).
    pub flag_blocked: bool,
    /// The clock shows a flag sign here; its time may still run (DGT bit 0x40).
    pub flag_shown: bool,
    /// The clock adds time with each move on this side (Fischer, Bronstein, delay; DGT bit 0x20).
    pub adds_time: bool,
}

/// One report of the clock. Raw facts: whose turn it is has to be concluded (`dgt/clock.md#1.1`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The left display.
    pub left: ClockFace,
    /// The right display.
    pub right: ClockFace,
    /// The clock says that it is running.
    pub running: bool,
    /// Which side's lever is up: the side whose time would run.
    pub lever_up: ClockSide,
    /// Whose turn the clock believes it is, if it says so of exactly one side.
    pub turn: Option<ClockSide>,
    /// The clock shows its battery warning.
    pub battery_low: bool,
    /// The first report since the link came up or the clock came back: a baseline, no press or fall may be read from it.
    pub baseline: bool,
    /// Steps in which the times are reported, in milliseconds (1000 for every DGT clock).
    pub resolution_ms: u16,
    /// How much later than usual this report came, where the clock's own stamps show it; otherwise zero. What it tells happened
    /// up to so much earlier than the kind's [`Timing`](crate::driver::Timing) says.
    pub late: Duration,
}

impl ClockReading {
    /// The display of `side`.
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

/// A short text from a device: ASCII, at most [`Text::MAX`] bytes, anything else replaced by `?`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Text {
    len: u8,
    bytes: [u8; Text::MAX],
}

impl Text {
    /// The longest text kept; the rest is cut off.
    pub const MAX: usize = 48;

    /// Keeps the first [`Text::MAX`] bytes of `raw`; control and non-ASCII bytes become `?`.
    pub fn new(raw: &[u8]) -> Text {
        let mut bytes = [0; Text::MAX];
        let len = raw.len().min(Text::MAX);
        for (to, &from) in bytes.iter_mut().zip(raw) {
            *to = if matches!(from, b' '..=b'~') { from } else { b'?' };
        }
        Text { len: len as u8, bytes }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl core::fmt::Debug for Text {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Who a device says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The short serial number.
    Serial(Text),
    /// The long serial number.
    LongSerial(Text),
    /// The maker's text, its first line.
    Trademark(Text),
    /// The board's address on a bus, which is its serial number as a number.
    BusAddress(u16),
    /// Firmware of the board, major and minor.
    Firmware(u8, u8),
    /// Hardware of the board, major and minor.
    Hardware(u8, u8),
    /// Firmware of the clock, major and minor.
    ClockFirmware(u8, u8),
}

/// State of a device's battery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Battery {
    /// Charge in percent, 0..=100.
    pub percent: u8,
    /// Minutes left, if the device knows.
    pub minutes_left: Option<u16>,
    /// Charging now.
    pub charging: bool,
}

/// One entry of the log that a board keeps by itself (`dgt/README.md#7`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEntry {
    /// A square changed; `quick` = within about 250 ms of the change before it.
    Square {
        /// Which square, the board's own numbering.
        square: Square,
        /// What it showed then.
        reading: Reading,
        /// Came within about 250 ms of the entry before.
        quick: bool,
    },
    /// The lever moved: `side` stopped with `time` left.
    Press {
        /// The side that stopped.
        side: ClockSide,
        /// The time it showed.
        time: ClockTime,
    },
    /// The board was switched on; the pieces it found follow in no order.
    PowerUp,
    /// The initial position stood on the board; `rotated` = with White beside the right-hand connector.
    InitialPosition {
        /// The board is turned by 180 degrees.
        rotated: bool,
    },
    /// The rows A, B, G and H were full with another set-up (Chess960).
    FourRows,
    /// The board was empty.
    EmptyBoard,
    /// The bus start mark; all pieces follow.
    StartMark,
    /// Everything before was read out already.
    Downloaded,
    /// A tag that says nothing of the game (padding, watchdog) or whose layout is unknown: its first byte.
    Other(u8),
    /// The end of the log.
    End,
}

/// Input that could not be taken at its word: counted by kind, never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anomaly {
    /// A byte outside any message.
    StrayByte,
    /// A message broken off by the start of another: bytes were lost.
    Truncated,
    /// A message broken off by silence.
    Stalled,
    /// A length that does not fit the message's id.
    BadLength,
    /// An id the protocol page does not list.
    UnknownMessage,
    /// A field that holds what it cannot hold (square above 63, unknown piece code).
    BadField,
    /// A clock report with an impossible time (`dgt/clock.md#1.4`, reading rule 5).
    ClockIllegal,
    /// A clock report of zeros, which means nothing (`dgt/clock.md#1.4`, reading rule 3).
    ClockNull,
    /// A rise of more than an hour, ignored until repeated (`dgt/clock.md#1.4`, reading rule 6).
    ClockJump,
    /// A time of exactly 8:00:00, which one program takes for zero (`dgt/clock.md#1.4`, reading rule 7).
    ClockEightHours,
    /// The clock refused a command or failed.
    ClockRefused,
    /// A reply to no question of ours.
    Unasked,
    /// An entry of the board's log that the page does not list.
    UnknownLogTag,
    /// A log with no end mark.
    LogTruncated,
    /// A question stayed without an answer and was asked again.
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

    /// The counter's name in summaries and status messages.
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
