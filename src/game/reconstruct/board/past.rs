//! What the board showed before.

use alloc::vec::Vec;

use flagfall_protocols::time::Instant;

use super::PhysicalBoard;
use crate::men::Men;

impl PhysicalBoard {
    /// The board as it was at `then`, and the changes since then that are kept: when, the square, and the man that it shows since.
    pub(crate) fn rewound(&self, then: Instant) -> (PhysicalBoard, Vec<(Instant, u8, u8)>) {
        let (mut past, mut changes) = (self.clone(), Vec::new());
        while let Some(change) = past.ring.pop_back_if(|last| last.at > then) {
            let square = usize::from(change.square);
            changes.push((change.at, change.square, past.men[square]));
            past.men[square] = change.before;
            past.changed_at[square] = past.changed_before[square];
            let earlier = past.changes_of(change.square).nth(1).map(|earlier| earlier.at);
            past.changed_before[square] = earlier.unwrap_or(Instant::ZERO);
        }
        past.last_change = past.changed_at(u64::MAX);
        changes.reverse();
        (past, changes)
    }

    /// Repeats a change on a board of the past.
    pub(crate) fn repeat_change(&mut self, (at, square, man): (Instant, u8, u8)) {
        self.set_square(at, usize::from(square), man);
    }

    /// The boards that stood since `from`, each with the moment at which it began. The newest board comes first: it is the
    /// present one.
    pub(crate) fn past(&self, from: Instant) -> impl Iterator<Item = (Instant, Men)> {
        let mut men = self.men;
        let mut index = self.ring.len();
        let mut ended = Instant(u64::MAX);
        core::iter::from_fn(move || {
            if ended <= from {
                return None;
            }
            // Changes of the same moment come from one report of the device: the boards between them never stood.
            let began = match index.checked_sub(1) {
                Some(last) => self.ring[last].at,
                None => Instant::ZERO,
            };
            let shown = (began, men);
            while let Some(last) = index.checked_sub(1)
                && self.ring[last].at == began
            {
                men[usize::from(self.ring[last].square)] = self.ring[last].before;
                index = last;
            }
            ended = if began == Instant::ZERO { from } else { began };
            Some(shown)
        })
    }
}
