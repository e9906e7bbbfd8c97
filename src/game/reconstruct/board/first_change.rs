//! Finds when squares first changed after a moment.

use flagfall_protocols::time::Instant;

use super::PhysicalBoard;

impl PhysicalBoard {
    /// When a square of `mask` first changed after `since`, among the changes of the last thirty seconds that are kept.
    pub(crate) fn changed_after(&self, mask: u64, since: Instant) -> Option<Instant> {
        let later = self.ring.iter().rev().take_while(|change| change.at > since);
        later.filter(|change| mask & (1 << change.square) != 0).last().map(|change| change.at)
    }
}
