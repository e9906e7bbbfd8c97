//! Encodes and decodes the commands to a DGT clock (`dgt/clock.md#4`): `2b n 03 cmd … 00`.

use alloc::vec::Vec;

/// A command to the clock. Only `Version` is harmless. The others change what players see; they are for emulators and tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockCommand {
    /// 01: seven-segment text.
    Display {
        /// Segments of the places A to F of the picture `1A:BC 1D:EF`.
        segments: [u8; 6],
        /// Dots and colons.
        dots: u8,
        /// 03 beep, 01 none.
        beep: u8,
    },
    /// 02: icons, five bytes and three of zero.
    Icons([u8; 8]),
    /// 03: back to the time display.
    End,
    /// 08: button query. Its answer contains no button.
    Button,
    /// 09: version.
    Version,
    /// 0a: set the times and run. Plain binary hours, minutes, seconds.
    SetAndRun {
        /// Left hours, minutes, seconds.
        left: [u8; 3],
        /// Right hours, minutes, seconds.
        right: [u8; 3],
        /// 01 left counts down, 02 right counts down, 04 pause, 08 lever changes the side.
        control: u8,
    },
    /// 0b: beep, in units of 64 ms.
    Beep(u8),
    /// 0c: text on a DGT 3000.
    Ascii {
        /// Eight characters.
        text: [u8; 8],
        /// The beep: 0 is none, otherwise 62.5 ms plus a sixteenth of a second for each unit.
        beep: u8,
    },
    /// 0d: text on a Revelation II.
    Rev2Ascii {
        /// Eleven characters.
        text: [u8; 11],
        /// As in [`ClockCommand::Ascii`].
        beep: u8,
    },
}

impl ClockCommand {
    /// Returns the command's number, which its acknowledgement repeats.
    pub const fn number(self) -> u8 {
        match self {
            ClockCommand::Display { .. } => 0x01,
            ClockCommand::Icons(_) => 0x02,
            ClockCommand::End => 0x03,
            ClockCommand::Button => 0x08,
            ClockCommand::Version => 0x09,
            ClockCommand::SetAndRun { .. } => 0x0a,
            ClockCommand::Beep(_) => 0x0b,
            ClockCommand::Ascii { .. } => 0x0c,
            ClockCommand::Rev2Ascii { .. } => 0x0d,
        }
    }

    /// Appends the bytes to send. Bit 7 of every argument is cleared, because a byte with bit 7 would end the command and begin
    /// a bus command.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut data = [0; 12];
        let len = match *self {
            ClockCommand::Display { segments: [a, b, c, d, e, f], dots, beep } => {
                fill(&mut data, &[c, b, a, f, e, d, dots, beep])
            }
            ClockCommand::Icons(icons) => fill(&mut data, &icons),
            ClockCommand::End | ClockCommand::Button | ClockCommand::Version => 0,
            ClockCommand::SetAndRun { left, right, control } => {
                fill(&mut data, &[left[0], left[1], left[2], right[0], right[1], right[2], control])
            }
            ClockCommand::Beep(units) => fill(&mut data, &[units]),
            ClockCommand::Ascii { text, beep } => fill(&mut data, &text) + fill(&mut data[8..], &[beep]),
            ClockCommand::Rev2Ascii { text, beep } => fill(&mut data, &text) + fill(&mut data[11..], &[beep]),
        };
        out.extend_from_slice(&[0x2b, len as u8 + 3, 0x03, self.number()]);
        out.extend(data[..len].iter().map(|byte| byte & 0x7f));
        out.push(0x00);
    }

    /// Decodes the bytes after `2b n`; `None` if the number, the length, the leading 03 or the closing 00 is wrong.
    pub fn decode(body: &[u8]) -> Option<ClockCommand> {
        let [0x03, number, args @ .., 0x00] = body else { return None };
        Some(match (number, args) {
            (0x01, &[c, b, a, f, e, d, dots, beep]) => ClockCommand::Display { segments: [a, b, c, d, e, f], dots, beep },
            (0x02, icons) => ClockCommand::Icons(icons.try_into().ok()?),
            (0x03, []) => ClockCommand::End,
            (0x08, []) => ClockCommand::Button,
            (0x09, []) => ClockCommand::Version,
            (0x0a, &[a, b, c, d, e, f, control]) => ClockCommand::SetAndRun { left: [a, b, c], right: [d, e, f], control },
            (0x0b, &[units]) => ClockCommand::Beep(units),
            (0x0c, [text @ .., beep]) => ClockCommand::Ascii { text: text.try_into().ok()?, beep: *beep },
            (0x0d, [text @ .., beep]) => ClockCommand::Rev2Ascii { text: text.try_into().ok()?, beep: *beep },
            _ => return None,
        })
    }
}

fn fill(to: &mut [u8], from: &[u8]) -> usize {
    to[..from.len()].copy_from_slice(from);
    from.len()
}
