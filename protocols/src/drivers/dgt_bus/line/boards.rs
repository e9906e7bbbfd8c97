//! What a line knows of one board, and what is wanted of it.

use crate::drivers::dgt::clock::{ClockMessage, Status};
use crate::drivers::dgt_bus::frame::Command;
use crate::event::ClockSide;
use crate::time::Instant;

/// Below this on the running side a board's clock is asked more often, in milliseconds.
const SHORT: u32 = 60_000;

/// What is wanted of a board besides its turn: a bit each, so that nothing waits twice.
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

    /// The wish of a question that a board's driver may ask; changes are the line's own to ask for, or one would be lost.
    pub(super) fn for_command(command: Command) -> Option<Want> {
        Want::ALL.into_iter().find(|(_, own)| *own == command).map(|(want, _)| want)
    }
}

/// One board.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) address: u16,
    pub(super) answering: bool,
    /// When its turn was last, and its last whole picture.
    pub(super) turned: Option<Instant>,
    pub(super) pictured: Instant,
    pub(super) clocked: Instant,
    /// The side whose time runs has less than a minute.
    pub(super) short: bool,
    /// Its last packet of changes never came: it is asked for before new ones are.
    pub(super) unsure: bool,
    /// How many questions in a row were given up.
    pub(super) failed: u8,
    /// How often its log came broken since it came whole.
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

    /// The next thing that is wanted, if something is to be asked now: a picture before a log, and no log unless there are to be
    /// `logs`. A lost packet comes first: the picture is compared with what follows it.
    pub(super) fn next_want(&self, logs: bool) -> Option<Command> {
        let asks = self.answering && !self.unsure;
        let wanted = |want: Want| self.wants & 1 << want as u8 != 0 && (logs || want != Want::FromStart);
        Want::ALL.into_iter().find(|(want, _)| asks && wanted(*want)).map(|(_, command)| command)
    }

    /// It was asked, so that it is asked again only if it is wanted again.
    pub(super) fn clear_want(&mut self, command: Command) {
        if let Some(want) = Want::for_command(command) {
            self.wants &= !(1 << want as u8);
        }
    }

    /// The seven bytes of its clock.
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
