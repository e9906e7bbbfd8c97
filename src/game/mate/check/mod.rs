//! Checks the proofs of the mate solver, with plain loops that share nothing with the search but the rules of the game.

mod closure;
pub(in crate::mate) mod guard;
mod material;
mod near;
mod pattern;
pub(in crate::mate) mod places;
pub(in crate::mate) mod push;
pub(in crate::mate) mod stalemate;
pub mod wall;

#[cfg(test)]
mod tests;

use shakmaty::{Chess, Color, Move, Position};

use super::reason::{Answer, ForcedEnd, Reason};

/// The reason why a proof is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The move of the line with this number, from 0, is illegal.
    IllegalMove(usize),
    /// The line does not end in mate by the side.
    NoMate,
    /// There is a mate that is shorter than the line which is claimed to be shortest.
    Shorter,
    /// The position does not fit the reason.
    NotSo,
    /// A move of the forced line was not the only one.
    NotForced(usize),
    /// A mate can arise.
    MateFound,
    /// The counts of the closure are different.
    Counts,
    /// A wall can be passed.
    Passable,
    /// The mate pattern behind a wall could not be excluded.
    MatePattern,
    /// The proof is too large to be checked.
    TooLarge,
}

/// The largest number of positions that are generated again. No budget allows as many.
pub const MOST: usize = 4_000_000;

/// Accepts an answer if its proof holds. `Undecided` claims nothing and is accepted.
///
/// # Errors
/// Names the error in the proof.
pub fn check(position: &Chess, side: Color, answer: &Answer) -> Result<(), Refused> {
    check_within(position, side, answer, MOST)
}

/// The same as [`check`], with a limit on the work of `most` positions.
///
/// # Errors
/// The same as for [`check`]. [`Refused::TooLarge`] only means that the limit does not suffice.
pub fn check_within(position: &Chess, side: Color, answer: &Answer, most: usize) -> Result<(), Refused> {
    match answer {
        Answer::Undecided { .. } => Ok(()),
        Answer::Winnable { line, shortest } => {
            let end = replay(position, line)?;
            if !mated(&end, !side) {
                return Err(Refused::NoMate);
            }
            if *shortest {
                closure::no_mate_before(position, side, line.len(), most)?;
            }
            Ok(())
        }
        Answer::Unwinnable { reason } => {
            if mated(position, !side) {
                return Err(Refused::MateFound);
            }
            unwinnable(position, side, reason, most)
        }
    }
}

fn unwinnable(position: &Chess, side: Color, reason: &Reason, most: usize) -> Result<(), Refused> {
    let so = match reason {
        Reason::Mated => mated(position, side),
        Reason::Stalemate => stalemate(position),
        Reason::BareKing => position.board().by_color(side).count() == 1,
        Reason::Material => material::hopeless(position, side),
        Reason::Forced { line, end } => return forced(position, side, line, *end),
        Reason::Wall(claim) => {
            wall::inductive(claim, side)?;
            wall::mateless(claim, side)?;
            wall::holds(claim, position)
        }
        Reason::Exhausted(claim) => return closure::exhausted(position, side, claim, most),
    };
    if so { Ok(()) } else { Err(Refused::NotSo) }
}

fn mated(position: &Chess, loser: Color) -> bool {
    position.turn() == loser && position.is_checkmate()
}

fn stalemate(position: &Chess) -> bool {
    position.legal_moves().is_empty() && !position.is_check()
}

fn replay(position: &Chess, line: &[Move]) -> Result<Chess, Refused> {
    let mut at = position.clone();
    for (index, step) in line.iter().enumerate() {
        if !at.is_legal(*step) {
            return Err(Refused::IllegalMove(index));
        }
        at.play_unchecked(*step);
    }
    Ok(at)
}

fn forced(position: &Chess, side: Color, line: &[Move], end: ForcedEnd) -> Result<(), Refused> {
    let mut seen = alloc::vec![position.clone()];
    let mut at = position.clone();
    for (index, step) in line.iter().enumerate() {
        match at.legal_moves().as_slice() {
            [only] if only == step => at.play_unchecked(*step),
            _ => return Err(Refused::NotForced(index)),
        }
        if mated(&at, !side) {
            return Err(Refused::MateFound);
        }
        seen.push(at.clone());
    }
    let so = match end {
        ForcedEnd::Mated => mated(&at, side),
        ForcedEnd::Stalemate => stalemate(&at),
        ForcedEnd::Material => material::hopeless(&at, side),
        ForcedEnd::Circle => seen[..seen.len() - 1].contains(&at),
    };
    if so { Ok(()) } else { Err(Refused::NotSo) }
}
