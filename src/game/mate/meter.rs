//! What a question has cost so far, and what it may.

use super::reason::Counters;

/// Counts positions against the budget.
pub(super) struct Meter {
    pub(super) counters: Counters,
    most: u64,
    /// Steps of work that are no whole position yet.
    steps: u64,
}

impl Meter {
    pub(super) fn new(most: u64) -> Self {
        Self { counters: Counters::default(), most, steps: 0 }
    }

    /// One position more; false if the budget does not allow it.
    pub(super) fn step(&mut self) -> bool {
        self.counters.nodes += 1;
        !self.spent()
    }

    /// Work that generates no positions, in steps of which a position takes about eight.
    pub(super) fn work(&mut self, steps: u64) {
        self.steps += steps;
        self.counters.nodes += self.steps / 8;
        self.steps %= 8;
    }

    pub(super) fn spent(&self) -> bool {
        self.counters.nodes > self.most
    }
}
