//! A link to a device: bytes in, bytes out, and the few ways in which it fails.

use std::fmt;
use std::io;
use std::time::Duration;

use nix::errno::Errno;

/// A byte link that blocks no longer than it is told. One thread reads and writes it.
pub trait Link: Send {
    /// Waits at most `timeout` for bytes and puts them into `buffer`; gives how many there are, at least one unless `buffer`
    /// is empty.
    ///
    /// # Errors
    /// [`LinkError::TimedOut`] when nothing came, after which the link is as good as before; anything else ends it.
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError>;

    /// Writes all of `bytes`. Gives up [`WRITE_TIMEOUT`] after the last byte that went out.
    ///
    /// # Errors
    /// [`LinkError::TimedOut`] when the other end takes no more; a part may have gone out.
    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError>;

    /// Ends the link. Reading and writing afterwards gives [`LinkError::Unplugged`].
    fn close(&mut self);
}

/// How long a write may stand still: a pseudo-terminal nobody reads stalls after 20,480 bytes.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a link failed.
#[derive(Debug)]
pub enum LinkError {
    /// The device, its cable or its adapter is gone, or the link was closed.
    Unplugged,
    /// The device is there and will not talk (no such service, connection refused).
    Refused,
    /// Nothing came, or nothing could be written, in the time given.
    TimedOut,
    /// Another program holds the device.
    Busy,
    /// This user may not open the device.
    Denied,
    /// The link is open and the device does not answer; concluded by whoever asks it questions.
    Silent,
    /// Anything else the operating system said.
    Other(io::Error),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Unplugged => f.write_str("unplugged"),
            LinkError::Refused => f.write_str("refused"),
            LinkError::TimedOut => f.write_str("timed out"),
            LinkError::Busy => f.write_str("busy: another program has it open"),
            LinkError::Denied => f.write_str("permission denied"),
            LinkError::Silent => f.write_str("silent"),
            LinkError::Other(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LinkError::Other(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for LinkError {
    /// The cause behind what the operating system said.
    fn from(error: io::Error) -> LinkError {
        // What a vanished terminal gives; std has no kinds for them.
        const GONE: [Errno; 3] = [Errno::EIO, Errno::ENXIO, Errno::ENODEV];
        if error.raw_os_error().is_some_and(|code| GONE.contains(&Errno::from_raw(code))) {
            return LinkError::Unplugged;
        }
        match error.kind() {
            io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotFound
            | io::ErrorKind::NotConnected
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::UnexpectedEof => LinkError::Unplugged,
            io::ErrorKind::ConnectionRefused => LinkError::Refused,
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => LinkError::TimedOut,
            io::ErrorKind::ResourceBusy | io::ErrorKind::AddrInUse => LinkError::Busy,
            io::ErrorKind::PermissionDenied => LinkError::Denied,
            _ => LinkError::Other(error),
        }
    }
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        (**self).read(buffer, timeout)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        (**self).write(bytes)
    }

    fn close(&mut self) {
        (**self).close();
    }
}
