//! Encodes and decodes the messages of the Grand Kingdom Set, an older Square Off board with a motor. The only source is an
//! owner's notes, so no driver supports the board.
//!
//! ```text
//!  host to board      'x' words 'z', but xBATVOLy                                              host.rs
//!  board to host      words '*' cr lf
//!    GKS,36v5,8*      the kind of board        12-OK*  15-OK*  done
//!    6-11.63*  2-85.*  battery: volts, perhaps percent
//! ```
//!
//! Page: `square_off/README.md#2`.

use alloc::format;
use alloc::vec::Vec;

use super::message::Decimal;

pub mod host;

/// One line of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// The kind of board: three words with commas between them.
    Kind(&'a [u8]),
    /// The command of this code is done.
    Done(u8),
    /// A number with its code. Code 6 is the battery's volts, and code 2 is unknown.
    Battery(u8, Decimal),
}

impl<'a> Message<'a> {
    /// Decodes a whole line, including `*` CR LF; `None` if the page does not list it.
    pub fn decode(line: &'a [u8]) -> Option<Message<'a>> {
        let text = line.strip_suffix(b"*\r\n")?;
        if text.split(|&byte| byte == b',').count() == 3 {
            return Some(Message::Kind(text));
        }
        let dash = text.iter().position(|&byte| byte == b'-')?;
        let code = match &text[..dash] {
            [one @ b'0'..=b'9'] => one - b'0',
            [ten @ b'1'..=b'9', one @ b'0'..=b'9'] => (ten - b'0') * 10 + (one - b'0'),
            _ => return None,
        };
        match &text[dash + 1..] {
            b"OK" => Some(Message::Done(code)),
            number => Decimal::decode(number).map(|number| Message::Battery(code, number)),
        }
    }

    /// Appends the bytes of the line.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Message::Kind(words) => out.extend_from_slice(words),
            Message::Done(code) => out.extend_from_slice(format!("{code}-OK").as_bytes()),
            Message::Battery(code, number) => {
                out.extend_from_slice(format!("{code}-").as_bytes());
                number.encode(out);
            }
        }
        out.extend_from_slice(b"*\r\n");
    }
}
