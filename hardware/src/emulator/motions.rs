//! Stores the hand movements that an emulated board carries out later, and the movements that were impossible.

use std::collections::VecDeque;

use flagfall_protocols::time::Instant;

use super::board::Counters;
use super::hands::{Motion, expand};
use super::script::Script;
use super::simulated_board::Impossible;

/// The largest number of waiting hand movements. Further ones are counted as [`Counters::not_loaded`].
const MAX_MOTIONS: usize = 4_000_000;
/// The largest number of impossible movements that are stored with their times. All of them are counted.
const MAX_KEPT: usize = 100;

/// The waiting and the impossible hand movements at one emulated board.
#[derive(Clone, Debug, Default)]
pub(super) struct Motions {
    waiting: VecDeque<(Instant, Motion)>,
    impossible: Vec<(Instant, Impossible)>,
}

impl Motions {
    /// Adds the movements of a script that begins now.
    pub(super) fn load(&mut self, now: Instant, script: &Script, counters: &mut Counters) {
        let mut motions: Vec<(Instant, Motion)> = self.waiting.drain(..).collect();
        for step in script.steps() {
            expand(now.after(step.at), step.action, &mut motions);
        }
        motions.sort_by_key(|(at, _)| *at);
        counters.not_loaded += motions.len().saturating_sub(MAX_MOTIONS) as u64;
        motions.truncate(MAX_MOTIONS);
        self.waiting = motions.into();
    }

    /// Returns the time of the next movement.
    pub(super) fn next(&self) -> Option<Instant> {
        self.waiting.front().map(|(at, _)| *at)
    }

    /// Removes and returns the next movement.
    pub(super) fn pop(&mut self) -> Option<Motion> {
        self.waiting.pop_front().map(|(_, motion)| motion)
    }

    /// Records an impossible movement.
    pub(super) fn record_failure(&mut self, at: Instant, problem: Impossible, counters: &mut Counters) {
        counters.impossible += 1;
        if self.impossible.len() < MAX_KEPT {
            self.impossible.push((at, problem));
        }
    }

    /// Returns the first hundred impossible movements.
    pub(super) fn impossible(&self) -> &[(Instant, Impossible)] {
        &self.impossible
    }
}
