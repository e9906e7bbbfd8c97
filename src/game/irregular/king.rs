//! Detects the capture of a king that was left in check: by the club's rules it wins (`laws/README.md#5.1`, points 3.3, 18, 19).
//!
//! For the decoder this capture is no move. It is found by a comparison of the men that stood at the press with the men now.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::{Bitboard, Role, Square, attacks};

use crate::interval::Interval;
use crate::laws::facts::{End, Ended};
use crate::laws::rules::Table;
use crate::men::{self, EMPTY, Men};
use crate::reconstruct::board::PhysicalBoard;
use crate::seen::Seen;

/// The largest number of boards that may have stood at one press. Within so short a time few of them can occur.
const MAX_BOARDS: usize = 8;

/// The state of a king that was left in check.
#[derive(Clone, Debug, Default)]
pub(crate) enum KingCapture {
    /// No king was left in check.
    #[default]
    None,
    /// A king was left in check, and it may be captured.
    Left(Left),
    /// The king was captured, and the capturer's move is finished (points 4, 18).
    Captured { by: Color, at: Interval, pressed: Interval },
}

/// A press that left a king in check.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    side: Color,
    pressed: Interval,
    /// The boards that may have stood at the press. On each of them the king is in check.
    boards: Vec<Men>,
    /// The opponent's press after it.
    answered: Option<Interval>,
}

impl Left {
    /// The time since which the board has shown the capture: one man has taken the king, and nothing else is different.
    fn capture_shown_since(&self, board: &PhysicalBoard) -> Option<Instant> {
        let taken = |before: &Men| {
            let (king, changed) = (king_of(before, self.side)?, men::difference(before, board.men()));
            let from = (changed & !bit(king)).trailing_zeros() as usize;
            let moved = changed.count_ones() == 2 && board.men()[from] == EMPTY && board.men()[king] == before[from];
            (moved && attacks_king(before, from, king, self.side)).then(|| board.changed_at(changed))
        };
        self.boards.iter().find_map(taken)
    }
}

impl KingCapture {
    /// Handles a press of `by` that completed no legal move. Was his king left in check?
    pub(crate) fn handle_press_without_move(&mut self, seen: &Seen, by: Color, pressed: Interval) {
        let club = seen.config.rulebook.rules().table == Table::Club;
        if !club || matches!(self, KingCapture::Captured { .. }) {
            return;
        }
        let base = &seen.play.decoder.record.node().men;
        let told = pressed.latest.after(seen.board.scan());
        let stood = seen.board.past(pressed.earliest).filter(|(since, men)| *since <= told && in_check(men, base, by));
        let boards: Vec<Men> = stood.map(|(_, men)| men).take(MAX_BOARDS).collect();
        *self = match boards.is_empty() {
            true => KingCapture::None,
            false => KingCapture::Left(Left { side: by, pressed, boards, answered: None }),
        };
    }

    /// Handles a press of `by`, which may finish the capture.
    pub(crate) fn pressed(&mut self, by: Color, at: Interval) {
        if let KingCapture::Left(left) = self
            && left.side != by
        {
            left.answered.get_or_insert(at);
        }
    }

    /// Notes that a move became sure, so that the king can no longer be captured.
    pub(crate) fn move_is_sure(&mut self) {
        if matches!(self, KingCapture::Left(_)) {
            *self = KingCapture::None;
        }
    }

    /// Checks whether the king that was left in check has been captured and the capturer's move is finished. Returns true if
    /// so.
    pub(crate) fn review(&mut self, now: Instant, seen: &Seen) -> bool {
        let KingCapture::Left(left) = &*self else { return false };
        let (board, scan) = (&seen.board, seen.board.scan());
        // While the board was not heard, anything may have happened on it.
        if !board.seen_since(left.pressed.earliest) {
            *self = KingCapture::None;
            return false;
        }
        let shown = left.capture_shown_since(board).map(|since| (since, board.done_within(since, scan)));
        // If the opponent pressed before the capture, he made another move, and the illegal move stands (point 15).
        let other_move = shown.zip(left.answered).is_some_and(|((_, made), pressed)| pressed.before(&made));
        if other_move {
            *self = KingCapture::None;
            return false;
        }
        let Some((_, made)) = shown.filter(|(since, _)| now >= since.after(scan)) else { return false };
        let by = left.side.other();
        let Some(pressed) = left.answered.or_else(|| seen.clock.stopped_after(made, by)) else { return false };
        *self = KingCapture::Captured { by, at: made, pressed };
        true
    }

    /// The time at which [`KingCapture::review`] may find more than now.
    pub(crate) fn due(&self, now: Instant, board: &PhysicalBoard) -> Option<Instant> {
        let KingCapture::Left(left) = self else { return None };
        left.capture_shown_since(board).map(|since| since.after(board.scan())).filter(|&at| at > now)
    }

    /// The capture of a king as an end of the game.
    pub(crate) fn captured(&self) -> Option<Ended> {
        let KingCapture::Captured { by, at, pressed } = *self else { return None };
        Some(Ended { end: End::KingCaptured { by }, at, pressed: Some(pressed), positions: Vec::new() })
    }
}

const fn bit(square: usize) -> u64 {
    1 << square
}

/// The square of the king of `side`; none if the king is in a hand.
fn king_of(men: &Men, side: Color) -> Option<usize> {
    let king = men::of_shakmaty(men::to_color(side).king());
    men.iter().position(|&man| man == king)
}

/// True if the king of `side` is attacked by men that stand on their squares in the game. A man in a hand or on another
/// square proves nothing.
fn in_check(men: &Men, base: &Men, side: Color) -> bool {
    let in_place = (0..64).all(|square| men::color(men[square]) != Some(side.other()) || men[square] == base[square]);
    in_place && is_attacked(men, side)
}

/// True if the king of `side` is attacked.
pub(crate) fn is_attacked(men: &Men, side: Color) -> bool {
    king_of(men, side).is_some_and(|king| (0..64).any(|from| attacks_king(men, from, king, side)))
}

/// True if the man on `from` belongs to the opponent and could capture on the square of the king of `side`.
fn attacks_king(men: &Men, from: usize, king: usize, side: Color) -> bool {
    let (man, opponent) = (men[from], side.other());
    let role = Role::try_from(if man > 6 { man - 6 } else { man }).ok().filter(|_| men::color(man) == Some(opponent));
    let occupied = (0..64).fold(0, |mask, square| if men[square] == EMPTY { mask } else { mask | bit(square) });
    let reach = |role: Role| attacks::attacks(Square::new(from as u32), role.of(men::to_color(opponent)), Bitboard(occupied));
    role.is_some_and(|role| reach(role).contains(Square::new(king as u32)))
}
