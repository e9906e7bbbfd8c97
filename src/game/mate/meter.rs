//! What a question has cost so far, and what it may.

use super::reason::Counters;

/// Counts positions against the budget.
pub(super) struct Meter {
    pub(super) counters: Counters,
    most: u64,
}

impl Meter {
    pub(super) fn new(most: u64) -> Self {
        Self { counters: Counters::default(), most }
    }

    /// One position more; false if the budget does not allow it.
    pub(super) fn step(&mut self) -> bool {
        self.counters.nodes += 1;
        !self.spent()
    }

    pub(super) fn spent(&self) -> bool {
        self.counters.nodes > self.most
    }
}
