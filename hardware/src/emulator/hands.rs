//! Splits hand motions into movements without duration, and applies them to the emulated board, its clock and its power switch.

use flagfall_protocols::drivers::dgt::host_decoder::HostDecoder;
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::Instant;

use super::answers::Mode;
use super::board::Emulator;
use super::clock::Clock;
use super::clock_model::Method;
use super::port::Port;
use super::scan::Scan;
use super::script::{Action, Script};
use super::simulated_board::{self, Impossible, SimulatedBoard};

/// A hand movement without duration.
#[derive(Clone, Copy, Debug)]
pub(super) enum Motion {
    Do(Action),
    Shift(Square, Square),
    FaultsOver,
    OtherClock,
}

/// Applies a movement to the board's pieces at `now`. Returns the movement if it concerns the clock, its cable or the power
/// switch.
pub(super) fn apply_to_board(board: &mut SimulatedBoard, now: Instant, motion: Motion) -> Result<Option<Motion>, Impossible> {
    let action = match motion {
        Motion::Do(action) => action,
        Motion::Shift(from, to) => return board.shift(from, to).map(|()| None),
        Motion::FaultsOver => {
            board.end_faults(now);
            return Ok(None);
        }
        Motion::OtherClock => return Ok(Some(motion)),
    };
    match action {
        Action::Board(pieces) => board.set_up(pieces),
        Action::Lift(square) => board.lift(square)?,
        Action::Place(square, piece) => board.place(square, piece)?,
        Action::Drop => board.drop()?,
        Action::Misread { square, piece, lasts } => {
            board.misread(square, piece.map_or(Reading::Empty, Reading::Piece), now.after(lasts));
        }
        Action::Dropout { square, lasts } => board.misread(square, Reading::Empty, now.after(lasts)),
        // A move, and a slide on a straight line, were split when the script was loaded.
        Action::Move { .. } => {}
        Action::Slide { from, to, .. } => return Err(Impossible::NotStraight(from, to)),
        _ => return Ok(Some(motion)),
    }
    Ok(None)
}

/// Applies a movement to the clock and its cable. Returns the new position of the power switch if the movement turned it.
pub(super) fn apply_to_port(port: &mut Port, now: Instant, motion: Motion) -> Result<Option<bool>, Impossible> {
    let action = match motion {
        Motion::OtherClock => {
            let clock = port.clock.take().ok_or(Impossible::NoClock)?;
            port.clock = Some(Clock::new(clock.settings().clone(), now));
            port.plug(true);
            return Ok(None);
        }
        Motion::Do(Action::Power(on)) => return Ok(Some(on)),
        Motion::Do(action) => action,
        // The board has handled these already.
        Motion::Shift(..) | Motion::FaultsOver => return Ok(None),
    };
    let clock = port.clock.as_mut().ok_or(Impossible::NoClock)?;
    match action {
        Action::Connect => port.plug(true),
        Action::Disconnect | Action::Replace => port.plug(false),
        _ => apply_to_clock(clock, action)?,
    }
    Ok(None)
}

/// Applies an action to the clock itself.
pub(super) fn apply_to_clock(clock: &mut Clock, action: Action) -> Result<(), Impossible> {
    let only_while_stopped = |done: bool| done.then_some(()).ok_or(Impossible::ClockRuns);
    match action {
        Action::Press(side) => clock.press(side),
        Action::Run => clock.run(),
        Action::Stop => clock.stop(),
        Action::Set { left, right } => return only_while_stopped(clock.set(left, right)),
        Action::Additional(time) => return only_while_stopped(clock.set_method(Method::Fischer, time)),
        Action::Bronstein(time) => return only_while_stopped(clock.set_method(Method::Bronstein, time)),
        Action::Delay(time) => return only_while_stopped(clock.set_method(Method::UsDelay, time)),
        Action::FlagSignOff(side) => clock.flag_sign_off(side),
        // The caller handles the cable.
        _ => return Err(Impossible::NoClock),
    }
    Ok(())
}

impl Emulator {
    pub(super) fn carry_out(&mut self, motion: Motion) -> Result<(), Impossible> {
        if let Some(motion) = apply_to_board(&mut self.squares, self.now, motion)?
            && let Some(on) = apply_to_port(&mut self.port, self.now, motion)?
        {
            self.power(on);
        }
        Ok(())
    }

    fn power(&mut self, on: bool) {
        if on == self.powered {
            return;
        }
        self.powered = on;
        self.mode = Mode::Idle;
        self.decoder = HostDecoder::new();
        self.line.drop_unsent(self.now);
        if on {
            self.scan = Scan::new(self.now, self.settings.scan, self.squares.seen());
            self.memory.power_up(self.scan.reported());
            self.port.power_up(self.now);
        }
    }
}

/// Splits `action`, which begins at `at`, into movements.
pub(super) fn expand(at: Instant, action: Action, motions: &mut Vec<(Instant, Motion)>) {
    match action {
        Action::Move { from, to } => {
            motions.push((at, Motion::Do(Action::Lift(from))));
            motions.push((at.after(Script::MOVE_LASTS), Motion::Do(Action::Place(to, None))));
        }
        Action::Slide { from, to, lasts } => {
            let Some(path) = simulated_board::line_between(from, to) else { return motions.push((at, Motion::Do(action))) };
            let mut before = from;
            for (step, &square) in (1u32..).zip(&path) {
                let when = lasts.saturating_mul(step) / path.len() as u32;
                motions.push((at.after(when), Motion::Shift(before, square)));
                before = square;
            }
        }
        Action::Misread { lasts, .. } | Action::Dropout { lasts, .. } => {
            motions.push((at, Motion::Do(action)));
            motions.push((at.after(lasts), Motion::FaultsOver));
        }
        Action::Replace => {
            motions.push((at, Motion::Do(action)));
            motions.push((at.after(Script::REPLACE_LASTS), Motion::OtherClock));
        }
        _ => motions.push((at, Motion::Do(action))),
    }
}
