//! Reads a game that is joined in progress, from a position that the board showed (`reconstruct/README.md#4.1`).

use flagfall_protocols::time::Instant;

use crate::men::{self, EMPTY};
use crate::reconstruct::Decoder;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::record::Record;

impl Decoder {
    /// A decoder of the same board for a game that is joined with this record.
    pub(crate) fn joined_at(&self, record: Record, now: Instant, board: &PhysicalBoard) -> Decoder {
        let mut joined = Decoder::new(record, self.scan, self.tuning);
        (joined.clocked, joined.runs) = (self.clocked, self.runs);
        joined.doubt_start();
        joined.board_changed(now, board);
        joined
    }

    /// Notes that the game was joined in progress: a man that was in a hand at that time may be missing in the first position.
    pub(crate) fn doubt_start(&mut self) {
        self.start_doubtful = true;
    }

    /// True if the best reading explains everything that the board shows, and every press.
    pub(crate) fn fits(&self, board: &PhysicalBoard) -> bool {
        self.beam.best().waiting.is_empty() && men::same(&self.line().top(self.record.node()).men, board.men())
    }

    /// True if the first position is still doubted. The first move of a joined game is not believed before every man stands where the
    /// best reading has it, except men that are lifted.
    pub(super) fn doubts_start(&self, board: &PhysicalBoard) -> bool {
        let differs = || men::difference(&self.line().top(self.record.node()).men, board.men());
        self.start_doubtful && men::squares(differs()).any(|square| board.men()[square.index()] != EMPTY)
    }
}
