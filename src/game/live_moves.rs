//! Stores the moves that were published to the live audience, in little memory.

use alloc::vec::Vec;

use flagfall_protocols::time::ClockTime;
use shakmaty::uci::UciMove;

use crate::pair::Pair;
use crate::played::LiveMove;
use crate::reconstruct::moves::{Moves, room_for_one};
use crate::reconstruct::notation::{Notation, Times};

/// One move as it was published.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PublishedMove {
    pub(crate) uci: UciMove,
    san: Notation,
    clocks: Times,
}

impl PublishedMove {
    pub(crate) fn new(uci: UciMove, san: Notation, clocks: &Pair<Option<ClockTime>>) -> PublishedMove {
        PublishedMove { uci, san, clocks: Times::of(clocks) }
    }

    /// The move with this index, as it is published.
    fn live(&self, index: usize) -> LiveMove {
        LiveMove { ply: index as u32 + 1, san: self.san, uci: self.uci, clocks: self.clocks.pair() }
    }
}

/// The moves that were published to the live audience.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveMoves(Vec<PublishedMove>);

impl LiveMoves {
    pub(crate) fn moves(&self) -> &[PublishedMove] {
        &self.0
    }

    pub(crate) fn push(&mut self, told: PublishedMove) {
        room_for_one(&mut self.0);
        self.0.push(told);
    }

    /// Gives the moves the times of the record, whose moves they are, and returns those that had other times.
    pub(crate) fn follow_times(&mut self, record: &Moves) -> Vec<LiveMove> {
        let mut corrected = Vec::new();
        for (index, (told, clocks)) in self.0.iter_mut().zip(record.clocks()).enumerate() {
            if told.clocks != clocks {
                told.clocks = clocks;
                corrected.push(told.live(index));
            }
        }
        corrected
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// The moves from index `from` on, as they are published.
    pub(crate) fn since(&self, from: usize) -> impl ExactSizeIterator<Item = LiveMove> {
        self.0.iter().enumerate().skip(from).map(|(index, told)| told.live(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_little_room() {
        assert!(size_of::<PublishedMove>() <= 20, "{}", size_of::<PublishedMove>());
    }
}
