//! Encodes and decodes the frames that DGT clocks and key pads send on an I2C wire, and their form on the bus
//! (`dgt/clock.md#6`, `dgt_bus/README.md#6`).
//!
//! ```text
//!  to*2  from*2  length  type  data …  crc      length counts all bytes; CRC-8, polynomial 07, start 0, over all bytes before it
//!  on the bus:   a byte from 80 on is sent as 7d and the byte without bit 7
//! ```

use alloc::vec::Vec;

/// The first byte of an escaped byte on the bus.
const ESCAPE: u8 = 0x7d;

/// One I2C frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct I2cFrame<'a> {
    /// Address of the receiver, 0..=127: 0 = all, 8 = clock, 16 = host.
    pub to: u8,
    /// Address of the sender.
    pub from: u8,
    /// The type: 1 ack, 2 hello, 4 time, 5 buttons, 6 display, 7 end of display, 10 set and run, 11 state, 15 control.
    pub kind: u8,
    /// The bytes after the type.
    pub data: &'a [u8],
}

impl<'a> I2cFrame<'a> {
    /// Reads a whole frame; `None` if its length or its CRC is wrong.
    pub fn decode(bytes: &'a [u8]) -> Option<I2cFrame<'a>> {
        let (&crc, rest) = bytes.split_last()?;
        let &[to, from, length, kind, ref data @ ..] = rest else { return None };
        let good = usize::from(length) == bytes.len() && (to | from) & 1 == 0 && crc8(rest) == crc;
        good.then_some(I2cFrame { to: to >> 1, from: from >> 1, kind, data })
    }

    /// Appends the frame. Data after 250 bytes are cut off.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        let data = &self.data[..self.data.len().min(250)];
        out.extend([self.to << 1, self.from << 1, data.len() as u8 + 5, self.kind]);
        out.extend_from_slice(data);
        let crc = crc8(&out[begin..]);
        out.push(crc);
    }
}

/// Returns the CRC-8 with polynomial 07 and start 0.
pub fn crc8(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |crc, byte| (0..8).fold(crc ^ byte, |crc: u8, _| if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 0x07 }))
}

/// Returns the real bytes of data from the bus; `None` if the data end with an escape mark. It is not known how a real 7d is
/// sent, so every 7d counts as a mark.
pub fn unescape(data: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(data.len());
    let mut bytes = data.iter();
    while let Some(&byte) = bytes.next() {
        out.push(if byte == ESCAPE { bytes.next()? | 0x80 } else { byte });
    }
    Some(out)
}

/// Appends bytes in the form of the bus.
pub fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    for &byte in bytes {
        if byte & 0x80 != 0 {
            out.push(ESCAPE);
        }
        out.push(byte & 0x7f);
    }
}
