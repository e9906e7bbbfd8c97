//! Writes text, also quoted as in JSON, to a byte buffer.

use alloc::vec::Vec;
use core::fmt::{Result, Write};

/// Appends text to a byte buffer.
pub(super) struct Text<'a>(pub(super) &'a mut Vec<u8>);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

impl Text<'_> {
    /// Appends a JSON text with its quotation marks.
    pub(super) fn quoted(&mut self, letters: impl Iterator<Item = char>) -> Result {
        self.write_char('"')?;
        for letter in letters {
            match letter {
                '"' | '\\' => write!(self, "\\{letter}")?,
                '\0'..='\x1f' => write!(self, "\\u{:04x}", u32::from(letter))?,
                _ => self.write_char(letter)?,
            }
        }
        self.write_char('"')
    }
}
