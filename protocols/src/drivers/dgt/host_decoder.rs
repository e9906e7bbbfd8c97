//! Cuts what a host sends into messages: the ear of an emulated board (`dgt/README.md#3` and `dgt/README.md#10`).

use alloc::vec::Vec;

use super::host::HostMessage;

/// Which way of talking the board is in. It starts with [`LineMode::Bus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineMode {
    /// Many boards on one line: commands of four bytes, the first with bit 7 set.
    Bus,
    /// One board: commands without address.
    Single,
}

/// One thing a host said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostItem {
    /// A single-board command. It is executed whatever the mode was, and the mode is now single
    /// (bus, after [`HostMessage::ToBusMode`]); entering single mode means IDLE.
    Message(HostMessage),
    /// A bus command: its byte with bit 7 set and the three bytes that follow. The mode is now bus.
    Bus {
        /// Command, address high, address low, checksum, as they came.
        frame: [u8; 4],
        /// To be executed: the board was in bus mode already. A bus command that ends single mode is not.
        obeyed: bool,
    },
    /// A command broken off by a byte with bit 7 set: dropped.
    Broken,
    /// A byte that begins no command: ignored, the mode stays.
    Stray(u8),
}

/// Takes a host's bytes one by one. Holds at most one command, 129 bytes.
#[derive(Clone, Debug)]
pub struct HostDecoder {
    mode: LineMode,
    held: Vec<u8>,
}

impl Default for HostDecoder {
    fn default() -> Self {
        HostDecoder::new()
    }
}

impl HostDecoder {
    /// A board that was just switched on: bus mode, nothing held.
    pub const fn new() -> HostDecoder {
        HostDecoder { mode: LineMode::Bus, held: Vec::new() }
    }

    /// The mode after the last complete command.
    pub const fn mode(&self) -> LineMode {
        self.mode
    }

    /// Forgets half a command; the mode stays. For an emulator that was silent too long.
    pub fn reset(&mut self) {
        self.held.clear();
    }

    /// Reads one byte. Returns what it completed.
    pub fn push(&mut self, byte: u8) -> Option<HostItem> {
        if byte & 0x80 != 0 {
            let broken = !self.held.is_empty();
            self.held.clear();
            self.held.push(byte);
            return broken.then_some(HostItem::Broken);
        }
        match (self.held.as_slice(), byte) {
            ([], 0x2b | 0x2c | 0x60) => {
                self.held.push(byte);
                None
            }
            ([], 0x40..=0x5f) => Some(self.message(HostMessage::single(byte))),
            ([], _) => Some(HostItem::Stray(byte)),
            (&[command @ 0x80..=0xff, high, low], checksum) => {
                self.held.clear();
                let obeyed = self.mode == LineMode::Bus;
                self.mode = LineMode::Bus;
                Some(HostItem::Bus { frame: [command, high, low, checksum], obeyed })
            }
            (&[0x80..=0xff, ..], _) => {
                self.held.push(byte);
                None
            }
            _ => {
                self.held.push(byte);
                if self.held.len() < usize::from(self.held[1]) + 2 {
                    return None;
                }
                let message = HostMessage::counted(&self.held);
                self.held.clear();
                Some(self.message(message))
            }
        }
    }

    fn message(&mut self, message: HostMessage) -> HostItem {
        self.mode = if message == HostMessage::ToBusMode { LineMode::Bus } else { LineMode::Single };
        HostItem::Message(message)
    }
}
