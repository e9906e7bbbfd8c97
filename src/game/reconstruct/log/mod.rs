//! Reads the log that a board keeps of its own changes. It is the source for the repair of a gap (`dgt/README.md#7`).
//!
//! The log contains every change in its order, and the presses, but no times of day. It has two limits: changes of the same man
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

/// The largest number of entries in a log: the ring of the board has this many bytes, and every entry has at least one.
const MOST_ENTRIES: usize = 0x1f00;

/// One download of the log, with the oldest entry first.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogDownload {
    entries: VecDeque<LogEntry>,
    ended: bool,
}

impl LogDownload {
    /// Adds the next entry. An entry after the end begins a new download. True if this entry is the end.
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

    /// The steps that followed a position that stood on the board. None if the download has not ended, if it is not certain that
    /// the log contains the position, or if the position came back by moves and the log does not show from which time on the
    /// steps are wanted.
    pub(crate) fn replay(&self, known: &Known) -> Option<Replay> {
        if self.ended { walk::replay(&self.entries, known) } else { None }
    }
}

/// The last position that is known, and how the board is turned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// The men of the position, with a1 at White's left hand.
    pub(crate) men: &'a Men,
    /// White sits at the right-hand side, seen from the connector of the board.
    pub(crate) rotated: bool,
    /// The last press that is known, if any: the side that stopped, and the time that its clock showed.
    pub(crate) last_press: Option<(ClockSide, ClockTime)>,
}

/// One step of the log, with the squares as White sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A square changed. `quick` means within about 250 ms of the change before.
    Square { square: Square, reading: Reading, quick: bool },
    /// `side` was pressed and its clock stopped with `time` left.
    Press { side: ClockSide, time: ClockTime },
}

/// The steps that followed a known position, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replay {
    pub(crate) steps: Vec<Step>,
}
