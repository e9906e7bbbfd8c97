//! Splits a host's bytes into messages, for an emulated DGT board (`dgt/README.md#3` and `dgt/README.md#10`).

use alloc::vec::Vec;

use super::host::HostMessage;

/// The line mode of an emulated board. It starts with [`LineMode::Bus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineMode {
    /// Many boards on one line: commands of four bytes, the first with bit 7 set.
    Bus,
    /// One board: commands without address.
    Single,
}

/// One result of decoding a host's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostItem {
    /// A single-board command. It is executed in every mode, and the mode is then single (or bus, after
    /// [`HostMessage::ToBusMode`]). Entering single mode means IDLE.
    Message(HostMessage),
    /// A bus command: a byte with bit 7 set and the three bytes that follow. The mode is then bus.
    Bus {
        /// Command, address high, address low and checksum, as received.
        frame: [u8; 4],
        /// The command is executed, because the board was in bus mode already. A bus command that ends single mode is not
        /// executed.
        obeyed: bool,
    },
    /// A command that a byte with bit 7 cut off. It is dropped.
    Broken,
    /// A byte that begins no command. It is ignored, and the mode stays.
    Stray(u8),
}

/// Reads a host's bytes one by one. It holds at most one command of 129 bytes.
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
    /// Creates the decoder of a board that was just switched on: bus mode, with an empty buffer.
    pub const fn new() -> HostDecoder {
        HostDecoder { mode: LineMode::Bus, held: Vec::new() }
    }

    /// Returns the mode after the last complete command.
    pub const fn mode(&self) -> LineMode {
        self.mode
    }

    /// Forgets the incomplete command; the mode stays. This is for an emulator whose host was silent for too long.
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
