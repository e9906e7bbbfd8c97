//! What boards other than DGT's have in common: the hands, what lies on the table, the line, the power switch.

use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::board::Counters;
use super::clock::Clock;
use super::hands::{Motion, at_clock, at_table};
use super::line::Line;
use super::motions::Motions;
use super::script::{Action, Script};
use super::table::{Impossible, Table};

#[derive(Clone, Debug)]
pub(super) struct Bench {
    pub(super) now: Instant,
    pub(super) powered: bool,
    pub(super) line: Line,
    pub(super) counters: Counters,
    table: Table,
    motions: Motions,
}

impl Bench {
    pub(super) fn new(placement: Placement, line: Line) -> Bench {
        Bench {
            now: Instant::ZERO,
            powered: true,
            line,
            counters: Counters::default(),
            table: Table::new(placement),
            motions: Motions::default(),
        }
    }

    pub(super) fn load(&mut self, script: &Script) {
        self.motions.load(self.now, script, &mut self.counters);
    }

    /// What the sensors see.
    pub(super) fn seen(&self) -> Placement {
        self.table.seen()
    }

    /// When the hands move next.
    pub(super) fn moves(&self) -> Option<Instant> {
        self.motions.next()
    }

    /// The hands move, at a board without a clock. Gives the new position of the power switch if that was turned.
    pub(super) fn carry_out(&mut self) -> Option<bool> {
        self.carry_out_with(None)
    }

    /// The same at a board with a clock.
    pub(super) fn carry_out_with(&mut self, clock: Option<&mut Clock>) -> Option<bool> {
        let motion = self.motions.take()?;
        let done = match (at_table(&mut self.table, self.now, motion), clock) {
            (Ok(Some(Motion::Do(Action::Power(on)))), _) => return (on != self.powered).then(|| self.power(on)),
            (Ok(Some(Motion::Do(action))), Some(clock)) => at_clock(clock, action),
            (Ok(Some(_)), _) => Err(Impossible::NoClock),
            (done, _) => done.map(drop),
        };
        if let Err(problem) = done {
            self.motions.failed(self.now, problem, &mut self.counters);
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
        self.motions.impossible()
    }
}
