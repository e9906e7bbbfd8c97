//! Encodes and decodes the log that a DGT board writes by itself (`dgt/README.md#7.1`).
//!
//! ```text
//!  4p|5p ss      field: p code now (0 = emptied), 5 = quickly after the one before, ss square 00..3f
//!  6h mm ss      right side stopped at h:mm:ss (BCD)        7h mm ss      left side
//!  6a power-up   6b end   6c four rows   6d empty   6e downloaded   6f / 7a initial position, normal / rotated
//!  7b start mark   7c watchdog   7d, 7e reserved   7f, 00 nothing   01..3f layout unknown
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use super::squares;
use crate::bytes::{from_bcd, to_bcd};
use crate::event::{ClockSide, LogEntry};
use crate::time::ClockTime;

/// One entry of the log, as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EeTag {
    /// A square changed.
    Field {
        /// The square's number, 0 = a8 … 63.
        index: u8,
        /// The piece code, 0..=15; 0 = emptied.
        code: u8,
        /// Less than about 250 ms after the previous field entry.
        quick: bool,
    },
    /// The lever moved: this side stopped with this time, in whole seconds.
    Time {
        /// The side that stopped.
        side: ClockSide,
        /// The time it showed, at most 9:59:59.
        time: ClockTime,
    },
    /// 6a
    PowerUp,
    /// 6b
    End,
    /// 6c
    FourRows,
    /// 6d
    EmptyBoard,
    /// 6e
    Downloaded,
    /// 6f
    Initial,
    /// 7a
    InitialRotated,
    /// 7b
    StartMark,
    /// 7c. Newer firmware seems to add a byte 01..3f after it, which belongs to the entry.
    Watchdog(Option<u8>),
    /// 7d, reserved.
    Reserved1,
    /// 7e, reserved.
    Reserved2,
    /// 7f
    Nothing,
    /// 00
    Nothing2,
    /// One byte of an unknown entry, or of the rest of an overwritten entry.
    Unknown(u8),
}

impl EeTag {
    /// Appends the bytes of the entry. A time above 9:59:59 is written as 9:59:59.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let one = match *self {
            EeTag::Field { index, code, quick } => {
                out.push(if quick { 0x50 } else { 0x40 } | (code & 0x0f));
                index & 0x3f
            }
            EeTag::Time { side, time } => {
                let seconds = (time.millis() / 1000).min(35_999);
                let tag = match side {
                    ClockSide::Right => 0x60,
                    ClockSide::Left => 0x70,
                };
                out.extend_from_slice(&[tag | (seconds / 3600) as u8, to_bcd((seconds / 60 % 60) as u8)]);
                to_bcd((seconds % 60) as u8)
            }
            EeTag::PowerUp => 0x6a,
            EeTag::End => 0x6b,
            EeTag::FourRows => 0x6c,
            EeTag::EmptyBoard => 0x6d,
            EeTag::Downloaded => 0x6e,
            EeTag::Initial => 0x6f,
            EeTag::InitialRotated => 0x7a,
            EeTag::StartMark => 0x7b,
            EeTag::Watchdog(argument) => {
                out.push(0x7c);
                let Some(argument) = argument else { return };
                argument & 0x3f
            }
            EeTag::Reserved1 => 0x7d,
            EeTag::Reserved2 => 0x7e,
            EeTag::Nothing => 0x7f,
            EeTag::Nothing2 => 0x00,
            EeTag::Unknown(byte) => byte,
        };
        out.push(one);
    }

    /// Returns the entry in its neutral form; `None` for padding and for unknown entries.
    pub fn entry(&self) -> Option<LogEntry> {
        Some(match *self {
            EeTag::Field { index, code, quick } => {
                LogEntry::Square { square: squares::square(index)?, reading: squares::reading(code)?, quick }
            }
            EeTag::Time { side, time } => LogEntry::Press { side, time },
            EeTag::PowerUp => LogEntry::PowerUp,
            EeTag::End => LogEntry::End,
            EeTag::FourRows => LogEntry::FourRows,
            EeTag::EmptyBoard => LogEntry::EmptyBoard,
            EeTag::Downloaded => LogEntry::Downloaded,
            EeTag::Initial => LogEntry::InitialPosition { rotated: false },
            EeTag::InitialRotated => LogEntry::InitialPosition { rotated: true },
            EeTag::StartMark => LogEntry::StartMark,
            EeTag::Watchdog(_) => LogEntry::Other(0x7c),
            EeTag::Reserved1 => LogEntry::Other(0x7d),
            EeTag::Reserved2 => LogEntry::Other(0x7e),
            EeTag::Nothing | EeTag::Nothing2 | EeTag::Unknown(_) => return None,
        })
    }
}

/// Reads a log: entries with the range of their bytes. It ends after [`EeTag::End`] or with the data.
#[derive(Clone, Debug)]
pub struct EeReader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> EeReader<'a> {
    /// Creates a reader for the data of an EE moves message, oldest entry first.
    pub const fn new(data: &'a [u8]) -> EeReader<'a> {
        EeReader { data, at: 0 }
    }
}

impl Iterator for EeReader<'_> {
    type Item = (EeTag, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let (tag, len) = tag(self.data.get(start..)?)?;
        self.at = if tag == EeTag::End { self.data.len() } else { start + len };
        Some((tag, start..start + len))
    }
}

/// Returns the first entry of `data` and its length. Bytes that do not fit together are returned as one unknown byte. So a
/// reader that began inside an overwritten entry finds the next entry.
fn tag(data: &[u8]) -> Option<(EeTag, usize)> {
    let &first = data.first()?;
    Some(match *data {
        [0x40..=0x5f, index @ 0x00..=0x3f, ..] => (EeTag::Field { index, code: first & 0x0f, quick: first & 0x10 != 0 }, 2),
        [0x60..=0x69 | 0x70..=0x79, minutes, seconds, ..] => match (from_bcd(minutes), from_bcd(seconds)) {
            (Some(m @ 0..=59), Some(s @ 0..=59)) => {
                let side = if first < 0x70 { ClockSide::Right } else { ClockSide::Left };
                (EeTag::Time { side, time: ClockTime::hms(u32::from(first & 0x0f), u32::from(m), u32::from(s)) }, 3)
            }
            _ => (EeTag::Unknown(first), 1),
        },
        [0x6a, ..] => (EeTag::PowerUp, 1),
        [0x6b, ..] => (EeTag::End, 1),
        [0x6c, ..] => (EeTag::FourRows, 1),
        [0x6d, ..] => (EeTag::EmptyBoard, 1),
        [0x6e, ..] => (EeTag::Downloaded, 1),
        [0x6f, ..] => (EeTag::Initial, 1),
        [0x7a, ..] => (EeTag::InitialRotated, 1),
        [0x7b, ..] => (EeTag::StartMark, 1),
        [0x7c, argument @ 0x01..=0x3f, ..] => (EeTag::Watchdog(Some(argument)), 2),
        [0x7c, ..] => (EeTag::Watchdog(None), 1),
        [0x7d, ..] => (EeTag::Reserved1, 1),
        [0x7e, ..] => (EeTag::Reserved2, 1),
        [0x7f, ..] => (EeTag::Nothing, 1),
        [0x00, ..] => (EeTag::Nothing2, 1),
        _ => (EeTag::Unknown(first), 1),
    })
}
