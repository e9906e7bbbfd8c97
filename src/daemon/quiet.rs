//! Says when the daemon may be ended to begin another round.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::shared::{Condition, Shared, StationHandle};

/// Tells whether the boards are quiet, so that another round may begin.
pub struct Quiet {
    handles: Vec<Arc<StationHandle>>,
    shared: Arc<Shared>,
}

impl Quiet {
    pub(super) fn new(handles: Vec<Arc<StationHandle>>, shared: Arc<Shared>) -> Quiet {
        Quiet { handles, shared }
    }

    /// Whether no board has a game in play and the broker has everything, also what the public gets later. `force`: games that are in
    /// play do not count.
    pub fn may_change(&self, force: bool) -> bool {
        let is_quiet = |handle: &Arc<StationHandle>| match handle.condition() {
            Condition::Opening => false,
            Condition::Serving => (force || !handle.is_in_play()) && !handle.has_public_waiting(),
            // Such a board has no game.
            Condition::Parked | Condition::Refused | Condition::Ended => true,
        };
        self.shared.connected.load(Ordering::Relaxed) && self.shared.outbox.is_idle() && self.handles.iter().all(is_quiet)
    }

    /// Whether every board has been opened and the broker has everything, so that nobody misses much if the daemon starts anew in the
    /// same round.
    pub fn may_restart(&self) -> bool {
        let opened = |handle: &Arc<StationHandle>| handle.condition() != Condition::Opening;
        self.shared.connected.load(Ordering::Relaxed) && self.shared.outbox.is_idle() && self.handles.iter().all(opened)
    }

    /// Notes that the daemon is ended only to start anew.
    pub fn announce_change(&self) {
        self.shared.starts_anew.store(true, Ordering::Relaxed);
    }
}
