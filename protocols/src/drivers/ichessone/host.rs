//! Encodes and decodes the messages that a host sends to an iChessOne (`ichessone/README.md#2`).
//!
//! [`Query`] has all messages that the driver's session sends. [`HostCommand`] is for emulators and tests. It also contains the
//! lights.

use alloc::vec::Vec;

/// The questions that a host may ask a board at any time without a visible effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Starts the reports of changes. No answer is known.
    Updates,
    /// All squares.
    Board,
    /// Battery.
    Battery,
}

impl Query {
    /// All queries.
    pub const ALL: [Query; 3] = [Query::Updates, Query::Board, Query::Battery];

    /// Returns the bytes of the query.
    pub const fn bytes(self) -> &'static [u8] {
        match self {
            Query::Updates => b"CPIRQ",
            Query::Board => b"RP",
            Query::Battery => b"RB",
        }
    }
}

/// All commands of a host. An emulated device must accept them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// A question or a reporting mode.
    Query(Query),
    /// 45 4c: one byte per rank, the eighth rank first, bit 0 = a. All other lights go out.
    Lights([u8; 8]),
    /// Bytes that begin no command: the first byte.
    Unknown(u8),
}

/// The first bytes of a command for lights.
const LIGHTS: [u8; 5] = [0x45, 0x4c, 0x80, 0x0f, 0x00];
/// The last bytes of a command for lights.
const LIGHTS_END: [u8; 3] = [0x00, 0x01, 0xff];

impl HostCommand {
    /// Appends the bytes of the command.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            HostCommand::Query(query) => out.extend_from_slice(query.bytes()),
            HostCommand::Lights(ranks) => [&LIGHTS[..], ranks, &LIGHTS_END].iter().for_each(|part| out.extend_from_slice(part)),
            HostCommand::Unknown(byte) => out.push(*byte),
        }
    }

    /// Returns the command of these bytes; `Err` while more bytes may complete a command.
    fn whole(bytes: &[u8]) -> Result<HostCommand, ()> {
        if let Some(query) = Query::ALL.into_iter().find(|query| query.bytes() == bytes) {
            return Ok(HostCommand::Query(query));
        }
        if let [0x45, 0x4c, 0x80, 0x0f, 0x00, ranks @ .., 0x00, 0x01, 0xff] = bytes
            && let Ok(ranks) = ranks.try_into()
        {
            return Ok(HostCommand::Lights(ranks));
        }
        let lights = bytes.iter().zip(LIGHTS).all(|(byte, own)| *byte == own) && bytes.len() < 16;
        let more = lights || Query::ALL.iter().any(|query| query.bytes().starts_with(bytes));
        if more { Err(()) } else { Ok(HostCommand::Unknown(bytes[0])) }
    }
}

/// Reads a host's bytes one by one. Several commands may arrive in one piece. It holds at most one command of 16 bytes.
#[derive(Clone, Debug, Default)]
pub struct HostDecoder {
    held: Vec<u8>,
}

impl HostDecoder {
    /// Reads one byte. Returns what it completed. The last byte of an unknown command may begin the next command.
    pub fn push(&mut self, byte: u8) -> Option<HostCommand> {
        self.held.push(byte);
        let command = HostCommand::whole(&self.held).ok()?;
        let begins = matches!(command, HostCommand::Unknown(_)) && self.held.len() > 1;
        self.held.clear();
        if begins && HostCommand::whole(&[byte]).is_err() {
            self.held.push(byte);
        }
        Some(command)
    }

    /// Forgets the incomplete command.
    pub fn reset(&mut self) {
        self.held.clear();
    }
}
