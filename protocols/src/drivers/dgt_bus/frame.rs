//! Encodes and decodes the command and reply frames of the bus with their checksums, and continues correctly after lost bytes
//! (`dgt_bus/README.md#2` and `dgt_bus/README.md#3`).
//!
//! ```text
//!  host to board      cmd  hi lo  sum                 sum of the three before it, 7 bits
//!  board to host      id  hi lo  hi lo  data …  sum   total length, address, sum of all before it, 7 bits
//!                         length address
//! ```

use alloc::vec::Vec;

use crate::event::{Anomaly, ByteRange};

/// The highest address: 14 bits. Address 0 means all boards.
pub const MAX_ADDRESS: u16 = 0x3fff;
/// The shortest reply, in bytes.
pub const MIN_REPLY: usize = 6;
/// The longest reply, in bytes: the whole log of 0x1f00 bytes.
pub const MAX_REPLY: usize = MIN_REPLY + 0x1f00;

/// The commands of a host on the bus (`dgt_bus/README.md#4`). The session sends only those that [`Command::harmless`] allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the README's table explains them")]
#[repr(u8)]
pub enum Command {
    SendClock = 0x81,
    SendBoard = 0x82,
    SendChanges = 0x83,
    RepeatChanges = 0x84,
    SetStartGame = 0x85,
    SendFromStart = 0x86,
    Ping = 0x87,
    EndBusMode = 0x88,
    Reset = 0x89,
    IgnoreNextPing = 0x8a,
    SendVersion = 0x8b,
    SendBlackSquares = 0x8c,
    SendAll = 0x8d,
    Serial = 0x91,
    RandomPing = 0x92,
    I2cClock = 0x93,
    I2cButton = 0x94,
    I2cAck = 0x95,
    Statistics = 0x96,
    Trademark = 0x97,
    Battery = 0x98,
    HardwareVersion = 0x9b,
}

impl Command {
    /// All commands with a known name.
    pub const ALL: [Command; 22] = [
        Command::SendClock,
        Command::SendBoard,
        Command::SendChanges,
        Command::RepeatChanges,
        Command::SetStartGame,
        Command::SendFromStart,
        Command::Ping,
        Command::EndBusMode,
        Command::Reset,
        Command::IgnoreNextPing,
        Command::SendVersion,
        Command::SendBlackSquares,
        Command::SendAll,
        Command::Serial,
        Command::RandomPing,
        Command::I2cClock,
        Command::I2cButton,
        Command::I2cAck,
        Command::Statistics,
        Command::Trademark,
        Command::Battery,
        Command::HardwareVersion,
    ];

    /// Returns the command with this first byte.
    pub fn from_code(code: u8) -> Option<Command> {
        Command::ALL.into_iter().find(|command| *command as u8 == code)
    }

    /// Returns whether the command only asks: it writes nothing, changes no mode and restarts no board.
    pub const fn harmless(self) -> bool {
        matches!(
            self,
            Command::SendClock
                | Command::SendBoard
                | Command::SendChanges
                | Command::RepeatChanges
                | Command::SendFromStart
                | Command::Ping
                | Command::IgnoreNextPing
                | Command::SendVersion
        )
    }

    /// Returns the four bytes to a board, or to all boards with address 0. Bits after the fourteenth are cut off.
    pub const fn to(self, address: u16) -> [u8; 4] {
        let (code, [high, low]) = (self as u8, split(address));
        [code, high, low, code.wrapping_add(high).wrapping_add(low) & 0x7f]
    }
}

/// Reads a whole command with a good sum. Returns the command and its address; `None` if the bytes are no such frame.
pub fn command(bytes: &[u8]) -> Option<(Command, u16)> {
    let &[code, high, low, sum] = bytes else { return None };
    let good = high < 0x80 && low < 0x80 && sum == code.wrapping_add(high).wrapping_add(low) & 0x7f;
    Command::from_code(code).filter(|_| good).map(|command| (command, join(high, low)))
}

/// The replies of a board (`dgt_bus/README.md#4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// 83: codes of all squares, a8 first.
    Board(&'a [u8; 64]),
    /// 84: the clock, as in single-board mode.
    Clock([u8; 7]),
    /// 85, in newer boards 85 and 8b in turn: the changes since the last packet, as entries of the log.
    Changes(&'a [u8]),
    /// 86: entries of the log from the last start mark on.
    FromStart(&'a [u8]),
    /// 87: the board is there.
    Ping,
    /// 88: the start of a game was written into the log.
    StartWritten,
    /// 89: firmware, major and minor; `None` from boards up to 1.2.
    Version(Option<(u8, u8)>),
    /// b1: an I2C frame of the clock or the key pad, escaped ([`super::i2c`]).
    I2c(&'a [u8]),
    /// A good frame with unknown content.
    Other(&'a [u8]),
}

/// Reads one whole reply frame. Returns its address and content; `None` if the length, the sum or the content is wrong.
pub fn reply(bytes: &[u8]) -> Option<(u16, Reply<'_>)> {
    let (&sum, rest) = bytes.split_last()?;
    let &[id, high, low, to_high, to_low, ref data @ ..] = rest else { return None };
    let seven = rest[1..].iter().all(|byte| byte & 0x80 == 0);
    if id & 0x80 == 0 || !seven || usize::from(join(high, low)) != bytes.len() || total(rest) != sum {
        return None;
    }
    Some((join(to_high, to_low), content(id, data)?))
}

fn content(id: u8, data: &[u8]) -> Option<Reply<'_>> {
    Some(match id {
        0x83 => Reply::Board(data.try_into().ok()?),
        0x84 => Reply::Clock(data.try_into().ok()?),
        0x85 | 0x8b => Reply::Changes(data),
        0x86 => Reply::FromStart(data),
        0x87 => Reply::Ping,
        0x88 => Reply::StartWritten,
        0x89 => Reply::Version(match *data {
            [] => None,
            [major, minor, ..] => Some((major, minor)),
            [_] => return None,
        }),
        0xb1 => Reply::I2c(data),
        _ => Reply::Other(data),
    })
}

/// Appends a reply frame. Data after [`MAX_REPLY`] and bit 7 of every data byte are cut off.
pub fn encode_reply(id: u8, address: u16, data: &[u8], out: &mut Vec<u8>) {
    let data = &data[..data.len().min(MAX_REPLY - MIN_REPLY)];
    let begin = out.len();
    out.push(id | 0x80);
    // The length is at most MAX_REPLY, so two times seven bits are enough.
    out.extend(split((data.len() + MIN_REPLY) as u16));
    out.extend(split(address));
    out.extend(data.iter().map(|byte| byte & 0x7f));
    let sum = total(&out[begin..]);
    out.push(sum);
}

/// Returns the sum of a frame's bytes.
pub fn total(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f
}

const fn split(value: u16) -> [u8; 2] {
    [(value >> 7) as u8 & 0x7f, value as u8 & 0x7f]
}

const fn join(high: u8, low: u8) -> u16 {
    (high as u16 & 0x7f) << 7 | low as u16 & 0x7f
}

/// Returns whether a reply with this id can have this length.
fn fits(id: u8, len: usize) -> bool {
    match id {
        0x83 => len == 70,
        0x84 => len == 13,
        0x87 | 0x88 => len == MIN_REPLY,
        0x89 => len == MIN_REPLY || len == MIN_REPLY + 2,
        _ => (MIN_REPLY..=MAX_REPLY).contains(&len),
    }
}

/// One result of reading the bytes of boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// A whole frame with a good sum, and the range of its bytes.
    Frame(&'a [u8], ByteRange),
    /// Bytes that are no frame. [`Anomaly::BadField`] is a wrong sum.
    Anomaly(Anomaly, ByteRange),
}

/// Cuts the bytes of boards into frames. Only a frame's first byte has bit 7 set, so the reader recovers after lost bytes. It
/// holds at most one frame.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// The number of bytes since the start, and the offset of the buffered frame.
    offset: u64,
    start: u64,
    frame: Vec<u8>,
    /// The buffered frame is complete and has been returned.
    given: bool,
}

impl Reader {
    /// Reads one byte. Returns what it completed or broke.
    pub fn push(&mut self, byte: u8) -> Option<Read<'_>> {
        let here = self.offset;
        self.offset += 1;
        self.clear_given();
        if byte & 0x80 != 0 {
            let broken = !self.frame.is_empty();
            let at = range(self.start, here);
            self.frame.clear();
            self.frame.push(byte);
            self.start = here;
            return broken.then_some(Read::Anomaly(Anomaly::Truncated, at));
        }
        if self.frame.is_empty() {
            return Some(Read::Anomaly(Anomaly::StrayByte, range(here, here + 1)));
        }
        self.frame.push(byte);
        let len = self.length()?;
        let at = range(self.start, self.offset);
        if !fits(self.frame[0], len) {
            self.frame.clear();
            return Some(Read::Anomaly(Anomaly::BadLength, at));
        }
        if self.frame.len() < len {
            return None;
        }
        if reply(&self.frame).is_none() {
            self.frame.clear();
            return Some(Read::Anomaly(Anomaly::BadField, at));
        }
        self.given = true;
        Some(Read::Frame(&self.frame, at))
    }

    /// Returns the length of the buffered frame, when it is known.
    fn length(&self) -> Option<usize> {
        match *self.frame.as_slice() {
            [_, high, low, ..] => Some(usize::from(join(high, low))),
            _ => None,
        }
    }

    /// Returns whether an incomplete frame is in the buffer.
    pub fn holds(&self) -> bool {
        !self.given && !self.frame.is_empty()
    }

    /// Gives up the incomplete frame, if there is one. Returns the range of its bytes.
    pub fn give_up(&mut self) -> Option<ByteRange> {
        self.clear_given();
        let at = (!self.frame.is_empty()).then(|| range(self.start, self.offset));
        self.frame.clear();
        at
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn clear_given(&mut self) {
        if core::mem::take(&mut self.given) {
            self.frame.clear();
            // The memory is released, because a log is long and rare.
            self.frame.shrink_to(256);
        }
    }
}

const fn range(start: u64, end: u64) -> ByteRange {
    ByteRange { channel: 0, start, end }
}
