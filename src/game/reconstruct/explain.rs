//! How badly a position fits what the board shows (`reconstruction.md` section 3, the table of evidence).

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::tuning::Weights;

/// Men of the side to move that may be in its hand at once: king and rook.
const IN_HAND: u32 = 2;
/// A piece that is straightened is back within this.
const STRAIGHTENED: Duration = Duration::from_secs(2);

/// What `board` shows at `now` that the position with these men, `turn` to move, leaves unexplained: tenths of a nat. `last` is
/// the man that made the last move, and where it went; `dead` squares show nothing, whatever stands on them.
pub(crate) fn unexplained(
    men: &Men,
    turn: Color,
    last: Option<(u8, u8)>,
    dead: u64,
    board: &PhysicalBoard,
    now: Instant,
    weights: &Weights,
) -> i32 {
    let shown = board.men();
    let mut differs = men::difference(men, shown);
    differs &= !(dead & empty(shown, differs));
    if differs == 0 {
        return 0;
    }
    let lifted = |square: usize| shown[square] == EMPTY && men::color(men[square]) == Some(turn);
    let in_hand = bits(differs).filter(|&square| lifted(square)).count() as u32;
    let mut spare = IN_HAND;
    let mut cost = 0;
    for square in bits(differs) {
        let (expected, man) = (men[square], shown[square]);
        let age = now.since(board.changed_at(1 << square));
        let aged = |per_second: i32, from: Duration| by_age(age.saturating_sub(from), per_second, weights);
        cost += match man {
            UNKNOWN => weights.unreadable,
            EMPTY if men::color(expected) == Some(turn) && spare > 0 => {
                spare -= 1;
                weights.lifted + held(age, weights)
            }
            EMPTY if men::color(expected) != Some(turn) && in_hand > 0 => {
                weights.victim + aged(weights.victim_per_second, STRAIGHTENED)
            }
            EMPTY => weights.bystander + aged(weights.bystander_per_second, STRAIGHTENED),
            _ if men::color(man) == Some(turn) && men::color(expected) != Some(turn) => {
                weights.put + aged(weights.put_per_second, Duration::ZERO)
            }
            _ if expected == EMPTY => weights.displaced,
            _ => weights.wrong_man,
        };
    }
    if let Some((_, to)) = last
        && !board.identifies()
        && shown[usize::from(to)] == EMPTY
    {
        cost += gone(now.since(board.changed_at(1 << to)), weights);
    }
    if let Some((man, to)) = last
        && differs & (1 << to) != 0
        && shown[usize::from(to)] == EMPTY
        && bits(differs).any(|square| shown[square] == man)
    {
        cost += weights.went_on;
    }
    cost
}

/// A man that is off for long may have captured where no sensor noticed it.
fn held(age: Duration, weights: &Weights) -> i32 {
    let tenths = (age.saturating_sub(STRAIGHTENED).as_millis() / 100).min(1000) as i32;
    (tenths * weights.held_per_second / 10).min(weights.most_by_holding)
}

/// The man that made the last move is off its square for longer than whoever straightens it would need.
fn gone(age: Duration, weights: &Weights) -> i32 {
    let tenths = (age.as_millis() / 100).min(1000) as i32;
    (tenths * weights.held_per_second / 10).min(weights.went_on)
}

/// The squares of `mask` on which nothing stands.
fn empty(men: &Men, mask: u64) -> u64 {
    bits(mask).filter(|&square| men[square] == EMPTY).fold(0, |all, square| all | 1 << square)
}

fn by_age(age: Duration, per_second: i32, weights: &Weights) -> i32 {
    let seconds_of_ten = (age.as_millis() / 100).min(1000) as i32;
    (seconds_of_ten * per_second / 10).min(weights.most_by_age)
}

/// The set bits of a mask, lowest first.
pub(crate) fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lowest = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(lowest)
    })
}
