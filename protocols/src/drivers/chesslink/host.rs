//! Messages of a host to a board, encoded and decoded (`chesslink/README.md#3` and `chesslink/README.md#4`).
//!
//! The session has only questions, as bytes in its own table. Whatever lights, resets or stores something is in [`HostCommand`],
//! which is for emulators and tests.

use alloc::vec::Vec;
use core::time::Duration;

use super::framing::{push, value, with_parity};
use super::message::four;

/// Setting: one scan takes so many times 2.048 ms.
pub const SCAN_TIME: u8 = 0x01;
/// Setting: when the board reports by itself; see [`reports_changes`].
pub const REPORTS: u8 = 0x02;
/// [`REPORTS`]: the board must be asked.
pub const NEVER: u8 = 1;
/// The least of [`SCAN_TIME`]; a smaller value counts as this.
pub const SHORTEST_SCAN: u8 = 15;
/// What [`SCAN_TIME`] is if nobody changed it.
pub const USUAL_SCAN: u8 = 20;
/// One step of [`SCAN_TIME`], in microseconds.
pub const SCAN_STEP_US: u64 = 2048;

/// Whether a board with this value of [`REPORTS`] reports each change by itself: 0 every scan; 3 a scan that differs; 4 to 7
/// the same after 2 to 5 equal scans. 1 is never, 2 at intervals.
pub const fn reports_changes(value: u8) -> bool {
    matches!(value, 0 | 3..=7)
}

/// How long a picture is on its way at most: 67 bytes at 38400 baud behind the end of another message.
const LINE: Duration = Duration::from_millis(25);

/// How late a change is told at most by a board with these values of [`SCAN_TIME`] and [`REPORTS`], if one that does not report
/// by itself is asked again `asked` after each answer: its square waits for a scan, the picture for the end of that scan and
/// for equal ones, and all of it for the line.
pub const fn delay(scan_time: u8, reports: u8, asked: Duration) -> Duration {
    let steps = if scan_time < SHORTEST_SCAN { SHORTEST_SCAN } else { scan_time };
    let scan = Duration::from_micros(steps as u64 * SCAN_STEP_US);
    match reports {
        0 | 3 => scan.saturating_mul(2).saturating_add(LINE),
        4..=7 => scan.saturating_mul(reports as u32 - 1).saturating_add(LINE),
        _ => scan.saturating_add(asked).saturating_add(LINE.saturating_mul(2)),
    }
}

/// All commands of a host. An emulator must understand them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand<'a> {
    /// V: who are you?
    Version,
    /// S: all squares.
    Board,
    /// R: one setting.
    Read {
        /// The address of the setting.
        address: u8,
    },
    /// W: change a setting for good. Never to be sent to a real board.
    Write {
        /// The address of the setting.
        address: u8,
        /// To what.
        value: u8,
    },
    /// L: the digits of slot time and of 81 lights.
    Lights(&'a [u8; 164]),
    /// X: lights out.
    LightsOut,
    /// T: start anew; takes about three seconds.
    Reset,
    /// I or G: of newer boards; its text.
    Other(&'a [u8]),
}

impl<'a> HostCommand<'a> {
    /// The command of a text without check digits and parity; none if it is no host's.
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
