//! Encodes and decodes the messages that a host sends to a HoS board by cable (`hos/README.md#4`). The driver's session sends
//! none of them, because all of them switch lights or set the clock. They are for emulators and tests.

use alloc::vec::Vec;

use crate::square::Square;

/// All known commands of a host, one report each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// ae: both times (hours, minutes, seconds; left, right) and the time that is added with each move.
    ClockSet([u8; 7]),
    /// af: stops the clock.
    ClockStop,
    /// b3: resets the clock.
    ClockReset,
    /// b4: starts the left side.
    ClockStartLeft,
    /// b5: starts the right side.
    ClockStartRight,
    /// Lights a square: 100 plus its number, a1 = 0.
    Light(Square),
    /// ba: all lights out.
    LightsOut,
}

impl HostCommand {
    /// Appends the bytes of the report.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(0x00);
        match self {
            HostCommand::ClockSet(times) => {
                out.push(0xae);
                out.extend_from_slice(times);
            }
            HostCommand::ClockStop => out.push(0xaf),
            HostCommand::ClockReset => out.push(0xb3),
            HostCommand::ClockStartLeft => out.push(0xb4),
            HostCommand::ClockStartRight => out.push(0xb5),
            HostCommand::Light(square) => out.push(100 + square.index() as u8),
            HostCommand::LightsOut => out.push(186),
        }
    }

    /// Reads one report; `None` if it is no known command.
    pub fn decode(report: &[u8]) -> Option<HostCommand> {
        Some(match report {
            [0x00, 0xae, times @ ..] => HostCommand::ClockSet(times.try_into().ok()?),
            [0x00, 0xaf] => HostCommand::ClockStop,
            [0x00, 0xb3] => HostCommand::ClockReset,
            [0x00, 0xb4] => HostCommand::ClockStartLeft,
            [0x00, 0xb5] => HostCommand::ClockStartRight,
            [0x00, 186] => HostCommand::LightsOut,
            [0x00, lit] => HostCommand::Light(Square::new(lit.checked_sub(100)?)?),
            _ => return None,
        })
    }
}
