//! Finds what squares have shown since a moment.

use flagfall_protocols::time::Instant;

use super::PhysicalBoard;
use crate::men::{self, Men};

impl PhysicalBoard {
    /// When a square of `mask` first changed after `since`, among the changes of the last thirty seconds that are kept.
    pub(crate) fn changed_after(&self, mask: u64, since: Instant) -> Option<Instant> {
        let later = self.ring.iter().rev().take_while(|change| change.at > since);
        later.filter(|change| mask & (1 << change.square) != 0).last().map(|change| change.at)
    }

    /// True if a square has shown the man that `expected` has there since `since`, and now shows a man that the board cannot identify:
    /// another man has come there, and moves that no board has shown do not explain it.
    pub(crate) fn lost_identity_since(&self, since: Instant, expected: &Men) -> bool {
        self.ring.iter().rev().take_while(|change| change.at > since).any(|change| {
            let square = usize::from(change.square);
            let known = men::color(change.before).is_some() && change.before == expected[square];
            known && matches!(self.men[square], men::OCCUPIED | men::UNKNOWN)
        })
    }
}
