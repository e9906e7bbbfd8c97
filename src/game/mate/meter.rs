//! Counts the positions that a question to the mate solver has cost so far, and compares the number with its limit.

use super::reason::Counters;

/// Counts positions against the budget.
pub(super) struct Meter {
    pub(super) counters: Counters,
    most: u64,
    /// The steps of work that do not yet make a whole position.
    steps: u64,
}

impl Meter {
    pub(super) fn new(most: u64) -> Self {
        Self { counters: Counters::default(), most, steps: 0 }
    }

    /// Counts one more position. Returns false if the budget does not allow it.
    pub(super) fn step(&mut self) -> bool {
        self.counters.nodes += 1;
        !self.spent()
    }

    /// Counts work that generates no positions. About eight steps count as one position.
    pub(super) fn work(&mut self, steps: u64) {
        self.steps += steps;
        self.counters.nodes += self.steps / 8;
        self.steps %= 8;
    }

    pub(super) fn spent(&self) -> bool {
        self.counters.nodes > self.most
    }
}
