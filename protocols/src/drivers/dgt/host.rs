//! Encodes and decodes the messages from a host to a DGT board (`dgt/README.md#4`, `dgt/clock.md#4`).
//!
//! ```text
//!  40 to 5f                  a command of one byte (all numbers are hexadecimal), no checksum
//!  2b  n  03 command … 00    to the clock; n is the number of bytes that follow it
//!  2c  n  … 00               to a clock on the I2C bus; the layout is unknown
//!  60  n  … 00               lights
//! ```
//!
//! [`Query`] lists every message that the daemon sends: questions, and commands that select a reporting mode. [`HostMessage`] and
//! [`ClockCommand`] also contain the commands that change the display, the lights or the memory of the board. They are for
//! emulators and tests; the driver does not use them.

use alloc::vec::Vec;

pub use super::clock_command::ClockCommand;

/// The messages that a host may send to a board at any time; players do not notice them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Query {
    /// Mode IDLE: the board sends nothing by itself. There is no answer.
    Reset = 0x40,
    /// One clock message.
    Clock = 0x41,
    /// One board dump.
    Board = 0x42,
    /// Mode UPDATE: field updates, and clock messages at least once a second.
    Update = 0x43,
    /// Mode UPDATE_BOARD: field updates only.
    UpdateBoard = 0x44,
    /// The short serial number.
    Serial = 0x45,
    /// The address on a bus.
    BusAddress = 0x46,
    /// The maker's text.
    Trademark = 0x47,
    /// Hardware version.
    HardwareVersion = 0x48,
    /// The board's own log. It takes eight seconds at 9600 baud, and the board writes a mark "downloaded" into the log.
    EeMoves = 0x49,
    /// Mode UPDATE_NICE: field updates, and a clock message after each change of the clock.
    UpdateNice = 0x4b,
    /// Battery.
    Battery = 0x4c,
    /// Firmware version.
    Version = 0x4d,
    /// The long serial number.
    LongSerial = 0x55,
    /// One message of an I2C clock.
    I2cClock = 0x56,
    /// The same as [`Query::Update`], with messages of an I2C clock.
    UpdateI2c = 0x57,
    /// The same as [`Query::UpdateNice`], with messages of an I2C clock.
    UpdateI2cNice = 0x58,
    /// Clock command 09: the clock's version. It is also the usual test whether a clock is connected.
    ClockVersion = 0x2b,
}

impl Query {
    /// All queries.
    pub const ALL: [Query; 18] = [
        Query::Reset,
        Query::Clock,
        Query::Board,
        Query::Update,
        Query::UpdateBoard,
        Query::Serial,
        Query::BusAddress,
        Query::Trademark,
        Query::HardwareVersion,
        Query::EeMoves,
        Query::UpdateNice,
        Query::Battery,
        Query::Version,
        Query::LongSerial,
        Query::I2cClock,
        Query::UpdateI2c,
        Query::UpdateI2cNice,
        Query::ClockVersion,
    ];

    /// Appends the bytes to send.
    pub fn encode(self, out: &mut Vec<u8>) {
        match self {
            Query::ClockVersion => ClockCommand::Version.encode(out),
            one => out.push(one as u8),
        }
    }

    /// Returns the bytes to send.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        bytes
    }

    fn from_byte(byte: u8) -> Option<Query> {
        Query::ALL.into_iter().find(|&query| query != Query::ClockVersion && query as u8 == byte)
    }
}

/// All messages of a host in single-board mode. An emulated board must accept them all. The daemon sends [`Query`] only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostMessage {
    /// A question or a reporting mode. The decoder returns a clock version query as [`HostMessage::Clock`].
    Query(Query),
    /// 4a: back to bus mode.
    ToBusMode,
    /// 4e: starts the code that replaces the firmware. It must never be sent to a real board.
    StartBootloader,
    /// 50: the black squares of a draughts board.
    BlackSquares,
    /// 51: scans the black squares and stores the result in the board.
    ScanBlack,
    /// 52: the white squares of a draughts board.
    WhiteSquares,
    /// 53: scans the white squares and stores the result in the board.
    ScanWhite,
    /// 54: scans all squares and stores the result in the board.
    ScanAll,
    /// 2b: a command to the clock.
    Clock(ClockCommand),
    /// 2c: a message to an I2C clock: the bytes between the length and the closing 00.
    I2cClock(Vec<u8>),
    /// 60 04: lights of a Revelation II.
    Lights {
        /// 0 off, 1 on, 2 option.
        pattern: u8,
        /// First square, 0 = a8; 0x40 for all.
        first: u8,
        /// Second square.
        second: u8,
    },
    /// 60 with any other length, as a Pegasus accepts it: the bytes between the length and the closing 00.
    LightsRaw(Vec<u8>),
    /// A command that the page does not list, or a command with a wrong content: all its bytes.
    Unknown(Vec<u8>),
}

impl HostMessage {
    /// Appends the bytes to send. Bit 7 of every byte after a length is cleared, and raw data after 126 bytes are cut off.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            HostMessage::Query(query) => query.encode(out),
            HostMessage::ToBusMode => out.push(0x4a),
            HostMessage::StartBootloader => out.push(0x4e),
            HostMessage::BlackSquares => out.push(0x50),
            HostMessage::ScanBlack => out.push(0x51),
            HostMessage::WhiteSquares => out.push(0x52),
            HostMessage::ScanWhite => out.push(0x53),
            HostMessage::ScanAll => out.push(0x54),
            HostMessage::Clock(command) => command.encode(out),
            HostMessage::I2cClock(data) => push_counted(out, 0x2c, data),
            HostMessage::Lights { pattern, first, second } => push_counted(out, 0x60, &[*pattern, *first, *second]),
            HostMessage::LightsRaw(data) => push_counted(out, 0x60, data),
            HostMessage::Unknown(bytes) => out.extend_from_slice(bytes),
        }
    }

    /// Returns the message of a command of one byte.
    pub(super) fn single(byte: u8) -> HostMessage {
        match byte {
            0x4a => HostMessage::ToBusMode,
            0x4e => HostMessage::StartBootloader,
            0x50 => HostMessage::BlackSquares,
            0x51 => HostMessage::ScanBlack,
            0x52 => HostMessage::WhiteSquares,
            0x53 => HostMessage::ScanWhite,
            0x54 => HostMessage::ScanAll,
            _ => Query::from_byte(byte).map_or_else(|| HostMessage::Unknown([byte].into()), HostMessage::Query),
        }
    }

    /// Returns the message of a command with data. `bytes` are all its bytes; the decoder has checked their number.
    pub(super) fn counted(bytes: &[u8]) -> HostMessage {
        let known = match bytes {
            [0x2b, _, body @ ..] => ClockCommand::decode(body).map(HostMessage::Clock),
            [0x2c, _, data @ .., 0x00] => Some(HostMessage::I2cClock(data.into())),
            [0x60, 0x04, pattern, first, second, 0x00] => {
                Some(HostMessage::Lights { pattern: *pattern, first: *first, second: *second })
            }
            [0x60, _, data @ .., 0x00] => Some(HostMessage::LightsRaw(data.into())),
            _ => None,
        };
        known.unwrap_or_else(|| HostMessage::Unknown(bytes.into()))
    }
}

fn push_counted(out: &mut Vec<u8>, command: u8, data: &[u8]) {
    let data = &data[..data.len().min(126)];
    out.extend_from_slice(&[command, data.len() as u8 + 1]);
    out.extend(data.iter().map(|byte| byte & 0x7f));
    out.push(0x00);
}
