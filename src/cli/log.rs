//! Sets up the log of a service.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use tracing::{Level as Tracing, Metadata};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::{Level, journal_stream};

/// Sets up the program's own log on standard error, where systemd collects it.
pub(super) fn start(level: Level) {
    let level = match level {
        Level::Error => Tracing::ERROR,
        Level::Warn => Tracing::WARN,
        Level::Info => Tracing::INFO,
        Level::Debug => Tracing::DEBUG,
    };
    // The broker's crate writes a line for each client and each attack, and knows neither our users nor our limits. What is true
    // is logged by `broker`.
    let targets = Targets::new().with_default(level).with_target("mqtt5", LevelFilter::OFF);
    let writer = StandardError { is_journal: is_journal() };
    tracing_subscriber::fmt().with_max_level(level).with_writer(writer).with_target(false).finish().with(targets).init();
}

/// Whether standard error is the journal of systemd, which names its device and inode.
fn is_journal() -> bool {
    let Some(stream) = journal_stream() else { return false };
    let found = io::stderr().as_fd().try_clone_to_owned().and_then(|stderr| File::from(stderr).metadata());
    found.is_ok_and(|found| stream == format!("{}:{}", found.dev(), found.ino()))
}

/// Standard error. The journal gets each line with the priority of its level in front, so that `journalctl -p warning` works
/// (sd-daemon(3)).
struct StandardError {
    is_journal: bool,
}

/// One message on its way to standard error.
struct Message {
    priority: Option<u8>,
}

impl<'a> MakeWriter<'a> for StandardError {
    type Writer = Message;

    fn make_writer(&'a self) -> Message {
        Message { priority: None }
    }

    fn make_writer_for(&'a self, of: &Metadata<'_>) -> Message {
        Message { priority: self.is_journal.then(|| priority(*of.level())) }
    }
}

/// The priority of syslog (RFC 5424) for a level.
fn priority(level: Tracing) -> u8 {
    match level {
        Tracing::ERROR => 3,
        Tracing::WARN => 4,
        Tracing::INFO => 6,
        _ => 7,
    }
}

impl Write for Message {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let Some(priority) = self.priority else { return io::stderr().write(text) };
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        let marked: Vec<u8> = lines.flat_map(|line| [format!("<{priority}>").as_bytes(), line].concat()).collect();
        io::stderr().write_all(&marked)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
