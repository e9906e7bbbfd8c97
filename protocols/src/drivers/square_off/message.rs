//! Encodes and decodes the messages that a Square Off board sends (`square_off/README.md#1` and `square_off/README.md#3`).

use alloc::format;
use alloc::vec::Vec;

use super::framing::Step;
use crate::event::Anomaly;
use crate::square::{Placement, Reading, Square};

/// The longest text of a board, in bytes: all squares.
pub const MAX_TEXT: usize = 68;

/// A decimal number as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The digits without the point.
    pub digits: u32,
    /// The number of digits after the point, 0..=4.
    pub places: u8,
}

impl Decimal {
    /// Reads a number such as `3.52` with at most nine digits.
    pub fn decode(text: &[u8]) -> Option<Decimal> {
        let point = text.iter().position(|&byte| byte == b'.')?;
        let places = text.len() - point - 1;
        if point == 0 || places > 4 || text.len() > 10 {
            return None;
        }
        let digits = text.iter().filter(|byte| **byte != b'.').try_fold(0u32, |digits, byte| {
            let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
            digits.checked_mul(10)?.checked_add(digit)
        })?;
        Some(Decimal { digits, places: places as u8 })
    }

    /// Appends the number.
    pub fn encode(self, out: &mut Vec<u8>) {
        let unit = self.unit();
        let width = usize::from(self.places.min(4));
        let behind = format!("{:0width$}", self.digits % unit);
        out.extend_from_slice(format!("{}.{}", self.digits / unit, if width == 0 { "" } else { &behind }).as_bytes());
    }

    /// Returns whether the value is this whole number.
    pub const fn is(self, whole: u32) -> bool {
        self.digits.is_multiple_of(self.unit()) && self.digits / self.unit() == whole
    }

    const fn unit(self) -> u32 {
        10u32.pow(if self.places > 4 { 4 } else { self.places as u32 })
    }
}

/// One message of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// `0#e2u*`, from the Neo `e2u` on its own characteristic: a piece was lifted or put down.
    Field {
        /// The square.
        square: Square,
        /// The piece was put down.
        placed: bool,
    },
    /// `30#…*`, from the Neo also the bits alone on their own characteristic: the occupied squares, see [`Square::bit`].
    Board(u64),
    /// `22#3.52*`: volts of the battery.
    Volts(Decimal),
    /// `4#3752.50*`: millivolts of the Neo's battery.
    Millivolts(Decimal),
    /// The standard characteristic 2A19 of the Neo: its battery in percent, 0..=100.
    Percent(u8),
    /// `14#GO*`: a game begins.
    Go,
    /// `26#ISG*`: the pieces stand as the host expects.
    InSync,
    /// `1#…*`: the board's address, which is not stored.
    Address,
    /// `OK`: the Neo's motor has finished.
    MotorDone,
}

/// The Neo often reports 4095.00 mV, which has no meaning (`square_off/README.md#3.1`).
pub const NO_MILLIVOLTS: u32 = 4095;

impl Message {
    /// Decodes a text without its `*`; `None` if the page does not list it.
    pub fn decode(text: &[u8]) -> Option<Message> {
        let sharp = text.iter().position(|&byte| byte == b'#')?;
        let (code, body) = (&text[..sharp], &text[sharp + 1..]);
        Some(match (code, body) {
            (b"0", _) => match event(body) {
                Step::Whole(message @ Message::Field { .. }) => message,
                _ => return None,
            },
            (b"30", _) => Message::Board(occupied(body)?),
            (b"22", _) => Message::Volts(Decimal::decode(body)?),
            (b"4", _) => Message::Millivolts(Decimal::decode(body)?),
            (b"14", b"GO") => Message::Go,
            (b"26", b"ISG") => Message::InSync,
            (b"1", [_, _, b':', _, _, b':', _, _, b':', _, _, b':', _, _, b':', _, _]) => Message::Address,
            _ => return None,
        })
    }

    /// Appends the text of a Pro, or of the Neo on its first channel. A message without such a text is appended in the form of
    /// the Neo's own channel.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let code: &[u8] = match self {
            Message::Field { .. } => b"0#",
            Message::Board(_) => b"30#",
            Message::Volts(_) => b"22#",
            Message::Millivolts(_) => b"4#",
            Message::Go => b"14#",
            Message::InSync => b"26#",
            Message::Address => b"1#",
            Message::Percent(_) | Message::MotorDone => return self.encode_bare(out),
        };
        out.extend_from_slice(code);
        self.encode_bare(out);
        out.push(b'*');
    }

    /// Appends the message in the form of the Neo's own channel, without code and end mark.
    pub fn encode_bare(&self, out: &mut Vec<u8>) {
        match *self {
            Message::Field { square, placed } => {
                out.extend_from_slice(&[b'a' + square.file(), b'1' + square.rank(), if placed { b'd' } else { b'u' }]);
            }
            Message::Board(occupied) => out.extend_from_slice(&bits(occupied)),
            Message::Volts(decimal) | Message::Millivolts(decimal) => decimal.encode(out),
            Message::Percent(percent) => out.push(percent),
            Message::Go => out.extend_from_slice(b"GO"),
            Message::InSync => out.extend_from_slice(b"ISG"),
            Message::Address => out.extend_from_slice(b"XX:XX:XX:XX:XX:XX"),
            Message::MotorDone => out.extend_from_slice(b"OK"),
        }
    }
}

/// Returns the square at `index` of a board's bits: file by file, a1 to a8, then b1.
pub const fn square(index: u8) -> Square {
    Square::wrapping((index % 8) * 8 + index / 8)
}

/// Returns the occupied squares from 64 characters `0` and `1`.
pub fn occupied(bits: &[u8]) -> Option<u64> {
    let bits: &[u8; 64] = bits.try_into().ok()?;
    (0u8..).zip(bits).try_fold(0, |mask, (index, bit)| match bit {
        b'0' => Some(mask),
        b'1' => Some(mask | square(index).bit()),
        _ => None,
    })
}

/// Returns the 64 characters of the occupied squares.
pub fn bits(occupied: u64) -> [u8; 64] {
    core::array::from_fn(|index| if occupied & square(index as u8).bit() == 0 { b'0' } else { b'1' })
}

/// Returns the placement of these occupied squares.
pub fn placement(occupied: u64) -> Placement {
    let mut placement = Placement::EMPTY;
    Square::all().filter(|square| occupied & square.bit() != 0).for_each(|square| placement.set(square, Reading::Occupied));
    placement
}

/// Reads the text of the first channel: it ends with `*`.
///
/// If a `*` was lost, two messages are joined. The search for the last message begins at the last `#`, after bytes that cannot
/// be its code.
pub fn text(held: &[u8]) -> Step<Message> {
    let Some((&last, text)) = held.split_last() else { return Step::More };
    match last {
        b'*' => {}
        b' '..=b'~' => return Step::More,
        _ => return Step::Broken(if text.is_empty() { Anomaly::StrayByte } else { Anomaly::Truncated }, held.len()),
    }
    if let Some(message) = Message::decode(text) {
        return Step::Whole(message);
    }
    let sharp = text.iter().rposition(|&byte| byte == b'#').unwrap_or(0);
    let foreign = |from: &usize| text[..*from].iter().any(|byte| !byte.is_ascii_digit());
    let joined = [2, 1].into_iter().filter_map(|digits| sharp.checked_sub(digits).filter(foreign));
    match joined.into_iter().find(|&from| Message::decode(&text[from..]).is_some()) {
        Some(from) => Step::Broken(Anomaly::Truncated, from),
        None => Step::Broken(if has_known_code(text) { Anomaly::BadField } else { Anomaly::UnknownMessage }, held.len()),
    }
}

fn has_known_code(text: &[u8]) -> bool {
    [&b"0#"[..], b"30#", b"22#", b"4#", b"14#", b"26#", b"1#"].iter().any(|code| text.starts_with(code))
}

/// Reads the Neo's events: three characters, or `OK`. No event ends with the beginning of another one, so a byte that does not
/// fit breaks the bytes before it and may begin the next event.
pub fn event(held: &[u8]) -> Step<Message> {
    match *held {
        [] | [b'a'..=b'h' | b'O'] | [b'a'..=b'h', b'1'..=b'8'] => Step::More,
        [b'O', b'K'] => Step::Whole(Message::MotorDone),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8', change @ (b'u' | b'd')] => {
            Step::Whole(Message::Field { square: Square::wrapping((rank - b'1') * 8 + (file - b'a')), placed: change == b'd' })
        }
        [_] => Step::Broken(Anomaly::StrayByte, 1),
        // The last byte does not fit the bytes before it, but it may begin an event.
        [.., b'a'..=b'h' | b'O'] => Step::Broken(Anomaly::Truncated, held.len() - 1),
        _ => Step::Broken(Anomaly::Truncated, held.len()),
    }
}

/// Reads the Neo's pictures: 64 characters without a mark at either end. Only silence shows where a picture begins.
pub fn picture(held: &[u8]) -> Step<Message> {
    match (held.last(), occupied(held)) {
        (_, Some(occupied)) => Step::Whole(Message::Board(occupied)),
        (None | Some(b'0' | b'1'), None) => Step::More,
        _ => Step::Broken(if held.len() == 1 { Anomaly::StrayByte } else { Anomaly::Truncated }, held.len()),
    }
}

/// Reads the Neo's standard battery characteristic: one byte is one message.
pub fn percent(held: &[u8]) -> Step<Message> {
    match *held {
        [] => Step::More,
        [percent @ 0..=100, ..] => Step::Whole(Message::Percent(percent)),
        _ => Step::Broken(Anomaly::BadField, held.len()),
    }
}
