//! Defines the errors of a journal, with their messages.

use std::{fmt, io};

use flagfall_protocols::trace::LineError;

/// The reason why a journal cannot be opened.
#[derive(Debug)]
pub enum OpenError {
    /// Another process has it open.
    Locked {
        /// The directory.
        dir: String,
        /// The note that the other process left: program and process number.
        holder: String,
    },
    /// A newer program wrote a format that this one cannot read.
    NewerFormat {
        /// The file.
        file: String,
    },
    /// The newest file is longer than a journal file can be.
    TooLong {
        /// The file.
        file: String,
        /// Its length in bytes.
        len: u64,
    },
    /// The operating system refused.
    Io {
        /// The operation that was tried.
        doing: &'static str,
        /// The file or directory.
        file: String,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Locked { dir, holder } => write!(f, "journal {dir} is in use by another process ({holder})"),
            OpenError::NewerFormat { file } => write!(f, "journal file {file} has a newer format; a newer program wrote it"),
            OpenError::TooLong { file, len } => write!(f, "journal file {file} has {len} bytes: no journal writes so many"),
            OpenError::Io { doing, file, .. } => write!(f, "{doing} {file}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// A write that failed. The records stay in the buffer, and writing is tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError {
    /// The operation that was tried.
    pub doing: &'static str,
    /// The file.
    pub file: String,
    /// The kind of error, such as a full disk.
    pub kind: io::ErrorKind,
    /// The message of the operating system.
    pub message: String,
}

impl WriteError {
    pub(super) fn new(doing: &'static str, file: &str, error: &io::Error) -> WriteError {
        WriteError { doing, file: file.to_owned(), kind: error.kind(), message: error.to_string() }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.doing, self.file, self.message)
    }
}

impl std::error::Error for WriteError {}

/// Why a record was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendError {
    /// It cannot be written as a line. No sequence number was used.
    Line(LineError),
    /// An `ack` of one sink too many ([`MAX_SINKS`](super::MAX_SINKS)). No sequence number was used.
    TooManySinks,
    /// Writing has failed for so long that the buffer is full, or the session has reached the cap
    /// ([`Limits::cap`](super::Limits::cap)). The record is given up and counted, and the service goes on.
    GivenUp(super::Stamp),
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppendError::Line(error) => write!(f, "no line for the journal: {error}"),
            AppendError::TooManySinks => write!(f, "more than {} sinks", super::MAX_SINKS),
            AppendError::GivenUp(stamp) => write!(f, "record {} given up: the journal is full or cannot be written", stamp.seq),
        }
    }
}

impl std::error::Error for AppendError {}

/// Why a session cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginError {
    /// Its name is not 1..=[`MAX_SESSION`](super::MAX_SESSION) of `a-z 0-9 -`.
    Name,
    /// There are more than 16 header lines, or one has a key that the journal writes itself (`session`, `ack`, `carry`).
    Headers,
    /// A header cannot be written as a line.
    Line(LineError),
}

impl fmt::Display for BeginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BeginError::Name => f.write_str("not a session's name"),
            BeginError::Headers => f.write_str("too many header lines, or one of the journal's own keys"),
            BeginError::Line(error) => write!(f, "no header line: {error}"),
        }
    }
}

impl std::error::Error for BeginError {}
