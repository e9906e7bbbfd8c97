//! Opens pseudo-terminals, which act as serial ports without a cable. An emulated board uses one end, the master, and the
//! daemon opens the path of the other end.
//!
//! A pseudo-terminal differs from a real port: it has no DTR and RTS lines (setting them returns ENOTTY), and the baud rate is
//! stored but has no effect. An emulator that needs the pace of 9600 baud must delay the bytes itself.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{OFlag, open};
use nix::poll::PollFlags;
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::stat::Mode;
use nix::sys::termios::{FlushArg, SetArg, cfmakeraw, tcflush, tcgetattr, tcsetattr};
use nix::unistd::{read, write};

use crate::fd::{cause, prepared, wait};
use crate::link::{Link, LinkError, WRITE_TIMEOUT};

/// One end of a pseudo-terminal.
#[derive(Debug)]
pub struct Pty {
    end: OwnedFd,
    /// The slave, which stays open beside its master so that a program can close the path and open it again.
    keeper: Option<OwnedFd>,
}

impl Pty {
    /// Creates a pair in raw mode. Returns the master as a link, and the path that another program opens. The path exists as
    /// long as the link. Until [`Pty::watch_hang_up`] is called, the master does not notice when programs open and close the
    /// path.
    ///
    /// # Errors
    /// The error of the operating system, for example when no pseudo-terminals are left.
    pub fn pair() -> Result<(Pty, PathBuf), LinkError> {
        // A program that another thread starts at this moment must have no copy of an end: as long as it runs, nobody would see that the
        // cable is pulled. openpty(3) closes the ends in such programs only later.
        let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).map_err(cause)?;
        grantpt(&master).map_err(cause)?;
        unlockpt(&master).map_err(cause)?;
        let path = PathBuf::from(ptsname_r(&master).map_err(cause)?);
        let slave = open(&path, OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC, Mode::empty()).map_err(cause)?;
        make_raw(&slave)?;
        Ok((Pty { end: prepared(master.into())?, keeper: Some(slave) }, path))
    }

    /// Opens the other end by its path, in raw mode.
    ///
    /// # Errors
    /// [`LinkError::Unplugged`] if there is no such path, [`LinkError::Busy`] or [`LinkError::Denied`] as for a serial port.
    pub fn open(path: &Path) -> Result<Pty, LinkError> {
        let end = open(path, OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC, Mode::empty()).map_err(cause)?;
        make_raw(&end)?;
        Ok(Pty { end: prepared(end)?, keeper: None })
    }

    /// From now on the master returns [`LinkError::Unplugged`] when no program has the path open. Call this function when a
    /// program has opened it.
    pub fn watch_hang_up(&mut self) {
        self.keeper = None;
    }

    /// Reads what there is, without waiting.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there are no bytes; any other error if no program has the path open.
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(read(&self.end, buffer)?)
    }

    /// Writes as many bytes as there is room for, without waiting.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if there is no room; any other error if the path is gone.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(write(&self.end, bytes)?)
    }

    /// Discards the bytes that were written to the path and that the program did not read before it closed the path. The last
    /// close of a serial port does the same. Without this call the next program would read those bytes.
    ///
    /// # Errors
    /// The same as for [`Pty::open`].
    pub fn discard_unread(path: &Path) -> Result<(), LinkError> {
        tcflush(&Pty::open(path)?.end, FlushArg::TCIFLUSH).map_err(cause)
    }
}

impl AsRawFd for Pty {
    /// Returns the descriptor on which a program that has many links waits.
    fn as_raw_fd(&self) -> RawFd {
        self.end.as_raw_fd()
    }
}

impl Link for Pty {
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        if buffer.is_empty() {
            return Ok(0);
        }
        wait(&self.end, PollFlags::POLLIN, timeout)?;
        match read(&self.end, buffer) {
            Ok(0) => Err(LinkError::Unplugged),
            Ok(count) => Ok(count),
            Err(error) => Err(cause(error)),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        let mut left = bytes;
        while !left.is_empty() {
            wait(&self.end, PollFlags::POLLOUT, WRITE_TIMEOUT)?;
            match write(&self.end, left) {
                Ok(count) => left = &left[count..],
                Err(error) => return Err(cause(error)),
            }
        }
        Ok(())
    }
}

fn make_raw(end: &OwnedFd) -> Result<(), LinkError> {
    let mut settings = tcgetattr(end).map_err(cause)?;
    cfmakeraw(&mut settings);
    tcsetattr(end, SetArg::TCSANOW, &settings).map_err(cause)
}
