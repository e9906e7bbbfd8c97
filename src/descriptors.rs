//! Raises the limit of open files of this process.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Enough for a thousand boards, each with its port and its journal, and for the clients of the broker in this program.
const WANTED: u64 = 16_384;

/// Returns how many file descriptors this process may have open. A shell often allows 1,024 and lets a program raise that.
pub(crate) fn allow() -> usize {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return usize::MAX };
    let wanted = hard.min(WANTED);
    let raised = soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok();
    usize::try_from(if raised { wanted } else { soft }).unwrap_or(usize::MAX)
}
