//! Measures how badly a position fits the men that the board shows (`reconstruct/README.md#3`).

use core::time::Duration;

use flagfall_protocols::square::{Color, Square};
use flagfall_protocols::time::Instant;
use shakmaty::{Bitboard, Move, Role, attacks};

use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::line::man_of;
use crate::reconstruct::tuning::Weights;

/// The largest number of men of the side to move that may be in its hand at once: king and rook.
const IN_HAND: u32 = 2;
/// The largest number of men that are held while a move is made with another man.
const HELD: u32 = 2;
/// The time within which a man that is straightened is back.
const STRAIGHTENED: Duration = Duration::from_secs(2);
/// The time within which a man that has just been moved and is straightened is back.
const PUT_STRAIGHT: Duration = Duration::from_millis(1300);

/// The steps of time in which the cost of unexplained squares grows. The steps of all squares are counted from the last change of
/// the board, so that one deadline is enough.
pub(crate) const STEP: Duration = Duration::from_millis(200);

/// The last move of a reading.
#[derive(Clone, Copy)]
pub(crate) struct LastMove {
    /// The man that it leaves on its square.
    pub(crate) man: u8,
    /// That square, a1 = 0.
    pub(crate) to: u8,
    /// When the board first showed the move.
    pub(crate) shown_at: Instant,
}

impl LastMove {
    pub(crate) fn of(mv: Move, color: Color, shown_at: Instant) -> LastMove {
        let (man, to) = man_of(mv, color);
        LastMove { man, to, shown_at }
    }
}

/// True if a man could go from one square to the other in one move if no man stood in its way.
fn could_go(man: u8, from: u32, to: u32) -> bool {
    let Some(piece) = men::piece(man) else { return false };
    let (square, to) = (shakmaty::Square::new(from), shakmaty::Square::new(to));
    let color = men::to_color(piece.color);
    let Some(role) = Role::from_char(piece.letter().to_ascii_lowercase()) else { return false };
    let ahead = match color {
        shakmaty::Color::White => to.to_u32().checked_sub(from),
        shakmaty::Color::Black => from.checked_sub(to.to_u32()),
    };
    let steps = role == Role::Pawn && matches!(ahead, Some(8 | 16));
    steps || attacks::attacks(square, role.of(color), Bitboard::EMPTY).contains(to)
}

/// True if the board differs from these men only in one or two that are off their squares. Hands may hold them for long while a move is
/// made with another man.
pub(crate) fn are_in_hands(men: &Men, dead: u64, board: &PhysicalBoard) -> bool {
    let differs = men::difference(men, board.men()) & !dead;
    differs.count_ones() <= HELD && men::squares(differs).all(|square| board.men()[square.index()] == EMPTY)
}

/// The moment of the last step before `now`.
pub(crate) fn last_step(now: Instant, board: &PhysicalBoard) -> Instant {
    let changed = board.last_change();
    changed.after(STEP * (now.since(changed).as_millis() / STEP.as_millis()).min(1_000_000) as u32)
}

/// The cost of everything that `board` shows at `now` and that the position with these men does not explain, in tenths of a nat.
/// `turn` is the side to move. The squares of `dead` show nothing, whatever stands on them.
pub(crate) fn unexplained(
    men: &Men,
    turn: Color,
    last: Option<LastMove>,
    dead: u64,
    board: &PhysicalBoard,
    now: Instant,
    weights: &Weights,
) -> i32 {
    let shown = board.men();
    let mut differs = men::difference(men, shown);
    differs &= !(dead & empty_squares(shown, differs));
    if differs == 0 {
        return 0;
    }
    let now = last_step(now, board);
    let lifted = |square: usize| shown[square] == EMPTY && men::color(men[square]) == Some(turn);
    let in_hand = squares(differs).filter(|&square| lifted(square)).count() as u32;
    let mut spare = IN_HAND;
    let (mut put, mut oldest) = (0, Duration::ZERO);
    let mut cost = 0;
    for square in squares(differs) {
        let (expected, man) = (men[square], shown[square]);
        let mut age = now.since(board.changed_at(1 << square));
        // Two men of one kind may have been in one hand, and either of them may have made the last move: which of them was
        // lifted first proves nothing. So the time for which the other one is off counts from that move.
        if let Some(last) = last
            && man == EMPTY
            && expected == last.man
            && could_go(expected, square as u32, u32::from(last.to))
        {
            age = age.min(now.since(last.shown_at));
        }
        let aged = |per_second: i32, from: Duration| cost_of_age(age.saturating_sub(from), per_second, weights.most_by_age);
        cost += match man {
            UNKNOWN => weights.unreadable,
            EMPTY if men::color(expected) == Some(turn) && spare > 0 => {
                spare -= 1;
                // After this time the man may have captured where no sensor noticed it.
                let held = age.saturating_sub(STRAIGHTENED);
                weights.lifted + cost_of_age(held, weights.held_per_second, weights.most_by_holding)
            }
            EMPTY if men::color(expected) != Some(turn) && in_hand > 0 => {
                weights.victim + aged(weights.bystander_per_second, STRAIGHTENED)
            }
            EMPTY => weights.bystander + aged(weights.bystander_per_second, STRAIGHTENED),
            _ if men::color(man) == Some(turn) && men::color(expected) != Some(turn) => {
                put += 1;
                oldest = oldest.max(age);
                weights.put + aged(weights.put_per_second, Duration::ZERO)
            }
            _ if expected == EMPTY => weights.displaced,
            _ => weights.wrong_man,
        };
    }
    // Only one man is moved at a time, but for a castling.
    let king = men::of_shakmaty(Role::King.of(men::to_color(turn)));
    if put > 1 && oldest >= STRAIGHTENED && squares(differs).all(|square| men[square] != king) {
        cost += weights.displaced;
    }
    if let Some(last) = last
        && shown[usize::from(last.to)] == EMPTY
    {
        // Straightening a man takes less time. Where men are identified this weight is zero.
        let gone = now.since(board.changed_at(1 << last.to)).saturating_sub(PUT_STRAIGHT);
        cost += cost_of_age(gone, weights.held_per_second, weights.went_on);
    }
    if last.is_some_and(|last| has_gone_on(last, men, differs, board)) {
        cost += weights.went_on;
    }
    cost
}

/// True if the man of the last move has gone on to a square of `differs`. The report that it left its square may be lost: then the board
/// shows one man too many of its kind, and the square to which that man came later is the right one, because no report of a man is
/// invented.
fn has_gone_on(last: LastMove, men: &Men, differs: u64, board: &PhysicalBoard) -> bool {
    let (shown, to) = (board.men(), usize::from(last.to));
    let mut elsewhere = squares(differs).filter(|&square| shown[square] == last.man && square != to);
    if shown[to] == EMPTY && differs & (1 << to) != 0 {
        return elsewhere.next().is_some();
    }
    let later = |square: usize| {
        board.changed_at(1 << square) > board.changed_at(1 << to) && could_go(last.man, last.to.into(), square as u32)
    };
    shown[to] == last.man && elsewhere.any(later) && men::count(shown, last.man) > men::count(men, last.man)
}

/// The squares of `mask` that are empty.
fn empty_squares(men: &Men, mask: u64) -> u64 {
    squares(mask).filter(|&square| men[square] == EMPTY).fold(0, |all, square| all | 1 << square)
}

fn squares(mask: u64) -> impl Iterator<Item = usize> {
    men::squares(mask).map(Square::index)
}

/// The cost of an age.
fn cost_of_age(age: Duration, per_second: i32, most: i32) -> i32 {
    let tenths = (age.as_millis() / 100).min(1000) as i32;
    (tenths * per_second / 10).min(most)
}
