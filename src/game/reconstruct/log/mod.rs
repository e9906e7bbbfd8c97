//! The log that a board keeps by itself, as the source for the repair of a gap (`dgt/README.md#7`).
//!
//! It holds every change in its order, and the presses, but no times of day. Two limits: changes of one and the same piece
//! overwrite each other, and a press may be missing when moves are very fast.

#[cfg(test)]
mod hand;
mod moves;
#[cfg(test)]
mod tests;
mod walk;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use flagfall_protocols::event::{ClockSide, LogEntry};
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::ClockTime;

use crate::men::Men;

pub(crate) use moves::moves_of;

/// The ring holds so many bytes, and no entry is shorter than one.
const MOST_ENTRIES: usize = 0x1f00;

/// One reading of the log, oldest entry first.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogDownload {
    entries: VecDeque<LogEntry>,
    ended: bool,
}

impl LogDownload {
    /// Takes the next entry; after the end a further one begins another reading. True at the end.
    pub(crate) fn take(&mut self, entry: LogEntry) -> bool {
        if self.ended {
            *self = LogDownload::default();
        }
        self.ended = entry == LogEntry::End;
        if !self.ended {
            if self.entries.len() >= MOST_ENTRIES {
                self.entries.pop_front();
            }
            self.entries.push_back(entry);
        }
        self.ended
    }

    /// What followed a position that stood on the board. None if the reading has not ended, if the log does not surely show
    /// that position, or if the position came back by moves and nothing tells from which time on they are wanted.
    pub(crate) fn replay(&self, known: &Known) -> Option<Replay> {
        if self.ended { walk::replay(&self.entries, known) } else { None }
    }
}

/// The last position that is known, and how the board stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// Its men, a1 at White's left hand.
    pub(crate) men: &'a Men,
    /// White sits at the board's right-hand side of the connector.
    pub(crate) rotated: bool,
    /// The last press that is known, if any: the side that stopped, and its time as the clock showed it.
    pub(crate) last_press: Option<(ClockSide, ClockTime)>,
}

/// One thing that the log tells, squares as White sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A square changed; `quick` = within about 250 ms of the change before.
    Square { square: Square, reading: Reading, quick: bool },
    /// `side` was pressed and stopped with `time` left.
    Press { side: ClockSide, time: ClockTime },
}

/// What followed a known position, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replay {
    pub(crate) steps: Vec<Step>,
}
