//! Encodes and decodes the messages that a host sends to a DGT Pegasus (`dgt_pegasus/README.md#3` and
//! `dgt_pegasus/README.md#5`).
//!
//! [`Query`] has all messages that the driver's session sends. [`HostCommand`] is for emulators and tests. It also contains the
//! commands that switch lights or unlock something.

use alloc::vec::Vec;

/// The questions that a host may ask a board at any time without a visible effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Query {
    /// Stops the reports of changes. There is no answer.
    Reset = 0x40,
    /// All squares.
    Board = 0x42,
    /// Starts the reports of changes. There is no answer.
    Updates = 0x44,
    /// The short serial number.
    Serial = 0x45,
    /// The maker's text.
    Trademark = 0x47,
    /// Hardware version.
    HardwareVersion = 0x48,
    /// Battery.
    Battery = 0x4c,
    /// Firmware version.
    Version = 0x4d,
    /// The long serial number.
    LongSerial = 0x55,
    /// Whether the board is locked.
    LockState = 0x59,
    /// Whether a developer's key was accepted.
    KeyState = 0x5a,
}

impl Query {
    /// All queries.
    pub const ALL: [Query; 11] = [
        Query::Reset,
        Query::Board,
        Query::Updates,
        Query::Serial,
        Query::Trademark,
        Query::HardwareVersion,
        Query::Battery,
        Query::Version,
        Query::LongSerial,
        Query::LockState,
        Query::KeyState,
    ];
}

/// All commands of a host. An emulated device must accept them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// A question or a reporting mode.
    Query(Query),
    /// 60 02 00: all lights out.
    LightsOut,
    /// 60: lights on some squares.
    Lights {
        /// 1 to 7.
        speed: u8,
        /// The number of repetitions; 0 = until changed.
        repeat: u8,
        /// The sources disagree which number is the brightest.
        intensity: u8,
        /// The squares, 0 = a8.
        squares: Vec<u8>,
    },
    /// 63: a developer's key. Its bytes are not stored.
    DeveloperKey,
    /// Another command of one byte, or a command with a wrong content: its first byte.
    Unknown(u8),
}

impl HostCommand {
    /// Appends the bytes of the command. A key is written as six zeros. Squares after the first 64 are left out.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            HostCommand::Query(query) => out.push(*query as u8),
            HostCommand::LightsOut => out.extend_from_slice(&[0x60, 0x02, 0x00, 0x00]),
            HostCommand::Lights { speed, repeat, intensity, squares } => {
                let squares = &squares[..squares.len().min(64)];
                out.extend_from_slice(&[0x60, squares.len() as u8 + 5, 0x05, *speed, *repeat, *intensity]);
                out.extend_from_slice(squares);
                out.push(0x00);
            }
            HostCommand::DeveloperKey => out.extend_from_slice(&[0x63, 0x07, 0, 0, 0, 0, 0, 0, 0]),
            HostCommand::Unknown(byte) => out.push(*byte),
        }
    }

    /// Returns the command of one byte.
    fn single(byte: u8) -> HostCommand {
        let query = Query::ALL.into_iter().find(|query| *query as u8 == byte);
        query.map_or(HostCommand::Unknown(byte), HostCommand::Query)
    }

    /// Returns the command of a first byte, a length that has been checked, and data.
    fn counted(bytes: &[u8]) -> HostCommand {
        match *bytes {
            [0x60, 0x02, 0x00, 0x00] => HostCommand::LightsOut,
            [0x60, _, 0x05, speed, repeat, intensity, ref squares @ .., 0x00] => {
                HostCommand::Lights { speed, repeat, intensity, squares: squares.into() }
            }
            [0x63, 0x07, .., 0x00] => HostCommand::DeveloperKey,
            [first, ..] => HostCommand::Unknown(first),
            [] => HostCommand::Unknown(0),
        }
    }
}

/// Reads a host's bytes one by one. Several commands may arrive in one piece. It holds at most one command of 257 bytes.
#[derive(Clone, Debug, Default)]
pub struct HostDecoder {
    held: Vec<u8>,
}

impl HostDecoder {
    /// Reads one byte. Returns what it completed.
    pub fn push(&mut self, byte: u8) -> Option<HostCommand> {
        if self.held.is_empty() && !matches!(byte, 0x60 | 0x63) {
            return Some(HostCommand::single(byte));
        }
        self.held.push(byte);
        let whole = self.held.get(1).is_some_and(|length| self.held.len() >= usize::from(*length) + 2);
        whole.then(|| {
            let command = HostCommand::counted(&self.held);
            self.held.clear();
            command
        })
    }

    /// Forgets the incomplete command.
    pub fn reset(&mut self) {
        self.held.clear();
    }
}
