//! Stores short texts and times without heap memory, because a game keeps one of each for every move.

use core::fmt::{self, Write};

use flagfall_protocols::time::ClockTime;
use shakmaty::san::SanPlus;

use crate::pair::Pair;

/// The largest length of a text, in bytes: `Qa1xb2+`, `exd8=Q#`.
const MOST: usize = 7;

/// A move in standard algebraic notation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Notation([u8; MOST]);

impl Notation {
    /// The notation of a move.
    pub fn of(san: &SanPlus) -> Notation {
        let mut text = Text { bytes: [0; MOST], len: 0 };
        let whole = write!(text, "{san}");
        debug_assert!(whole.is_ok(), "{san} is longer than any move");
        Notation(text.bytes)
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        let len = self.0.iter().position(|&byte| byte == 0).unwrap_or(MOST);
        core::str::from_utf8(&self.0[..len]).unwrap_or_default()
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Debug for Notation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

struct Text {
    bytes: [u8; MOST],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// The times of both players, if they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    millis: [[u8; 4]; 2],
    known: u8,
}

impl Times {
    pub(crate) fn of(times: &Pair<Option<ClockTime>>) -> Times {
        let both = [times.white, times.black];
        let known = u8::from(both[0].is_some()) | u8::from(both[1].is_some()) << 1;
        Times { millis: both.map(|time| time.unwrap_or_default().0.to_ne_bytes()), known }
    }

    pub(crate) fn pair(&self) -> Pair<Option<ClockTime>> {
        let time = |side: usize| (self.known & 1 << side != 0).then(|| ClockTime(u32::from_ne_bytes(self.millis[side])));
        Pair { white: time(0), black: time(1) }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::san::SanPlus;

    use super::*;

    #[test]
    fn the_longest_notations_fit() {
        for text in ["e4", "O-O-O+", "Qa1xb2+", "exd8=Q#", "Nf3"] {
            let san: SanPlus = text.parse().unwrap();
            assert_eq!(Notation::of(&san).as_str(), text);
        }
    }

    #[test]
    fn times_come_back_as_they_were() {
        for white in [None, Some(ClockTime(0)), Some(ClockTime(u32::MAX))] {
            for black in [None, Some(ClockTime(7))] {
                assert_eq!(Times::of(&Pair { white, black }).pair(), Pair { white, black });
            }
        }
    }
}
