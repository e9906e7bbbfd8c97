//! Encodes and decodes the commands that a host sends to a Chessnut board (`chessnut/README.md#3` and `chessnut/README.md#6`).
//!
//! The driver's session sends only the questions of its own table. [`HostCommand`] is for emulators and tests. It also contains
//! the commands that switch lights on or off, beep, move pieces or delete games.

use alloc::vec::Vec;

use super::message::SQUARES;

/// All commands of a host. An emulated board must accept them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// 21 01 00: positions are reported from now on.
    Realtime,
    /// 21 01 01: stored games can be read; this ends the reports.
    Upload,
    /// 29: battery.
    Battery,
    /// 27: a version text, of the board (1) or of its radio (0).
    Version(u8),
    /// 2b: the board's name.
    Name,
    /// 26: the board's time.
    Time,
    /// 31: how many games are stored.
    Games,
    /// 33: the host is ready for stored games.
    TransferReady,
    /// 34: the newest stored game (1) or the next one (0).
    Transfer(u8),
    /// 39: deletes a stored game. Never to be sent to a real board.
    Delete,
    /// 0a: lights, one byte per rank from the eighth rank on, bit 7 = a.
    Lights([u8; 8]),
    /// 0b: a beep.
    Beep {
        /// Its pitch.
        hertz: u16,
        /// Its duration.
        millis: u16,
    },
    /// 1b: the beeper is switched on or off.
    Beeper(u8),
    /// 41 01 0c: battery of a Move.
    MoveBattery,
    /// 41 01 0b: asks for the pieces of a Move.
    Pieces,
    /// 41 01 15: asks for the kind of board.
    Kind,
    /// 42: a Move moves its pieces to this position.
    Move {
        /// The squares in the form of a board's position. All zeros stop the movement.
        squares: [u8; SQUARES],
        /// The reaction when a player interferes.
        force: u8,
    },
    /// 43: coloured lights of a Move, in the order of the squares: 1 red, 2 green, 3 blue.
    Colours([u8; SQUARES]),
    /// Another command: its first byte.
    Unknown(u8),
}

impl HostCommand {
    /// Returns the first command in these bytes and its length; `None` if the command is incomplete.
    pub fn decode(bytes: &[u8]) -> Option<(HostCommand, usize)> {
        let [op, length, rest @ ..] = bytes else { return None };
        let payload = rest.get(..usize::from(*length))?;
        let command = match (*op, payload) {
            (0x21, [0]) => HostCommand::Realtime,
            (0x21, [1]) => HostCommand::Upload,
            (0x29, [0]) => HostCommand::Battery,
            (0x27, [which @ 0..=1]) => HostCommand::Version(*which),
            (0x2b, [0]) => HostCommand::Name,
            (0x26, [0]) => HostCommand::Time,
            (0x31, [0]) => HostCommand::Games,
            (0x33, [0]) => HostCommand::TransferReady,
            (0x34, [which @ 0..=1]) => HostCommand::Transfer(*which),
            (0x39, [0]) => HostCommand::Delete,
            (0x0a, lights) if lights.len() == 8 => HostCommand::Lights(lights.try_into().unwrap_or_default()),
            (0x0b, &[a, b, c, d]) => HostCommand::Beep { hertz: u16::from_be_bytes([a, b]), millis: u16::from_be_bytes([c, d]) },
            (0x1b, [on]) => HostCommand::Beeper(*on),
            (0x41, [0x0c]) => HostCommand::MoveBattery,
            (0x41, [0x0b]) => HostCommand::Pieces,
            (0x41, [0x15]) => HostCommand::Kind,
            (0x42, [squares @ .., force]) if squares.len() == SQUARES => {
                HostCommand::Move { squares: squares.try_into().unwrap_or_default(), force: *force }
            }
            (0x43, colours) if colours.len() == SQUARES => HostCommand::Colours(colours.try_into().unwrap_or_default()),
            (op, _) => HostCommand::Unknown(op),
        };
        Some((command, 2 + payload.len()))
    }

    /// Appends the bytes of the command. An unknown one has no payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let one = |op, what| [op, 0x01, what];
        match *self {
            HostCommand::Realtime => out.extend_from_slice(&one(0x21, 0)),
            HostCommand::Upload => out.extend_from_slice(&one(0x21, 1)),
            HostCommand::Battery => out.extend_from_slice(&one(0x29, 0)),
            HostCommand::Version(which) => out.extend_from_slice(&one(0x27, which)),
            HostCommand::Name => out.extend_from_slice(&one(0x2b, 0)),
            HostCommand::Time => out.extend_from_slice(&one(0x26, 0)),
            HostCommand::Games => out.extend_from_slice(&one(0x31, 0)),
            HostCommand::TransferReady => out.extend_from_slice(&one(0x33, 0)),
            HostCommand::Transfer(which) => out.extend_from_slice(&one(0x34, which)),
            HostCommand::Delete => out.extend_from_slice(&one(0x39, 0)),
            HostCommand::Lights(lights) => {
                out.extend_from_slice(&[0x0a, 0x08]);
                out.extend_from_slice(&lights);
            }
            HostCommand::Beep { hertz, millis } => {
                out.extend_from_slice(&[0x0b, 0x04]);
                out.extend_from_slice(&hertz.to_be_bytes());
                out.extend_from_slice(&millis.to_be_bytes());
            }
            HostCommand::Beeper(on) => out.extend_from_slice(&one(0x1b, on)),
            HostCommand::MoveBattery => out.extend_from_slice(&one(0x41, 0x0c)),
            HostCommand::Pieces => out.extend_from_slice(&one(0x41, 0x0b)),
            HostCommand::Kind => out.extend_from_slice(&one(0x41, 0x15)),
            HostCommand::Move { squares, force } => {
                out.extend_from_slice(&[0x42, 0x21]);
                out.extend_from_slice(&squares);
                out.push(force);
            }
            HostCommand::Colours(colours) => {
                out.extend_from_slice(&[0x43, 0x20]);
                out.extend_from_slice(&colours);
            }
            HostCommand::Unknown(op) => out.extend_from_slice(&[op, 0x00]),
        }
    }
}
