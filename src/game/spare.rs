//! Follows a game from one board to another, which was bound in the middle of it (`reconstruct/README.md#4.4`).
//!
//! A spare usually shows its initial position. That begins no game and takes no move back: it is a position in which the game's own must
//! be set up.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

use crate::alarm::WrongSquare;
use crate::lifecycle::Spare;
use crate::men::{self, Men};
use crate::reconstruct::setup;
use crate::seen::{Play, Seen};

/// The time for which another position than the game's must stand before its squares are named: moves that the board before did not
/// show may explain it.
const STANDS: Duration = Duration::from_secs(2);
/// The number of squares on which a spare may differ for good: a sensor that fails. A man that is not set up yet is missing on one square
/// and stands on another.
const FAILS: u32 = 1;
/// The largest number of squares that moves change which were made before the spare was there: two moves.
const MOVED: u32 = 6;
/// Without a clock, the time for which such a position must stand.
const SET_UP: Duration = Duration::from_secs(10);

impl Seen {
    /// Another board serves the game from now on. `heard`: it has reported who it is, so that squares reported since the last gap are its
    /// own. Without a move any set-up begins the game.
    pub(crate) fn expect_spare(&mut self, heard: bool) {
        let Play { decoder, segments, .. } = &self.play;
        let has_no_moves = decoder.record.moves().is_empty() && decoder.line().is_empty() && segments.is_empty();
        if has_no_moves || !self.phase.is_read() {
            return;
        }
        self.phase.spare = Spare::Expected;
        self.phase.spare.note_all_squares(self.board.last_change(), heard && self.board.unseen_since().is_none());
        self.phase.next_set_up = None;
        self.meet_spare();
    }

    /// A spare has shown its squares. True if they are its initial position and the men could have gone back there, since no pawn has
    /// moved: then no moves that were not seen are looked for, because nobody made any.
    pub(crate) fn meet_spare(&mut self) -> bool {
        self.turn_spare();
        let (initial, expected) = (setup::initial_men(), self.expected());
        let at_home = [8..16, 48..56].into_iter().all(|rank| expected[rank.clone()] == initial[rank]);
        let goes_back = self.phase.spare.differs() && self.shown_start().is_some() && at_home;
        let Play { decoder, conclusions, .. } = &mut self.play;
        if goes_back && decoder.line().plies().iter().any(|ply| ply.repaired) {
            decoder.forget_tentative();
        } else if goes_back {
            decoder.close_gap(conclusions);
        }
        goes_back
    }

    /// Whether the decoder reads moves from the board: a game is on, and nobody sets up its position at a spare. What a spare shows at
    /// first may be explained by moves that the board before did not show.
    pub(crate) fn reads_moves(&self) -> bool {
        let sets_up = match self.phase.spare {
            Spare::Differs { first, .. } => self.board.last_change() > first || self.shown_start().is_some(),
            Spare::None | Spare::Expected => false,
        };
        self.phase.is_read() && !(sets_up && self.touched())
    }

    /// When a spare is to be looked at again.
    pub(crate) fn spare_due(&self, now: Instant) -> Option<Instant> {
        let looks = [STANDS, SET_UP].map(|stands| self.board.last_change().after(stands));
        looks.into_iter().find(|due| self.phase.spare.differs() && *due > now)
    }

    /// A clock was started or pressed: play goes on at a spare that shows the game's position, or one that moves or a failing square explain.
    pub(crate) fn play_on_at_spare(&mut self, now: Instant) {
        if self.is_nearly_set_up(MOVED) {
            self.end_set_up(now);
        }
    }

    fn is_nearly_set_up(&self, most: u32) -> bool {
        let differs = men::difference(self.expected(), self.board.men()).count_ones();
        self.phase.spare.differs() && self.shown_start().is_none() && differs <= most && self.board.unseen_since().is_none()
    }

    /// Whether the game's position has been set up as far as it can be, by what stands on the board and how long it has stood.
    pub(crate) fn spare_is_set_up(&self, now: Instant) -> bool {
        let stood = |stands| now >= self.board.last_change().after(stands);
        (self.is_nearly_set_up(FAILS) && stood(STANDS))
            || (!self.clock.chessclock.present() && self.is_nearly_set_up(MOVED) && stood(SET_UP))
    }

    /// The spare is read from now on. What it shows instead of the game's position may be moves that were not seen.
    pub(crate) fn end_set_up(&mut self, now: Instant) {
        let Spare::Differs { first, .. } = core::mem::take(&mut self.phase.spare) else { return };
        let Play { decoder, conclusions, .. } = &mut self.play;
        decoder.forget_tentative();
        decoder.begin_gap(decoder.gap_began().unwrap_or(first), now, &self.board, conclusions);
        decoder.board_changed(now, &self.board);
    }

    /// The position that the board should show.
    fn expected(&self) -> &Men {
        &self.play.decoder.line().top(self.play.decoder.record.node()).men
    }

    /// Turns a spare round that stands the other way round than the board before it.
    pub(crate) fn turn_spare(&mut self) {
        let mut turned: Men = *self.board.men();
        turned.reverse();
        let [upright, turned] = [self.board.men(), &turned].map(|men| men::difference(self.expected(), men).count_ones());
        // Before the game's position is set up, occupied squares alone do not tell.
        if self.phase.spare.differs() && turned < upright && (turned == 0 || self.board.identifies()) {
            self.board.turn_round();
            self.board.forget_men();
        }
    }

    /// The squares on which a spare differs from the game, once they have stood for long enough.
    pub(crate) fn compare_spare(&self, now: Instant) -> Option<Vec<WrongSquare>> {
        let expected = self.expected();
        let differs = men::difference(expected, self.board.men());
        let named = |square: Square| WrongSquare {
            square,
            stands: men::piece(self.board.men()[square.index()]),
            expected: men::piece(expected[square.index()]),
        };
        let stands = differs == 0 || now >= self.board.last_change().after(STANDS);
        stands.then(|| men::squares(differs).map(named).collect())
    }
}
