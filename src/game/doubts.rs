//! What the decoder cannot tell by itself: said at once, and cured when it is settled (`reconstruction.md` sections 3.5, 3.6).

use crate::alarm::AlarmKind;
use crate::game::Game;

impl Game {
    /// More than one legal move explains these squares.
    #[expect(dead_code, reason = "for the decoder, once it keeps two readings apart")]
    pub(crate) fn tell_ambiguous(&mut self, squares: u64) {
        self.alarms.raise(self.now, AlarmKind::Ambiguous, None, squares);
    }

    /// What was played there is known.
    #[expect(dead_code, reason = "for the decoder, once it keeps two readings apart")]
    pub(crate) fn cure_ambiguous(&mut self) {
        self.alarms.cure(self.now, AlarmKind::Ambiguous);
    }

    /// No legal moves lead from the game to what the board shows.
    #[expect(dead_code, reason = "for the search that mends gaps")]
    pub(crate) fn tell_unreachable(&mut self) {
        self.alarms.raise(self.now, AlarmKind::Unreachable, None, 0);
    }

    /// The board shows a position of the game again.
    #[expect(dead_code, reason = "for the search that mends gaps")]
    pub(crate) fn cure_unreachable(&mut self) {
        self.alarms.cure(self.now, AlarmKind::Unreachable);
    }

    /// Moves were made while the board was not seen. To be told for moves only: a link that was away while nobody moved is no gap.
    #[expect(dead_code, reason = "for the search that mends gaps")]
    pub(crate) fn tell_link_gap(&mut self) {
        self.alarms.raise(self.now, AlarmKind::LinkGap, None, 0);
    }

    /// Those moves are known, in their order.
    #[expect(dead_code, reason = "for the search that mends gaps")]
    pub(crate) fn cure_link_gap(&mut self) {
        self.alarms.cure(self.now, AlarmKind::LinkGap);
    }

    /// A pawn was promoted on this square of a board that cannot tell to what.
    #[expect(dead_code, reason = "for boards that see no pieces")]
    pub(crate) fn tell_promotion_unconfirmed(&mut self, square: u64) {
        self.alarms.raise(self.now, AlarmKind::PromotionUnconfirmed, None, square);
    }
}
