//! Encodes and decodes the messages that a host sends to a Millennium board (`chesslink/README.md#3` and
//! `chesslink/README.md#4`).
//!
//! The driver's session sends only the questions of its own table. [`HostCommand`] is for emulators and tests. It also contains
//! the commands that switch lights, reset or store something.

use alloc::vec::Vec;
use core::time::Duration;

use super::framing::{push, value, with_parity};
use super::message::four;

/// The number of the setting for the time of one scan, whose value is in steps of 2.048 ms.
pub const SCAN_TIME: u8 = 0x01;
/// The number of the setting for reports that the board sends by itself; see [`reports_changes`].
pub const REPORTS: u8 = 0x02;
/// A value of [`REPORTS`]: the board never reports by itself.
pub const NEVER: u8 = 1;
/// The smallest effective value of [`SCAN_TIME`]. The board treats a smaller value as this one.
pub const SHORTEST_SCAN: u8 = 15;
/// The usual value of [`SCAN_TIME`].
pub const USUAL_SCAN: u8 = 20;
/// One step of [`SCAN_TIME`], in microseconds.
pub const SCAN_STEP_US: u64 = 2048;

/// Returns whether a board with this value of [`REPORTS`] reports each change by itself: 0 reports every scan, 3 a scan that
/// differs, 4 to 7 a scan that differs after 2 to 5 equal scans. 1 reports never, and 2 at intervals.
pub const fn reports_changes(value: u8) -> bool {
    matches!(value, 0 | 3..=7)
}

/// The longest time of a picture on the line: 67 bytes at 38400 baud after the end of another message.
const LINE: Duration = Duration::from_millis(25);

/// Returns the longest delay of a change on a board with these values of [`SCAN_TIME`] and [`REPORTS`]. A board that does not
/// report by itself is asked again `asked` after each answer. The square waits for a scan, the picture waits for the end of
/// that scan and for equal scans, and then for the line.
pub const fn delay(scan_time: u8, reports: u8, asked: Duration) -> Duration {
    let steps = if scan_time < SHORTEST_SCAN { SHORTEST_SCAN } else { scan_time };
    let scan = Duration::from_micros(steps as u64 * SCAN_STEP_US);
    match reports {
        0 | 3 => scan.saturating_mul(2).saturating_add(LINE),
        4..=7 => scan.saturating_mul(reports as u32 - 1).saturating_add(LINE),
        _ => scan.saturating_add(asked).saturating_add(LINE.saturating_mul(2)),
    }
}

/// All commands of a host. An emulated device must accept them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand<'a> {
    /// V: asks for the version.
    Version,
    /// S: all squares.
    Board,
    /// R: one setting.
    Read {
        /// The address of the setting.
        address: u8,
    },
    /// W: changes a setting permanently. It must never be sent to a real board.
    Write {
        /// The address of the setting.
        address: u8,
        /// The new value.
        value: u8,
    },
    /// L: the digits of slot time and of 81 lights.
    Lights(&'a [u8; 164]),
    /// X: lights out.
    LightsOut,
    /// T: restarts the board; this takes about three seconds.
    Reset,
    /// I or G, of newer boards: the text.
    Other(&'a [u8]),
}

impl<'a> HostCommand<'a> {
    /// Decodes a text without check digits and parity; `None` if it is no command.
    pub fn decode(text: &'a [u8]) -> Option<HostCommand<'a>> {
        Some(match *text {
            [b'V'] => HostCommand::Version,
            [b'S'] => HostCommand::Board,
            [b'R', a, b] => HostCommand::Read { address: value([a, b])? },
            [b'W', a, b, c, d] => HostCommand::Write { address: value([a, b])?, value: value([c, d])? },
            [b'L', ref lights @ ..] => HostCommand::Lights(lights.try_into().ok()?),
            [b'X'] => HostCommand::LightsOut,
            [b'T'] => HostCommand::Reset,
            [b'I' | b'G', ..] => HostCommand::Other(text),
            _ => return None,
        })
    }

    /// Appends the command with check digits and parity.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        match *self {
            HostCommand::Version => push(out, b"V"),
            HostCommand::Board => push(out, b"S"),
            HostCommand::Read { address } => push(out, &four(b'R', address, 0)[..3]),
            HostCommand::Write { address, value } => push(out, &four(b'W', address, value)),
            HostCommand::Lights(lights) => {
                let mut text = [b'L'; 165];
                text[1..].copy_from_slice(lights);
                push(out, &text);
            }
            HostCommand::LightsOut => push(out, b"X"),
            HostCommand::Reset => push(out, b"T"),
            HostCommand::Other(text) => push(out, text),
        }
        out[start..].iter_mut().for_each(|letter| *letter = with_parity(*letter));
    }
}
