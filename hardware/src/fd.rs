//! Provides functions for the file descriptors of all links: waiting with the system call poll(2), and converting an error
//! number (`errno`) into a cause.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::link::LinkError;

/// Sleeps in poll(2) until `end` is ready, until `end` has hung up and holds no more bytes, or until `timeout` is over.
pub(crate) fn wait(end: &OwnedFd, events: PollFlags, timeout: Duration) -> Result<(), LinkError> {
    let mut fds = [PollFd::new(end.as_fd(), events)];
    match poll(&mut fds, millis(timeout)) {
        Ok(0) | Err(Errno::EINTR) => Err(LinkError::TimedOut),
        Err(error) => Err(cause(error)),
        Ok(_) => match fds[0].revents() {
            Some(ready) if ready.intersects(events) => Ok(()),
            _ => Err(LinkError::Unplugged),
        },
    }
}

/// Rounds up to whole milliseconds. A shorter wait must not become zero, because that would be a busy loop.
pub(crate) fn millis(timeout: Duration) -> PollTimeout {
    PollTimeout::try_from(timeout.as_micros().div_ceil(1000)).unwrap_or(PollTimeout::MAX)
}

/// Makes reads and writes non-blocking.
pub(crate) fn prepared(end: OwnedFd) -> Result<OwnedFd, LinkError> {
    fcntl(&end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(cause)?;
    Ok(end)
}

pub(crate) fn cause(error: Errno) -> LinkError {
    std::io::Error::from(error).into()
}
