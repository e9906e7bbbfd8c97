//! Opens a serial port with 8 data bits, no parity, one stop bit and no flow control. Only one program uses the port at a time.
//!
//! Two descriptors of the same port are open. `serialport` holds the lock, the line settings, and DTR and RTS. Bytes go through
//! a second descriptor that never blocks, so that a thread can wait for bytes and for other events in one poll(2).

use std::fs::{File, TryLockError};
use std::io;
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::poll::PollFlags;
use nix::sys::stat::{Mode, fstat, major};
use nix::unistd::{read, write};
use serialport::{ErrorKind, SerialPort, TTYPort};

use crate::fd::{cause, wait};
use crate::link::{Link, LinkError, WRITE_TIMEOUT};

/// An open serial port, USB adapter or pseudo-terminal.
#[derive(Debug)]
pub struct Serial {
    /// This field is dropped first. It ends the exclusive use, which must happen while the port is still open.
    _holder: TTYPort,
    bytes: Arc<OwnedFd>,
}

/// Writes to a serial port from any thread. The port stays open as long as a `Writer` exists.
#[derive(Debug)]
pub(crate) struct Writer(Arc<OwnedFd>);

impl Writer {
    /// The same as [`Serial::write_now`].
    pub(crate) fn write_now(&self, bytes: &[u8]) -> Result<usize, LinkError> {
        match write(&self.0, bytes) {
            Ok(count) => Ok(count),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(0),
            Err(error) => Err(cause(error)),
        }
    }
}

impl Serial {
    /// Opens `path` for this program only, with DTR and RTS low where the port has such lines.
    ///
    /// # Errors
    /// [`LinkError::Unplugged`] if there is no such port, [`LinkError::Busy`] if another program (or this one) has it open,
    /// [`LinkError::Denied`], or any other error of the operating system, for example when the file is not a terminal.
    pub fn open(path: &Path, baud: u32) -> Result<Serial, LinkError> {
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let bytes = open(path, flags, Mode::empty()).map_err(cause)?;
        let Some(name) = path.to_str() else {
            return Err(LinkError::Other(io::Error::new(io::ErrorKind::InvalidFilename, "a port's path must be UTF-8")));
        };
        // The lock is tested first, because `serialport` removes the holder's exclusive mode when it finds the port locked.
        let probe = File::from(bytes);
        match probe.try_lock() {
            Ok(()) => probe.unlock()?,
            Err(TryLockError::WouldBlock) => return Err(LinkError::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let bytes = Arc::new(OwnedFd::from(probe));
        let builder = serialport::new(name, baud).exclusive(true).dtr_on_open(false);
        let mut holder = TTYPort::open(&builder).map_err(open_cause)?;
        // A pseudo-terminal has no such line. A real port that fails here fails again at the first read.
        let _ = holder.write_request_to_send(false);
        if is_pseudo_terminal(&bytes)? {
            rustix::termios::ioctl_tiocnxcl(&bytes).map_err(io::Error::from)?;
        }
        Ok(Serial { _holder: holder, bytes })
    }

    /// Reads the waiting bytes without blocking. Returns `None` if there are none.
    ///
    /// # Errors
    /// [`LinkError::Unplugged`] if the port is gone.
    pub fn read_now(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, LinkError> {
        match read(&self.bytes, buffer) {
            Ok(0) if !buffer.is_empty() => Err(LinkError::Unplugged),
            Ok(count) => Ok(Some(count)),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(error) => Err(cause(error)),
        }
    }

    /// Writes as many bytes as the port accepts without blocking. Returns their number.
    ///
    /// # Errors
    /// [`LinkError::Unplugged`] if the port is gone.
    pub fn write_now(&mut self, bytes: &[u8]) -> Result<usize, LinkError> {
        self.writer().write_now(bytes)
    }

    /// Returns a writer for the port.
    pub(crate) fn writer(&self) -> Writer {
        Writer(Arc::clone(&self.bytes))
    }

    /// The descriptor for poll(2).
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.bytes.as_fd()
    }
}

impl Link for Serial {
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        if buffer.is_empty() {
            return Ok(0);
        }
        wait(&self.bytes, PollFlags::POLLIN, timeout)?;
        self.read_now(buffer)?.ok_or(LinkError::TimedOut)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        let mut left = bytes;
        while !left.is_empty() {
            wait(&self.bytes, PollFlags::POLLOUT, WRITE_TIMEOUT)?;
            left = &left[self.write_now(left)?..];
        }
        Ok(())
    }
}

/// Exclusive mode (TIOCEXCL) of a serial port ends when the port is closed. The exclusive mode of a pseudo-terminal ends only
/// when its master is closed: after a program was killed, only root could open the path again. For a pseudo-terminal only the
/// lock keeps other programs out.
fn is_pseudo_terminal(port: &OwnedFd) -> io::Result<bool> {
    // The major numbers of Unix98 pseudo-terminals' slaves: Linux, admin-guide/devices.txt.
    const SLAVES: RangeInclusive<u64> = 136..=143;
    Ok(SLAVES.contains(&major(fstat(port)?.st_rdev)))
}

/// Maps an error of `serialport` to its cause. `serialport` reports root's failed lock and `EBUSY` as `NoDevice`. A port that
/// disappears between two calls is reported as `Unknown` with the text of its errno.
fn open_cause(error: serialport::Error) -> LinkError {
    match error.kind {
        ErrorKind::NoDevice => LinkError::Busy,
        ErrorKind::Io(kind) => io::Error::new(kind, error.description).into(),
        ErrorKind::InvalidInput => LinkError::Other(io::Error::new(io::ErrorKind::InvalidInput, error.description)),
        ErrorKind::Unknown => {
            let gone = [Errno::EIO, Errno::ENXIO, Errno::ENODEV].iter().any(|errno| errno.desc() == error.description);
            if gone { LinkError::Unplugged } else { LinkError::Other(io::Error::other(error.description)) }
        }
    }
}
