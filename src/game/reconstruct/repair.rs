//! Moves that no board has shown: looked for when no reading explains what stands there.

use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::men;
use crate::reconstruct::Decoder;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::hypothesis::{Hypothesis, Scene};

/// The least that must be unexplained before moves are looked for that were never shown.
const UNEXPLAINED: i32 = 45;
/// Readings from which they are looked for.
const FROM: usize = 4;

impl Decoder {
    /// Looks for two moves, of which the board has shown the second only; true if it found any.
    pub(super) fn look_further(&mut self, scene: &Scene<'_>) -> bool {
        let base = self.record.node();
        let changed = scene.board.last_change();
        let due = scene.now >= changed.after(still_for(scene.scan)) && self.looked != Some(changed);
        if !due || self.beam.best().mismatch(base, scene) < UNEXPLAINED {
            return false;
        }
        self.looked = Some(changed);
        let mut found = alloc::vec::Vec::new();
        for hypothesis in self.beam.iter().take(FROM) {
            found.extend(self.two_moves(hypothesis, scene));
        }
        let any = !found.is_empty();
        found.into_iter().for_each(|hypothesis| self.beam.add(hypothesis));
        any
    }

    fn two_moves(&self, hypothesis: &Hypothesis, scene: &Scene<'_>) -> alloc::vec::Vec<Hypothesis> {
        let node = hypothesis.line.top(self.record.node());
        let board = scene.board.men();
        let changed = men::difference(&node.men, board);
        let mut found = alloc::vec::Vec::new();
        for first in node.table().iter().filter(|first| first.mask & changed != 0) {
            let after = node.after(first.mv);
            let Some(reply) = after.exact(board) else { continue };
            let Some(second) = after.table().iter().find(|candidate| candidate.mv == reply) else { continue };
            let made = scene.board.done(scene.board.changed_at(second.mask), scene.scan);
            let since = scene.board.changed_at(first.mask & changed).before(scene.scan);
            let unseen = Interval { earliest: since.min(made.earliest), latest: made.latest };
            let mut longer = hypothesis.clone();
            longer.add(node, first, unseen, unseen.latest.min(scene.board.changed_first(first.mask & changed)), false, scene.scan);
            longer.add(&after, second, made, made.latest, true, scene.scan);
            found.push(longer);
        }
        found
    }

    pub(super) fn repair_times(&self, now: Instant, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        let due = board.last_change().after(still_for(self.scan));
        if due > now && self.looked != Some(board.last_change()) && self.line().top(self.record.node()).men != *board.men() {
            at(due);
        }
    }
}

/// How long the board must have been still: two scans, so that no report is on its way.
const fn still_for(scan: Duration) -> Duration {
    scan.saturating_mul(2)
}
