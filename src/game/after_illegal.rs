//! Follows what is played after an illegal move that was pressed (Articles 7.5.1, A.5.2; club point 15).
//!
//! The record of the game cannot contain such a move. A second decoder reads the board from the position that the move left.
//! Where an illegal move stands once the opponent has replied, the game goes on from that position as a new segment. Under all
//! other rules these moves stay unsure until an arbiter rules.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::{Bitboard, Chess};

use crate::interval::Interval;
use crate::men::{self, EMPTY, Men, OCCUPIED, UNKNOWN};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::record::same_position;
use crate::reconstruct::{ClockView, Conclusion, Decoder, setup};

/// An illegal move that was pressed, and what is played after it.
#[derive(Clone, Debug)]
pub(crate) struct AfterIllegal {
    pub(crate) by: Color,
    pub(crate) pressed: Interval,
    /// The men on the board after the illegal move.
    pub(crate) men: Men,
    /// Reads the moves after it. None while the position is one in which the opponent cannot be to move, because the king of the
    /// player is in check.
    pub(crate) decoder: Option<Decoder>,
    /// The reply was made before the position with which the decoder begins.
    pub(crate) begins_after_reply: bool,
    /// What the decoder has concluded since the last review.
    pub(crate) conclusions: Vec<Conclusion>,
}

impl AfterIllegal {
    /// Handles a press of `by`.
    pub(crate) fn press(&mut self, at: Interval, by: Color, board: &PhysicalBoard, clock: &ClockView) {
        if let Some(decoder) = &mut self.decoder {
            decoder.press(at, by, board, clock, &mut self.conclusions);
        }
    }

    /// True if the opponent has made his next move, and has pressed after it if `pressed` demands that.
    pub(crate) fn is_answered(&self, pressed: bool) -> bool {
        let reply = self.decoder.as_ref().and_then(|decoder| decoder.record.moves().get(0));
        self.begins_after_reply || reply.is_some_and(|reply| !pressed || reply.pressed.is_some())
    }

    /// True if the moves after the illegal move begin with this position.
    pub(crate) fn begins_with(&self, position: &Chess) -> bool {
        self.decoder.as_ref().is_some_and(|decoder| same_position(decoder.record.start(), position))
    }

    /// The decoder with which the game goes on, and what it has concluded besides sure moves.
    pub(crate) fn into_parts(self) -> Option<(Decoder, Vec<Conclusion>)> {
        let mut conclusions = self.conclusions;
        conclusions.retain(|conclusion| !matches!(conclusion, Conclusion::Sure { .. }));
        Some((self.decoder?, conclusions))
    }
}

/// The men after an illegal move of `by`, if the board shows one. What the opponent has already lifted for his reply still
/// stands. No man of `by` may be missing, except one that was captured by another of his own men.
pub(crate) fn left_by(before: &Men, shown: &Men, by: Color) -> Option<Men> {
    let own = |man: u8| men::color(man) == Some(by);
    let mut after = *before;
    let (mut left, mut taken) = (Vec::new(), Vec::new());
    for square in men::squares(men::difference(before, shown)).map(|square| square.index()) {
        match shown[square] {
            UNKNOWN => return None,
            OCCUPIED => taken.push(square),
            man if own(man) => after[square] = man,
            _ if own(before[square]) => {
                after[square] = EMPTY;
                left.push(square);
            }
            _ => {}
        }
    }
    // Where men are not identified, the move is known only if one man left one square for another one.
    match (left.as_slice(), taken.as_slice()) {
        (_, []) => {}
        (&[from], &[to]) => after[to] = before[from],
        _ => return None,
    }
    let overwritten = (0..64).filter(|&square| own(before[square]) && own(after[square]) && before[square] != after[square]);
    let mut missing = overwritten.count();
    for man in 1..UNKNOWN {
        let (stood, stands) = (men::count(before, man), men::count(&after, man));
        if own(man) {
            missing = missing.checked_sub(stood.checked_sub(stands)?)?;
        }
    }
    (missing == 0 && after != *before).then_some(after)
}

/// True if the man that the illegal move of `by` seems to have left on an empty square may be a man of the opponent, who has begun
/// his reply: occupied squares do not show whose man it is. `shown` is the board since then.
pub(crate) fn may_be_reply(before: &Men, left: &Men, shown: &Men, by: Color) -> bool {
    let Some(board) = setup::board_of(left) else { return false };
    let replies = |to: usize| {
        let to = shakmaty::Square::new(to as u32);
        let pawns = Bitboard::from(to.file()) & board.pawns();
        let reach = board.attacks_to(to, men::to_color(by.other()), board.occupied()) | pawns;
        reach
            .into_iter()
            .map(|from| from.to_usize())
            .any(|from| men::color(left[from]) == Some(by.other()) && shown[from] == EMPTY)
    };
    (0..64).any(|to| before[to] == EMPTY && left[to] != EMPTY && shown[to] == OCCUPIED && replies(to))
}

/// The men after a move of `by` from one square to another one, if this is all that the board shows.
pub(crate) fn moved_by(before: &Men, shown: &Men, by: Color) -> Option<Men> {
    let changed: Vec<usize> = men::squares(men::difference(before, shown)).map(|square| square.index()).collect();
    let &[one, two] = changed.as_slice() else { return None };
    let (from, to) = if shown[one] == EMPTY { (one, two) } else { (two, one) };
    let mut after = *before;
    (after[from], after[to]) = (EMPTY, before[from]);
    let moved = men::color(before[from]) == Some(by) && men::color(before[to]) != Some(by) && men::same(&after, shown);
    moved.then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconstruct::setup;

    const WHITE_QUEEN: u8 = 5;

    fn initial() -> Men {
        setup::initial_men()
    }

    #[test]
    fn an_illegal_move_is_known_by_the_men_of_its_player() {
        let before = initial();
        let mut shown = before;
        (shown[3], shown[27]) = (EMPTY, WHITE_QUEEN);
        let queen_on_d4 = shown;
        assert_eq!(left_by(&before, &shown, Color::White), Some(queen_on_d4));
        // The opponent has lifted the knight on g8 for his reply.
        shown[62] = EMPTY;
        assert_eq!(left_by(&before, &shown, Color::White), Some(queen_on_d4));
        // The queen takes an own pawn.
        (shown[27], shown[11]) = (EMPTY, WHITE_QUEEN);
        assert!(left_by(&before, &shown, Color::White).is_some_and(|after| after[11] == WHITE_QUEEN));
        // The queen is in a hand.
        shown[11] = before[11];
        assert_eq!(left_by(&before, &shown, Color::White), None);
        assert_eq!(left_by(&before, &before, Color::White), None);
    }

    #[test]
    fn without_identified_men_one_man_leaves_one_square_for_another() {
        let before = initial();
        let mut shown: Men = before.map(|man| if man == EMPTY { EMPTY } else { OCCUPIED });
        (shown[3], shown[27]) = (EMPTY, OCCUPIED);
        assert!(left_by(&before, &shown, Color::White).is_some_and(|after| after[27] == WHITE_QUEEN));
        shown[4] = EMPTY;
        assert_eq!(left_by(&before, &shown, Color::White), None);
    }

    #[test]
    fn without_identified_men_a_man_on_an_empty_square_may_be_the_reply() {
        let before = initial();
        let mut left = before;
        (left[3], left[35]) = (EMPTY, WHITE_QUEEN);
        let mut shown: Men = left.map(|man| if man == EMPTY { EMPTY } else { OCCUPIED });
        assert!(!may_be_reply(&before, &left, &shown, Color::White));
        // The knight on g8 is off: it cannot have gone to d5.
        shown[62] = EMPTY;
        assert!(!may_be_reply(&before, &left, &shown, Color::White));
        // The pawn on d7 is off: it may stand on d5.
        shown[51] = EMPTY;
        assert!(may_be_reply(&before, &left, &shown, Color::White));
        // A board that identifies men shows that the queen stands there.
        shown[35] = WHITE_QUEEN;
        assert!(!may_be_reply(&before, &left, &shown, Color::White));
    }

    #[test]
    fn a_reply_moves_one_man() {
        let before = initial();
        let mut shown = before;
        (shown[62], shown[45]) = (EMPTY, before[62]);
        assert_eq!(moved_by(&before, &shown, Color::Black), Some(shown));
        assert_eq!(moved_by(&before, &shown, Color::White), None);
        shown[61] = EMPTY;
        assert_eq!(moved_by(&before, &shown, Color::Black), None);
    }
}
