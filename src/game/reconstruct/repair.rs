//! Moves that no board has shown: looked for when no reading explains what stands there.

use alloc::vec::Vec;

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
        let due = scene.now >= changed.after(scene.scan) && self.looked != Some(changed);
        let best = self.beam.best();
        if !due || (best.waiting.is_empty() && best.mismatch(base, scene) < UNEXPLAINED) {
            return false;
        }
        self.looked = Some(changed);
        let mut found = Vec::new();
        for hypothesis in self.beam.iter().take(FROM) {
            self.two_moves(hypothesis, scene, &mut found);
        }
        found.into_iter().fold(false, |any, hypothesis| self.beam.add(hypothesis) | any)
    }

    fn two_moves(&self, hypothesis: &Hypothesis, scene: &Scene<'_>, found: &mut Vec<Hypothesis>) {
        let base = self.record.node();
        let node = hypothesis.line.top(base);
        let board = scene.board.men();
        let changed = men::difference(&node.men, board) & !hypothesis.dead;
        for first in node.table().iter().filter(|first| first.mask & changed != 0 && !first.shown_by(board, 0)) {
            let after = node.after(first.mv);
            for second in
                after.table().iter().filter(|second| second.shown_by(board, hypothesis.dead) && second.mask & first.mask != 0)
            {
                let made = scene.board.done(scene.board.changed_at(second.mask), scene.scan);
                let begun = scene.board.changed_first(first.mask & changed);
                let unseen = Interval { earliest: begun.before(scene.scan).min(made.earliest), latest: made.latest };
                let mut longer = hypothesis.clone();
                longer.add(node, first, unseen, begun, false, scene.scan);
                longer.add(&after, second, made, made.latest, true, scene.scan);
                if longer.mismatch(base, scene) <= scene.tuning.weights.viable {
                    found.push(longer);
                }
            }
        }
    }

    /// A press is about to be given up: was its move made to a square whose sensor is dead? What never showed a man may be.
    pub(super) fn suspect_dead_squares(&mut self, scene: &Scene<'_>) {
        let base = self.record.node();
        let board = scene.board.men();
        let mut found = Vec::new();
        for hypothesis in self.beam.iter().take(FROM).filter(|hypothesis| !hypothesis.waiting.is_empty()) {
            let node = hypothesis.line.top(base);
            let changed = men::difference(&node.men, board) & !hypothesis.dead;
            for candidate in node.table().iter().filter(|candidate| candidate.mask & changed != 0) {
                let Some(missing) = candidate.missing(board).filter(|&square| !scene.board.has_shown_a_man(square)) else {
                    continue;
                };
                let made = scene.board.done(scene.board.changed_at(candidate.mask), scene.scan);
                let mut longer = hypothesis.clone();
                longer.dead |= 1 << missing;
                longer.penalty += scene.tuning.weights.dead;
                longer.add(node, candidate, made, made.latest, true, scene.scan);
                longer.infer_last();
                if longer.waiting.len() < hypothesis.waiting.len() && longer.mismatch(base, scene) <= scene.tuning.weights.viable
                {
                    found.push(longer);
                }
            }
        }
        found.into_iter().for_each(|hypothesis| _ = self.beam.add(hypothesis));
    }

    pub(super) fn repair_times(&self, now: Instant, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        let due = board.last_change().after(self.scan);
        if due > now && self.looked != Some(board.last_change()) && self.line().top(self.record.node()).men != *board.men() {
            at(due);
        }
    }
}
