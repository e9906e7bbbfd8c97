//! Holds the parts that all emulated boards other than DGT boards share: hand motions, pieces, line and power switch.

use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::board::Counters;
use super::clock::Clock;
use super::hands::{Motion, apply_to_board, apply_to_clock};
use super::line::Line;
use super::motions::Motions;
use super::script::{Action, Script};
use super::simulated_board::{Impossible, SimulatedBoard};

#[derive(Clone, Debug)]
pub(super) struct EmulatorCore {
    pub(super) now: Instant,
    pub(super) powered: bool,
    pub(super) line: Line,
    pub(super) counters: Counters,
    squares: SimulatedBoard,
    motions: Motions,
}

impl EmulatorCore {
    pub(super) fn new(placement: Placement, line: Line) -> EmulatorCore {
        EmulatorCore {
            now: Instant::ZERO,
            powered: true,
            line,
            counters: Counters::default(),
            squares: SimulatedBoard::new(placement),
            motions: Motions::default(),
        }
    }

    pub(super) fn load(&mut self, script: &Script) {
        self.motions.load(self.now, script, &mut self.counters);
    }

    /// Returns the pieces that the sensors see.
    pub(super) fn seen(&self) -> Placement {
        self.squares.seen()
    }

    /// Returns the time of the next hand movement.
    pub(super) fn next_motion(&self) -> Option<Instant> {
        self.motions.next()
    }

    /// Carries out the next hand movement, at a board without a clock. Returns the new position of the power switch if the
    /// movement turned it.
    pub(super) fn carry_out_motion(&mut self) -> Option<bool> {
        self.carry_out_motion_with(None)
    }

    /// The same as [`carry_out_motion`](EmulatorCore::carry_out_motion), at a board with a clock.
    pub(super) fn carry_out_motion_with(&mut self, clock: Option<&mut Clock>) -> Option<bool> {
        let motion = self.motions.pop()?;
        let done = match (apply_to_board(&mut self.squares, self.now, motion), clock) {
            (Ok(Some(Motion::Do(Action::Power(on)))), _) => return (on != self.powered).then(|| self.power(on)),
            (Ok(Some(Motion::Do(action))), Some(clock)) => apply_to_clock(clock, action),
            (Ok(Some(_)), _) => Err(Impossible::NoClock),
            (done, _) => done.map(drop),
        };
        if let Err(problem) = done {
            self.motions.record_failure(self.now, problem, &mut self.counters);
        }
        None
    }

    fn power(&mut self, on: bool) -> bool {
        self.powered = on;
        self.line.drop_unsent(self.now);
        on
    }

    pub(super) fn advance_time(&mut self, at: Instant) {
        self.now = self.now.max(at);
    }

    pub(super) fn counters(&self) -> Counters {
        Counters { lost: self.line.lost, ..self.counters }
    }

    pub(super) fn impossible(&self) -> &[(Instant, Impossible)] {
        self.motions.impossible()
    }
}
