//! Writes down what emulated boards send, with the times.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::system_clock::since_boot;

/// The file of several boards, as one of them writes it: a line for each piece of bytes.
#[derive(Clone, Debug)]
pub struct SentLog {
    file: Arc<Mutex<BufWriter<File>>>,
    serial: u16,
}

impl SentLog {
    /// Makes the file. A line has the microseconds since the machine was started, the serial number, and the bytes in hexadecimal digits.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(path: &Path) -> io::Result<SentLog> {
        Ok(SentLog { file: Arc::new(Mutex::new(BufWriter::new(File::create(path)?))), serial: 0 })
    }

    /// The same file for the board with this number.
    pub fn of(&self, serial: u16) -> SentLog {
        SentLog { file: Arc::clone(&self.file), serial }
    }

    /// Writes what is not written yet.
    ///
    /// # Errors
    /// The disk does not take it, or did not take an earlier line.
    pub fn flush(&self) -> io::Result<()> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }

    /// Adds a line. What the disk does not take is found by [`SentLog::flush`].
    pub(super) fn add(&self, bytes: &[u8]) {
        let mut line = format!("{} {} ", since_boot().unwrap_or_default(), self.serial);
        line.extend(bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(|digit| char::from_digit(digit.into(), 16)));
        line.push('\n');
        let _ = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}
