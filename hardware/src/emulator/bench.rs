//! What boards without a clock have in common: the hands, what lies on the table, the line, the power switch.

use std::collections::VecDeque;

use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::board::Counters;
use super::hands::{Motion, at_table, expand};
use super::line::Line;
use super::script::{Action, Script};
use super::table::{Impossible, Table};

/// Hand movements that may wait; more are counted as [`Counters::not_loaded`].
const MAX_MOTIONS: usize = 4_000_000;
/// How many impossible movements are kept with their time; all are counted.
const MAX_KEPT: usize = 100;

#[derive(Clone, Debug)]
pub(super) struct Bench {
    pub(super) now: Instant,
    pub(super) powered: bool,
    pub(super) line: Line,
    pub(super) counters: Counters,
    table: Table,
    motions: VecDeque<(Instant, Motion)>,
    impossible: Vec<(Instant, Impossible)>,
}

impl Bench {
    pub(super) fn new(placement: Placement, line: Line) -> Bench {
        Bench {
            now: Instant::ZERO,
            powered: true,
            line,
            counters: Counters::default(),
            table: Table::new(placement),
            motions: VecDeque::new(),
            impossible: Vec::new(),
        }
    }

    pub(super) fn load(&mut self, script: &Script) {
        let mut motions: Vec<(Instant, Motion)> = self.motions.drain(..).collect();
        for step in script.steps() {
            expand(self.now.after(step.at), step.action, &mut motions);
        }
        motions.sort_by_key(|(at, _)| *at);
        self.counters.not_loaded += motions.len().saturating_sub(MAX_MOTIONS) as u64;
        motions.truncate(MAX_MOTIONS);
        self.motions = motions.into();
    }

    /// What the sensors see.
    pub(super) fn seen(&self) -> Placement {
        self.table.seen()
    }

    /// When the hands move next.
    pub(super) fn moves(&self) -> Option<Instant> {
        self.motions.front().map(|(at, _)| *at)
    }

    /// The hands move. Gives the new position of the power switch if that was turned.
    pub(super) fn carry_out(&mut self) -> Option<bool> {
        let (_, motion) = self.motions.pop_front()?;
        let problem = match at_table(&mut self.table, self.now, motion) {
            Ok(None) => return None,
            Ok(Some(Motion::Do(Action::Power(on)))) => return (on != self.powered).then(|| self.power(on)),
            Ok(Some(_)) => Impossible::NoClock,
            Err(problem) => problem,
        };
        self.counters.impossible += 1;
        if self.impossible.len() < MAX_KEPT {
            self.impossible.push((self.now, problem));
        }
        None
    }

    fn power(&mut self, on: bool) -> bool {
        self.powered = on;
        self.line.cut(self.now);
        on
    }

    pub(super) fn arrive(&mut self, at: Instant) {
        self.now = self.now.max(at);
    }

    pub(super) fn counters(&self) -> Counters {
        Counters { lost: self.line.lost, ..self.counters }
    }

    pub(super) fn impossible(&self) -> &[(Instant, Impossible)] {
        &self.impossible
    }
}
