//! What a host sends by cable, both directions (`hos/README.md#4`). The session says none of it: all of it lights something
//! or sets the clock. For emulators and tests.

use alloc::vec::Vec;

use crate::square::Square;

/// Everything a host is known to send, a report each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// ae: both times (hours, minutes, seconds; left, right) and what is added with each move.
    ClockSet([u8; 7]),
    /// af: the clock is stopped.
    ClockStop,
    /// b3: the clock is set back.
    ClockReset,
    /// b4: the left side is started.
    ClockStartLeft,
    /// b5: the right side is started.
    ClockStartRight,
    /// A square is lit: 100 and its number, a1 = 0.
    Light(Square),
    /// ba: all lights out.
    LightsOut,
}

impl HostCommand {
    /// Appends the report.
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

    /// Reads one report; none if it is no command that is known.
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
