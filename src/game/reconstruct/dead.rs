//! Squares whose sensors are dead: what never showed a man may have one.

use alloc::vec::Vec;

use crate::men::{self, EMPTY};
use crate::reconstruct::Decoder;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::candidates::Candidate;
use crate::reconstruct::hypothesis::{Hypothesis, Scene};
use crate::reconstruct::repair::FROM;

impl Decoder {
    /// A press is about to be given up: was its move made to a square whose sensor is dead? What never showed a man may be.
    pub(super) fn suspect_dead_squares(&mut self, scene: &Scene<'_>) {
        let base = self.record.node();
        let board = scene.board.men();
        let mut found = Vec::new();
        for hypothesis in self.beam.iter().take(FROM).filter(|hypothesis| !hypothesis.waiting.is_empty()) {
            let node = hypothesis.line.top(base);
            let changed = men::difference(&node.men, board) & !hypothesis.dead;
            for candidate in node.table().iter().filter(|candidate| candidate.mask & changed != 0) {
                let Some(missing) = dead_square(candidate, scene.board) else { continue };
                let made = scene.board.done(scene.board.changed_at(candidate.mask), scene.scan);
                let mut longer = hypothesis.clone();
                longer.dead |= 1 << missing;
                longer.penalty += scene.tuning.weights.dead;
                longer.add(node, candidate, made, made.latest, true, scene);
                longer.infer_last();
                if longer.waiting.len() < hypothesis.waiting.len() && longer.mismatch(base, scene) <= scene.tuning.weights.viable
                {
                    found.push(longer);
                }
            }
        }
        found.into_iter().for_each(|hypothesis| _ = self.beam.add(hypothesis));
    }

    /// The man of a move that was pressed is on no square: it may have gone on to one whose sensor is dead.
    pub(super) fn went_to_dead_squares(&self, scene: &Scene<'_>, found: &mut Vec<Hypothesis>) {
        let base = self.record.node();
        let board = scene.board.men();
        let best = self.beam.best();
        let [only] = best.line.plies() else { return };
        if !scene.board.identifies() || board[only.mv.to().to_usize()] != EMPTY {
            return;
        }
        for candidate in base.table().iter().filter(|candidate| candidate.mv.from() == only.mv.from()) {
            let Some(missing) = dead_square(candidate, scene.board) else { continue };
            let penalty = scene.tuning.weights.dead;
            let mut reading = Hypothesis { dead: best.dead | 1 << missing, penalty, ..Hypothesis::default() };
            let made = scene.board.done(scene.board.changed_at(candidate.mask), scene.scan);
            reading.add(base, candidate, made, made.latest, true, scene);
            reading.infer_last();
            reading.pressed_by(self.heard.iter().rev().copied(), scene.scan);
            reading.judge(base, scene);
            found.push(reading);
        }
    }
}

/// The one square that would have to be dead for this move to stand on the board: it has never shown a man.
fn dead_square(candidate: &Candidate, board: &PhysicalBoard) -> Option<u8> {
    candidate.missing(board.men()).filter(|&square| !board.has_shown_a_man(square))
}
