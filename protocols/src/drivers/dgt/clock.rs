//! The seven bytes of a clock message, both directions (`dgt/clock.md#1` and `dgt/clock.md#3`).
//!
//! ```text
//!  8d 00 0a   b3      b4 b5      b6 b7 b8     b9
//!             │       │          left side    bit 0 running        bit 3 left's turn
//!             │       minutes, seconds, BCD   bit 1 right lever up bit 4 right's turn
//!             right side: bits 0-3 hours      bit 2 battery low    bit 5 no clock
//!             bit 4 blocked at zero, bit 5 adds time, bit 6 flag shown
//! ```
//!
//! Low nibble 0x0a in b3 or b6: four bytes of acknowledgement are hidden in b3 … b8, see [`ClockAck`].

use crate::bytes::{from_bcd, to_bcd};
use crate::event::{ClockButton, ClockFace, ClockSide};
use crate::time::ClockTime;

/// What the seven bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockMessage {
    /// An answer of the clock, or a button.
    Ack(ClockAck),
    /// All zero: says nothing.
    Null,
    /// Times, lever, flags; perhaps impossible ones.
    Report(ClockReport),
}

/// The three bytes of one side, as they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawFace(pub [u8; 3]);

impl RawFace {
    const BLOCKED: u8 = 0x10;
    const ADDS_TIME: u8 = 0x20;
    const SHOWN: u8 = 0x40;

    /// The bytes that show `face`. Milliseconds are cut off; more than 9:59:59 shows 9:59:59.
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

    /// The low nibble of the hours: 0..=9 on a legal face.
    pub const fn hours(self) -> u8 {
        self.0[0] & 0x0f
    }

    /// The time shown; none if hours are above 9, minutes or seconds above 59 or not decimal.
    pub fn time(self) -> Option<ClockTime> {
        let (minutes, seconds) = (from_bcd(self.0[1])?, from_bcd(self.0[2])?);
        let legal = self.hours() <= 9 && minutes <= 59 && seconds <= 59;
        legal.then(|| ClockTime::hms(u32::from(self.hours()), u32::from(minutes), u32::from(seconds)))
    }

    /// Flag fallen and clock blocked at zero.
    pub const fn flag_blocked(self) -> bool {
        self.0[0] & RawFace::BLOCKED != 0
    }

    /// Time is added with each move (Fischer, Bronstein …).
    pub const fn adds_time(self) -> bool {
        self.0[0] & RawFace::ADDS_TIME != 0
    }

    /// The flag sign is shown; the time may still run.
    pub const fn flag_shown(self) -> bool {
        self.0[0] & RawFace::SHOWN != 0
    }

    /// What the face shows; none if the time is not legal.
    pub fn face(self) -> Option<ClockFace> {
        let (flag_blocked, flag_shown, adds_time) = (self.flag_blocked(), self.flag_shown(), self.adds_time());
        self.time().map(|time| ClockFace { time, flag_blocked, flag_shown, adds_time })
    }
}

/// The status byte, as it came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status(pub u8);

impl Status {
    /// Bit 0: running.
    pub const RUNNING: u8 = 0x01;
    /// Bit 1: the right lever is up; clear, the left.
    pub const RIGHT_UP: u8 = 0x02;
    /// Bit 2: battery low.
    pub const BATTERY_LOW: u8 = 0x04;
    /// Bit 3: left's turn. One note of 2015 has bits 3 and 4 the other way round; three recorded games decide for this.
    pub const LEFT_TURN: u8 = 0x08;
    /// Bit 4: right's turn.
    pub const RIGHT_TURN: u8 = 0x10;
    /// Bit 5: no clock connected; everything else is void.
    pub const NO_CLOCK: u8 = 0x20;

    /// Whether all bits of `mask` are set.
    pub const fn has(self, mask: u8) -> bool {
        self.0 & mask == mask
    }

    /// The side whose lever is up.
    pub const fn lever_up(self) -> ClockSide {
        if self.has(Status::RIGHT_UP) { ClockSide::Right } else { ClockSide::Left }
    }

    /// Whose turn it says it is, if of exactly one side.
    pub const fn turn(self) -> Option<ClockSide> {
        match (self.has(Status::LEFT_TURN), self.has(Status::RIGHT_TURN)) {
            (true, false) => Some(ClockSide::Left),
            (false, true) => Some(ClockSide::Right),
            _ => None,
        }
    }
}

/// Times, lever and flags, as they came.
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

/// What an acknowledgement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckOf {
    /// Answer to the clock command of this number (01 display … 0c text).
    Command(u8),
    /// Answer to the version query: major, minor.
    Version(u8, u8),
    /// By itself: ready.
    Ready,
    /// By itself: a button; none if its code is not known.
    Button(Option<ClockButton>),
    /// By itself: mode changed, perhaps to this number.
    Mode(u8),
    /// By itself: perhaps "left the computer mode".
    NotInMode,
    /// By itself, something else.
    Other(u8),
}

impl ClockAck {
    /// First byte of a good answer.
    pub const GOOD: u8 = 0x10;
    /// First byte of a refusal: not in computer mode.
    pub const REFUSED: u8 = 0x40;
    /// First byte of a failure on the line to the clock.
    pub const FAILED: u8 = 0x20;

    /// The answer of a clock of this version.
    pub const fn version(major: u8, minor: u8) -> ClockAck {
        ClockAck([ClockAck::GOOD, 0x09, (major & 0x0f) << 4 | (minor & 0x0f), 0])
    }

    /// The message of a button pressed alone.
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

    /// Whether it says "good".
    pub const fn ok(self) -> bool {
        self.0[0] == ClockAck::GOOD
    }

    /// Whether the clock sent it by itself.
    pub const fn unasked(self) -> bool {
        self.0[1] & 0x80 != 0
    }

    /// What it is about.
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

    /// Whether a button was down when the button message was made.
    pub const fn held(self, button: ClockButton) -> bool {
        let map = self.0[2];
        let bit = ClockAck::button(button).0[2] & !0x01;
        map & bit != 0
    }
}

impl ClockMessage {
    /// What the seven bytes are: reading rules 2 and 3 (`dgt/clock.md#1.4`), in that order.
    pub const fn decode(bytes: &[u8; 7]) -> ClockMessage {
        let [b3, b4, b5, b6, b7, b8, b9] = *bytes;
        // Hour 10 does not exist. Implementations differ in which side carries the mark, so both are tested.
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

    /// The seven bytes. An acknowledgement carries its mark in the first hour byte.
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
