//! Finds squares with dead sensors. Only a square that has never shown a man can be one.

use alloc::vec::Vec;

use crate::men;
use crate::reconstruct::Decoder;
use crate::reconstruct::hypothesis::Scene;
use crate::reconstruct::repair::READINGS_TRIED;
use crate::reconstruct::route::went_elsewhere;

impl Decoder {
    /// Before a press is given up: checks whether its move went to a square with a dead sensor.
    pub(super) fn suspect_dead_squares(&mut self, scene: &Scene<'_>) {
        // Where men are not identified, the man may as well have made an illegal capture, and its square may be any occupied one.
        if scene.sensing.hides_captures() {
            return;
        }
        let base = self.record.node();
        let board = scene.board.men();
        let sure = self.last_sure();
        let mut found = Vec::new();
        for hypothesis in self.beam.iter().take(READINGS_TRIED).filter(|hypothesis| !hypothesis.waiting.is_empty()) {
            let node = hypothesis.line.top(base);
            let changed = men::difference(&node.men, board) & !hypothesis.dead;
            for candidate in node.table().iter().filter(|candidate| candidate.mask & changed != 0) {
                let Some(missing) = candidate.dead_square(scene.board) else { continue };
                let pressed = hypothesis.waiting.first().map(|pressed| pressed.at.latest);
                if went_elsewhere(candidate, node, sure.last_shown(hypothesis), pressed, scene) {
                    continue;
                }
                let made = scene.board.done_within(scene.board.changed_at(candidate.mask), scene.scan);
                let mut longer = hypothesis.clone();
                longer.dead |= 1 << missing;
                longer.penalty += scene.tuning.weights.dead;
                longer.add(node, candidate, made, made.latest, true, scene);
                longer.infer_last();
                if longer.waiting.len() < hypothesis.waiting.len()
                    && !longer.last_man_stands_elsewhere(board)
                    && longer.mismatch(base, scene) <= scene.tuning.weights.viable
                {
                    found.push(longer);
                }
            }
        }
        found.into_iter().for_each(|hypothesis| _ = self.beam.add(hypothesis));
    }
}
