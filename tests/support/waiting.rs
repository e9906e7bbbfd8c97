//! Threads with names, and waiting for real parts with a bound.

use std::process::{Child, ExitStatus};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::system_clock::monotonic;

/// The longest wait for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a thread with a name.
pub(crate) fn thread<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).expect("a thread")
}

/// Lets time pass where time itself matters: the moment of a fault, the age of a message, hands that wait for nothing.
pub(crate) fn pause(time: Duration) {
    let until = monotonic().after(time);
    loop {
        let left = until.since(monotonic());
        if left.is_zero() {
            return;
        }
        std::thread::park_timeout(left);
    }
}

/// Waits until `done` returns true; fails with `what` after `bound`.
#[track_caller]
pub(crate) fn wait_until(what: &str, bound: Duration, mut done: impl FnMut() -> bool) {
    let until = monotonic().after(bound);
    while !done() {
        assert!(monotonic() < until, "this did not happen within {bound:?}: {what}");
        pause(Duration::from_millis(20));
    }
}

/// Waits for the end of a process, which `what` names in a failure.
#[track_caller]
pub(crate) fn wait_for_exit(child: &mut Child, what: &str) -> ExitStatus {
    let until = monotonic().after(PATIENCE);
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        assert!(monotonic() < until, "{what} does not end");
        pause(Duration::from_millis(5));
    }
}
