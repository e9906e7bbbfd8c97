//! Encodes and decodes the seven bytes of a DGT clock message (`dgt/clock.md#1` and `dgt/clock.md#3`).
//!
//! ```text
//!  8d 00 0a   b3      b4 b5      b6 b7 b8     b9
//!             │       │          left side    bit 0 running        bit 3 left's turn
//!             │       minutes, seconds, BCD   bit 1 right lever up bit 4 right's turn
//!             right side: bits 0-3 hours      bit 2 battery low    bit 5 no clock
//!             bit 4 blocked at zero, bit 5 adds time, bit 6 flag shown
//! ```
//!
//! Low nibble 0x0a in b3 or b6: b3 … b8 contain four bytes of acknowledgement, see [`ClockAck`].

use crate::bytes::{from_bcd, to_bcd};
use crate::event::{ClockButton, ClockFace, ClockSide};
use crate::time::ClockTime;

/// The meaning of the seven bytes of a clock message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockMessage {
    /// An answer of the clock, or a button.
    Ack(ClockAck),
    /// All zeros: no meaning.
    Null,
    /// Times, lever and flags, which may be impossible.
    Report(ClockReport),
}

/// The three bytes of one side, as received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawFace(pub [u8; 3]);

impl RawFace {
    const BLOCKED: u8 = 0x10;
    const ADDS_TIME: u8 = 0x20;
    const SHOWN: u8 = 0x40;

    /// Creates the bytes that show `face`. Milliseconds are cut off, and times above 9:59:59 become 9:59:59.
    pub fn new(face: ClockFace) -> RawFace {
        let seconds = (face.time.millis() / 1000).min(35_999);
        let mut hours = (seconds / 3600) as u8;
        for (set, bit) in
            [(face.flag_blocked, RawFace::BLOCKED), (face.adds_time, RawFace::ADDS_TIME), (face.flag_shown, RawFace::SHOWN)]
        {
            if set {
                hours |= bit;
            }
        }
        RawFace([hours, to_bcd((seconds / 60 % 60) as u8), to_bcd((seconds % 60) as u8)])
    }

    /// Returns the low nibble of the hours: 0..=9 on a legal face.
    pub const fn hours(self) -> u8 {
        self.0[0] & 0x0f
    }

    /// Returns the time; `None` if hours are above 9, or minutes or seconds are above 59 or not decimal.
    pub fn time(self) -> Option<ClockTime> {
        let (minutes, seconds) = (from_bcd(self.0[1])?, from_bcd(self.0[2])?);
        let legal = self.hours() <= 9 && minutes <= 59 && seconds <= 59;
        legal.then(|| ClockTime::hms(u32::from(self.hours()), u32::from(minutes), u32::from(seconds)))
    }

    /// Returns whether the flag fell and the clock is blocked at zero.
    pub const fn flag_blocked(self) -> bool {
        self.0[0] & RawFace::BLOCKED != 0
    }

    /// Returns whether the clock adds time with each move (Fischer, Bronstein …).
    pub const fn adds_time(self) -> bool {
        self.0[0] & RawFace::ADDS_TIME != 0
    }

    /// Returns whether the flag sign is shown. The time may still run.
    pub const fn flag_shown(self) -> bool {
        self.0[0] & RawFace::SHOWN != 0
    }

    /// Returns the display; `None` if the time is not legal.
    pub fn face(self) -> Option<ClockFace> {
        let (flag_blocked, flag_shown, adds_time) = (self.flag_blocked(), self.flag_shown(), self.adds_time());
        self.time().map(|time| ClockFace { time, flag_blocked, flag_shown, adds_time })
    }
}

/// The status byte, as received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status(pub u8);

impl Status {
    /// Bit 0: running.
    pub const RUNNING: u8 = 0x01;
    /// Bit 1: the right lever is up; if the bit is clear, the left one is up.
    pub const RIGHT_UP: u8 = 0x02;
    /// Bit 2: battery low.
    pub const BATTERY_LOW: u8 = 0x04;
    /// Bit 3: left's turn. One note of 2015 exchanges bits 3 and 4; three recorded games confirm this order.
    pub const LEFT_TURN: u8 = 0x08;
    /// Bit 4: right's turn.
    pub const RIGHT_TURN: u8 = 0x10;
    /// Bit 5: no clock is connected. All other bits are then meaningless.
    pub const NO_CLOCK: u8 = 0x20;

    /// Returns whether all bits of `mask` are set.
    pub const fn has(self, mask: u8) -> bool {
        self.0 & mask == mask
    }

    /// Returns the side whose lever is up.
    pub const fn lever_up(self) -> ClockSide {
        if self.has(Status::RIGHT_UP) { ClockSide::Right } else { ClockSide::Left }
    }

    /// Returns the side to move, if exactly one side is marked.
    pub const fn turn(self) -> Option<ClockSide> {
        match (self.has(Status::LEFT_TURN), self.has(Status::RIGHT_TURN)) {
            (true, false) => Some(ClockSide::Left),
            (false, true) => Some(ClockSide::Right),
            _ => None,
        }
    }
}

/// Times, lever and flags, as received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockReport {
    /// The right side.
    pub right: RawFace,
    /// The left side.
    pub left: RawFace,
    /// The status byte.
    pub status: Status,
}

/// An acknowledgement: four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockAck(pub [u8; 4]);

/// The subject of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckOf {
    /// The answer to the clock command with this number (01 display … 0c text).
    Command(u8),
    /// The answer to the version query: major, minor.
    Version(u8, u8),
    /// Sent without a command: the clock is ready.
    Ready,
    /// Sent without a command: a button; `None` if its code is not known.
    Button(Option<ClockButton>),
    /// Sent without a command: the mode changed, perhaps to this number.
    Mode(u8),
    /// Sent without a command: perhaps the clock left the computer mode.
    NotInMode,
    /// Sent without a command: another subject.
    Other(u8),
}

impl ClockAck {
    /// The first byte of a good answer.
    pub const GOOD: u8 = 0x10;
    /// The first byte of a refusal: the clock is not in computer mode.
    pub const REFUSED: u8 = 0x40;
    /// The first byte of a failure on the line to the clock.
    pub const FAILED: u8 = 0x20;

    /// Creates the answer of a clock with this version.
    pub const fn version(major: u8, minor: u8) -> ClockAck {
        ClockAck([ClockAck::GOOD, 0x09, (major & 0x0f) << 4 | (minor & 0x0f), 0])
    }

    /// Creates the message of a single pressed button.
    pub const fn button(button: ClockButton) -> ClockAck {
        let (held, code) = match button {
            ClockButton::Back => (0x04, 0x31),
            ClockButton::Plus => (0x08, 0x32),
            ClockButton::RunPause => (0x10, 0x33),
            ClockButton::Minus => (0x20, 0x34),
            ClockButton::Ok => (0x40, 0x35),
        };
        ClockAck([ClockAck::GOOD, 0x88, held | 0x01, code])
    }

    /// Returns whether the acknowledgement is good.
    pub const fn ok(self) -> bool {
        self.0[0] == ClockAck::GOOD
    }

    /// Returns whether the clock sent it without a command.
    pub const fn unasked(self) -> bool {
        self.0[1] & 0x80 != 0
    }

    /// Returns the subject.
    pub const fn of(self) -> AckOf {
        let [_, about, third, fourth] = self.0;
        match about {
            0x09 => AckOf::Version(third >> 4, third & 0x0f),
            0x00..=0x7f => AckOf::Command(about),
            0x81 => AckOf::Ready,
            0x88 => AckOf::Button(match fourth {
                0x31 => Some(ClockButton::Back),
                0x32 => Some(ClockButton::Plus),
                0x33 => Some(ClockButton::RunPause),
                0x34 => Some(ClockButton::Minus),
                0x35 => Some(ClockButton::Ok),
                _ => None,
            }),
            0x8a => AckOf::Mode(fourth),
            0x90 => AckOf::NotInMode,
            _ => AckOf::Other(about),
        }
    }

    /// Returns whether a button was held down when the message was created.
    pub const fn held(self, button: ClockButton) -> bool {
        let map = self.0[2];
        let bit = ClockAck::button(button).0[2] & !0x01;
        map & bit != 0
    }
}

impl ClockMessage {
    /// Decodes the seven bytes by the reading rules 2 and 3 (`dgt/clock.md#1.4`), in this order.
    pub const fn decode(bytes: &[u8; 7]) -> ClockMessage {
        let [b3, b4, b5, b6, b7, b8, b9] = *bytes;
        // Hour 10 does not exist. Implementations put the mark on different sides, so both sides are tested.
        if b3 & 0x0f == 0x0a || b6 & 0x0f == 0x0a {
            return ClockMessage::Ack(ClockAck([
                (b4 & 0x7f) | ((b6 << 3) & 0x80),
                (b5 & 0x7f) | ((b6 << 2) & 0x80),
                (b7 & 0x7f) | ((b3 << 3) & 0x80),
                (b8 & 0x7f) | ((b3 << 2) & 0x80),
            ]));
        }
        if matches!(bytes, [0, 0, 0, 0, 0, 0, 0]) {
            return ClockMessage::Null;
        }
        ClockMessage::Report(ClockReport { right: RawFace([b3, b4, b5]), left: RawFace([b6, b7, b8]), status: Status(b9) })
    }

    /// Encodes the seven bytes. An acknowledgement has its mark in the first hour byte.
    pub const fn encode(&self) -> [u8; 7] {
        match *self {
            ClockMessage::Null => [0; 7],
            ClockMessage::Report(ClockReport { right: RawFace(r), left: RawFace(l), status: Status(s) }) => {
                [r[0] & 0x7f, r[1] & 0x7f, r[2] & 0x7f, l[0] & 0x7f, l[1] & 0x7f, l[2] & 0x7f, s & 0x7f]
            }
            ClockMessage::Ack(ClockAck([a, b, c, d])) => [
                0x0a | ((c & 0x80) >> 3) | ((d & 0x80) >> 2),
                a & 0x7f,
                b & 0x7f,
                ((a & 0x80) >> 3) | ((b & 0x80) >> 2),
                c & 0x7f,
                d & 0x7f,
                0,
            ],
        }
    }
}
