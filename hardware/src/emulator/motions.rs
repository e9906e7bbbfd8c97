//! Hand movements that wait for their time, and those that could not be done.

use std::collections::VecDeque;

use flagfall_protocols::time::Instant;

use super::board::Counters;
use super::hands::{Motion, expand};
use super::script::Script;
use super::simulated_board::Impossible;

/// Hand movements that may wait; more are counted as [`Counters::not_loaded`].
const MAX_MOTIONS: usize = 4_000_000;
/// How many impossible movements are kept with their time; all are counted.
const MAX_KEPT: usize = 100;

/// The hands at one board.
#[derive(Clone, Debug, Default)]
pub(super) struct Motions {
    waiting: VecDeque<(Instant, Motion)>,
    impossible: Vec<(Instant, Impossible)>,
}

impl Motions {
    /// Adds those of a script that begins now.
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

    /// When the hands move next.
    pub(super) fn next(&self) -> Option<Instant> {
        self.waiting.front().map(|(at, _)| *at)
    }

    /// What they do then.
    pub(super) fn pop(&mut self) -> Option<Motion> {
        self.waiting.pop_front().map(|(_, motion)| motion)
    }

    /// It could not be done.
    pub(super) fn record_failure(&mut self, at: Instant, problem: Impossible, counters: &mut Counters) {
        counters.impossible += 1;
        if self.impossible.len() < MAX_KEPT {
            self.impossible.push((at, problem));
        }
    }

    /// The first hundred that could not be done.
    pub(super) fn impossible(&self) -> &[(Instant, Impossible)] {
        &self.impossible
    }
}
