//! Describes damage that was found in journal files.

use std::fmt;

use flagfall_protocols::trace::LineError;

/// The largest number of damages that are described one by one. More are only counted.
pub const MAX_DAMAGE: usize = 64;

/// One place in a journal file that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub harm: Harm,
}

/// The kinds of damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Harm {
    /// Lines that are no records, or good records whose sequence number or time is below that of the record before, with
    /// acceptable records after them. They are skipped.
    Unreadable {
        /// How many lines.
        lines: usize,
        /// Why the first of them was refused.
        first: LineError,
    },
    /// Sequence numbers are missing.
    Gap {
        /// The first missing number.
        expected: u64,
        /// The next number that is there.
        found: u64,
    },
    /// The header does not contain where the journal stood when the file began.
    NoCarry,
    /// Bytes at the end of the newest file that are no records. They are cut off.
    Torn {
        /// How many.
        bytes: usize,
        /// The file in which they are kept, if it could be written.
        kept: Option<String>,
    },
    /// An older file could not be read, or is longer than a journal file can be.
    CannotRead(String),
    /// The newest file could not be repaired: the next record begins a new one.
    CannotRepair(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: ", self.file, self.line)?;
        match &self.harm {
            Harm::Unreadable { lines: 1, first } => write!(f, "no record ({first})"),
            Harm::Unreadable { lines, first } => write!(f, "{lines} lines that are no records ({first})"),
            Harm::Gap { expected, found } => write!(f, "records {expected} to {} are missing", found - 1),
            Harm::NoCarry => f.write_str("the header is not complete"),
            Harm::Torn { bytes, kept: Some(kept) } => write!(f, "{bytes} torn bytes moved to {kept}"),
            Harm::Torn { bytes, kept: None } => write!(f, "{bytes} torn bytes"),
            Harm::CannotRead(error) => write!(f, "cannot be read: {error}"),
            Harm::CannotRepair(error) => write!(f, "cannot be repaired: {error}"),
        }
    }
}

/// All damage found, the first [`MAX_DAMAGE`] described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamageReport {
    /// The first of them, in order.
    pub described: Vec<Damage>,
    /// How many there are.
    pub total: usize,
}

impl DamageReport {
    pub(super) fn add(&mut self, file: &str, line: usize, harm: Harm) {
        self.total += 1;
        if self.described.len() < MAX_DAMAGE {
            self.described.push(Damage { file: file.to_owned(), line, harm });
        }
    }
}
