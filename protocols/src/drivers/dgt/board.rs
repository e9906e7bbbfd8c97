//! Encodes and decodes the messages that a DGT board sends to a host (`dgt/README.md#5`).
//!
//! Messages borrow from their buffer, so reading allocates no memory.

use alloc::vec::Vec;

/// The longest accepted message, in bytes: the whole log.
pub const MAX_MESSAGE: usize = 7939;

/// One message of a board, without its header. Codes, squares and text are raw, as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardMessage<'a> {
    /// 86: the codes of all squares, a8 first.
    Board(&'a [u8; 64]),
    /// 86 of a 10 by 10 board.
    Board100(&'a [u8; 100]),
    /// 8d: seven bytes of the clock; see [`super::clock::ClockMessage`].
    Clock([u8; 7]),
    /// 8e: the present code of a square.
    Field {
        /// The square's number, 0 = a8.
        index: u8,
        /// The piece code, 0 = lifted.
        code: u8,
    },
    /// 8f: the board's log; see [`super::ee`].
    EeMoves(&'a [u8]),
    /// 90: the address on a bus, 14 bits.
    BusAddress(u16),
    /// 91: the serial number, 5 characters, or 9 in the form of 1998.
    Serial(&'a [u8]),
    /// 92: the maker's text, with lines separated by CR LF or LF.
    Trademark(&'a [u8]),
    /// 93: firmware version.
    Version {
        /// Major.
        major: u8,
        /// Minor, binary: 1.80 is `01 50`.
        minor: u8,
    },
    /// 94: the codes of the black squares of a draughts board.
    BlackSquares(&'a [u8; 50]),
    /// 95: the codes of the white squares.
    WhiteSquares(&'a [u8; 50]),
    /// 96: hardware version.
    HardwareVersion {
        /// Major.
        major: u8,
        /// Minor.
        minor: u8,
    },
    /// a0: battery.
    Battery(BatteryReport),
    /// a2: the long serial number.
    LongSerial(&'a [u8; 10]),
    /// a3: an I2C clock, layout unknown.
    I2cClock(&'a [u8]),
    /// a4: lock state of a Pegasus.
    LockState(u8),
    /// a5: developer-key state of a Pegasus.
    KeyState(u8),
    /// An id that the page does not list.
    Unknown {
        /// The id, bit 7 set.
        id: u8,
        /// Its data.
        data: &'a [u8],
    },
}

/// The nine bytes of a battery message. A time that is not available is 0x7f.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatteryReport {
    /// Charge, 0..=100.
    pub percent: u8,
    /// Time left: hours, minutes.
    pub left: [u8; 2],
    /// Time switched on: hours, minutes.
    pub on: [u8; 2],
    /// Time in standby: days, hours, minutes.
    pub standby: [u8; 3],
    /// Bit 0 charging, bit 1 discharging.
    pub status: u8,
}

/// How a length fits an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The page lists the id with this length.
    Known,
    /// The page does not list the id, and the length is possible.
    Unknown,
    /// There is no such message.
    Bad,
}

/// Returns whether a message `id` may be `total` bytes long, including its header of three bytes.
pub const fn fit(id: u8, total: usize) -> Fit {
    let good = match id {
        0x86 => total == 67 || total == 103,
        0x8d => total == 10,
        0x8e | 0x90 | 0x93 | 0x96 => total == 5,
        0x8f | 0x92 | 0xa3 => total >= 3 && total <= MAX_MESSAGE,
        0x91 => total == 8 || total == 12,
        0x94 | 0x95 => total == 53,
        0xa0 => total == 12,
        0xa2 => total == 13,
        0xa4 | 0xa5 => total == 4,
        _ => return if id & 0x80 != 0 && total >= 3 { Fit::Unknown } else { Fit::Bad },
    };
    if good { Fit::Known } else { Fit::Bad }
}

impl<'a> BoardMessage<'a> {
    /// Decodes the message `id` with this data; `None` if the length does not fit ([`fit`]).
    pub fn decode(id: u8, data: &'a [u8]) -> Option<BoardMessage<'a>> {
        Some(match (id, data) {
            (0x86, _) if data.len() == 100 => BoardMessage::Board100(data.try_into().ok()?),
            (0x86, _) => BoardMessage::Board(data.try_into().ok()?),
            (0x8d, _) => BoardMessage::Clock(data.try_into().ok()?),
            (0x8e, &[index, code]) => BoardMessage::Field { index, code },
            (0x8f, _) if data.len() + 3 <= MAX_MESSAGE => BoardMessage::EeMoves(data),
            (0x90, &[high, low]) => BoardMessage::BusAddress(u16::from(high & 0x7f) << 7 | u16::from(low & 0x7f)),
            (0x91, _) if matches!(data.len(), 5 | 9) => BoardMessage::Serial(data),
            (0x92, _) if data.len() + 3 <= MAX_MESSAGE => BoardMessage::Trademark(data),
            (0x93, &[major, minor]) => BoardMessage::Version { major, minor },
            (0x94, _) => BoardMessage::BlackSquares(data.try_into().ok()?),
            (0x95, _) => BoardMessage::WhiteSquares(data.try_into().ok()?),
            (0x96, &[major, minor]) => BoardMessage::HardwareVersion { major, minor },
            (0xa0, &[percent, a, b, c, d, e, f, g, status]) => {
                BoardMessage::Battery(BatteryReport { percent, left: [a, b], on: [c, d], standby: [e, f, g], status })
            }
            (0xa2, _) => BoardMessage::LongSerial(data.try_into().ok()?),
            (0xa3, _) if data.len() + 3 <= MAX_MESSAGE => BoardMessage::I2cClock(data),
            (0xa4, &[state]) => BoardMessage::LockState(state),
            (0xa5, &[state]) => BoardMessage::KeyState(state),
            _ if fit(id, data.len() + 3) == Fit::Unknown => BoardMessage::Unknown { id, data },
            _ => return None,
        })
    }

    /// Returns the id.
    pub const fn id(&self) -> u8 {
        match self {
            BoardMessage::Board(_) | BoardMessage::Board100(_) => 0x86,
            BoardMessage::Clock(_) => 0x8d,
            BoardMessage::Field { .. } => 0x8e,
            BoardMessage::EeMoves(_) => 0x8f,
            BoardMessage::BusAddress(_) => 0x90,
            BoardMessage::Serial(_) => 0x91,
            BoardMessage::Trademark(_) => 0x92,
            BoardMessage::Version { .. } => 0x93,
            BoardMessage::BlackSquares(_) => 0x94,
            BoardMessage::WhiteSquares(_) => 0x95,
            BoardMessage::HardwareVersion { .. } => 0x96,
            BoardMessage::Battery(_) => 0xa0,
            BoardMessage::LongSerial(_) => 0xa2,
            BoardMessage::I2cClock(_) => 0xa3,
            BoardMessage::LockState(_) => 0xa4,
            BoardMessage::KeyState(_) => 0xa5,
            BoardMessage::Unknown { id, .. } => *id | 0x80,
        }
    }

    /// Appends the whole message. Bit 7 of every data byte is cleared, and data after the longest length (16383) is cut off.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            BoardMessage::Board(codes) => self.push(out, codes),
            BoardMessage::Board100(codes) => self.push(out, codes),
            BoardMessage::Clock(bytes) => self.push(out, &bytes),
            BoardMessage::Field { index, code } => self.push(out, &[index, code]),
            BoardMessage::BusAddress(address) => self.push(out, &[(address >> 7) as u8, address as u8]),
            BoardMessage::Version { major, minor } | BoardMessage::HardwareVersion { major, minor } => {
                self.push(out, &[major, minor])
            }
            BoardMessage::BlackSquares(codes) | BoardMessage::WhiteSquares(codes) => self.push(out, codes),
            BoardMessage::Battery(BatteryReport { percent, left: [a, b], on: [c, d], standby: [e, f, g], status }) => {
                self.push(out, &[percent, a, b, c, d, e, f, g, status])
            }
            BoardMessage::LongSerial(text) => self.push(out, text),
            BoardMessage::LockState(state) | BoardMessage::KeyState(state) => self.push(out, &[state]),
            BoardMessage::EeMoves(data)
            | BoardMessage::Serial(data)
            | BoardMessage::Trademark(data)
            | BoardMessage::I2cClock(data)
            | BoardMessage::Unknown { data, .. } => self.push(out, data),
        }
    }

    fn push(&self, out: &mut Vec<u8>, data: &[u8]) {
        let data = &data[..data.len().min(16383 - 3)];
        let total = data.len() + 3;
        out.extend_from_slice(&[self.id(), (total >> 7) as u8, (total & 0x7f) as u8]);
        out.extend(data.iter().map(|byte| byte & 0x7f));
    }
}
