//! Holds the state of each board on a line, and the questions that wait for it.

use crate::drivers::dgt::clock::{ClockMessage, Status};
use crate::drivers::dgt_bus::frame::Command;
use crate::event::ClockSide;
use crate::time::Instant;

/// The time of the running side, in milliseconds, below which a board's clock is asked more often.
const SHORT: u32 = 60_000;

/// The questions for a board besides its turn. Each is one bit, so that no question waits twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Version,
    Clock,
    Board,
    FromStart,
    Ping,
}

impl Want {
    const ALL: [(Want, Command); 5] = [
        (Want::Version, Command::SendVersion),
        (Want::Clock, Command::SendClock),
        (Want::Board, Command::SendBoard),
        (Want::FromStart, Command::SendFromStart),
        (Want::Ping, Command::Ping),
    ];

    /// Returns the entry for a question of a board's driver. A driver may not ask for changes: only the line asks for them,
    /// otherwise one would be lost.
    pub(super) fn for_command(command: Command) -> Option<Want> {
        Want::ALL.into_iter().find(|(_, own)| *own == command).map(|(want, _)| want)
    }
}

/// One board.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) address: u16,
    pub(super) answering: bool,
    /// The times of its last turn, of its last whole picture and of its last clock report.
    pub(super) turned: Option<Instant>,
    pub(super) pictured: Instant,
    pub(super) clocked: Instant,
    /// The running side has less than a minute.
    pub(super) short: bool,
    /// Its last packet of changes never came. It is asked for before new changes.
    pub(super) unsure: bool,
    /// The number of consecutive questions that were given up.
    pub(super) failed: u8,
    /// The number of broken logs since the last complete one.
    pub(super) logs: u8,
    wants: u8,
}

impl Board {
    pub(super) const fn new(address: u16, at: Instant) -> Board {
        Board {
            address,
            answering: false,
            turned: None,
            pictured: at,
            clocked: at,
            short: false,
            unsure: false,
            failed: 0,
            logs: 0,
            wants: 0,
        }
    }

    pub(super) const fn want(&mut self, want: Want) {
        self.wants |= 1 << want as u8;
    }

    /// Returns the next question, if one may be asked now. A picture comes before a log, and a log is asked for only if `logs`
    /// is set. A lost packet comes first, because the picture is compared with the packet that follows it.
    pub(super) fn next_want(&self, logs: bool) -> Option<Command> {
        let asks = self.answering && !self.unsure;
        let wanted = |want: Want| self.wants & 1 << want as u8 != 0 && (logs || want != Want::FromStart);
        Want::ALL.into_iter().find(|(want, _)| asks && wanted(*want)).map(|(_, command)| command)
    }

    /// Removes a question that has been asked.
    pub(super) fn clear_want(&mut self, command: Command) {
        if let Some(want) = Want::for_command(command) {
            self.wants &= !(1 << want as u8);
        }
    }

    /// Records the seven bytes of its clock.
    pub(super) fn record_clock(&mut self, at: Instant, raw: &[u8; 7]) {
        self.clocked = at;
        let ClockMessage::Report(report) = ClockMessage::decode(raw) else { return };
        let running = report.status.has(Status::RUNNING) && !report.status.has(Status::NO_CLOCK);
        let face = match report.status.turn().unwrap_or(report.status.lever_up()) {
            ClockSide::Left => report.left,
            ClockSide::Right => report.right,
        };
        self.short = running && face.time().is_some_and(|time| time.millis() < SHORT);
    }
}
