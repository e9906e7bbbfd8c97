//! Remembers positions without a mate in the moves that were left.

use alloc::vec;
use alloc::vec::Vec;

use crate::mate::arena::spread;
use crate::mate::key::Key;

/// The words of one entry: the key, and the number of half-moves.
const WORDS: usize = 5;
/// The number of neighbouring places where an entry may lie.
const PLACES: usize = 4;

/// The bytes of one entry.
pub(super) const BYTES_EACH: usize = WORDS * 8;

/// A table of positions, each with the largest number of half-moves within which it has no mate. A full table forgets some.
pub(super) struct Failed {
    words: Vec<u64>,
    mask: usize,
}

impl Failed {
    /// A table that takes at most so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let entries = (bytes / BYTES_EACH).max(2 * PLACES);
        let size = if entries.is_power_of_two() { entries } else { entries.next_power_of_two() / 2 };
        // Memory that is never used costs nothing.
        Self { words: vec![0; size * WORDS], mask: size - 1 }
    }

    /// True if the position is known to have no mate within so many half-moves.
    pub(super) fn holds(&self, key: &Key, left: u64) -> bool {
        self.places(key).any(|at| self.words[at..at + 4] == *key && self.words[at + 4] >= left)
    }

    /// Keeps the position. If there is no room, the entry of the fewest half-moves goes.
    pub(super) fn keep(&mut self, key: &Key, left: u64) {
        let same = self.places(key).find(|at| self.words[*at..*at + 4] == *key);
        let Some(at) = same.or_else(|| self.places(key).min_by_key(|at| self.words[*at + 4])) else { return };
        self.words[at..at + 4].copy_from_slice(key);
        self.words[at + 4] = left;
    }

    fn places(&self, key: &Key) -> impl Iterator<Item = usize> + use<> {
        let (first, mask) = (spread(key) as usize, self.mask);
        (0..PLACES).map(move |place| ((first.wrapping_add(place)) & mask) * WORDS)
    }
}
