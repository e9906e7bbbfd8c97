//! Defines the operations of a link, which reads and writes bytes, and the causes of its errors.

use std::fmt;
use std::io;
use std::time::Duration;

use nix::errno::Errno;

/// A connection that transfers bytes to and from a device. A read blocks for at most the given time. One thread reads and
/// writes the link. A link is closed when it is dropped.
pub trait Link: Send {
    /// Waits at most `timeout` for bytes and puts them into `buffer`. Returns the number of bytes, which is at least one unless
    /// `buffer` is empty.
    ///
    /// # Errors
    /// [`LinkError::TimedOut`] if no bytes came; the link is still usable. Any other error ends the link.
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError>;

    /// Writes all of `bytes`. The write fails when no byte went out for [`WRITE_TIMEOUT`].
    ///
    /// # Errors
    /// [`LinkError::TimedOut`] if the other end accepts no more bytes; some bytes may have gone out.
    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError>;
}

/// The longest time for which a write may make no progress. A pseudo-terminal that no program reads stalls after 20,480 bytes.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a link failed.
#[derive(Debug)]
pub enum LinkError {
    /// The device, its cable or its adapter is gone.
    Unplugged,
    /// The device is there but does not communicate (no such service, connection refused).
    Refused,
    /// No byte came, or no byte could be written, in the given time.
    TimedOut,
    /// Another program has the device open.
    Busy,
    /// This user may not open the device.
    Denied,
    /// Any other error of the operating system.
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
    /// Maps an error of the operating system to its cause.
    fn from(error: io::Error) -> LinkError {
        // A terminal that is gone returns these errors; std has no kinds for them.
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
