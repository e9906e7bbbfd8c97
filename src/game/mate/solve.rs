//! Answers whether a side can checkmate, first without a search where the position allows it, and defines the budget of the
//! search.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Position};

use super::key::MOST_MEN;
use super::meter::Meter;
use super::reason::{Answer, Counters, ForcedEnd, Reason};
use super::stages::search;

/// The largest number of forced moves that are followed before the search begins.
const MOST_FORCED: usize = 32;

/// The limits of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The total number of positions generated.
    pub nodes: u64,
    /// The bytes of memory for the search.
    pub memory: usize,
}

impl Budget {
    /// The budget for a single question: up to 64 MiB.
    pub const FULL: Self = Self { nodes: 40_000_000, memory: 64 << 20 };
    /// The budget after every move: up to 8 MiB, and short.
    pub const SMALL: Self = Self { nodes: 20_000, memory: 8 << 20 };
}

impl Default for Budget {
    fn default() -> Self {
        Self::FULL
    }
}

/// Tells whether `side` can checkmate by any series of legal moves from the position.
///
/// A position with more than 32 men is `Undecided`.
pub fn winnable(position: &Chess, side: Color, budget: Budget) -> Answer {
    counted(position, side, budget).0
}

/// The same as [`winnable`], with the cost of the answer.
pub fn counted(position: &Chess, side: Color, budget: Budget) -> (Answer, Counters) {
    let mut meter = Meter::new(budget.nodes);
    let mut answer = at_once(position, side);
    if answer.is_none() && position.board().occupied().count() <= MOST_MEN {
        answer = forced(position, side).or_else(|| search(position, side, budget, &mut meter));
    }
    let counters = meter.counters;
    (answer.unwrap_or(Answer::Undecided { counters }), counters)
}

/// The answer that needs no move: the game is over, or the material decides.
pub fn at_once(position: &Chess, side: Color) -> Option<Answer> {
    let over = position.legal_moves().is_empty();
    let reason = if over && position.is_check() {
        if position.turn() != side {
            return Some(Answer::Winnable { line: Vec::new(), shortest: true });
        }
        Reason::Mated
    } else if over {
        Reason::Stalemate
    } else if position.board().by_color(side).count() == 1 {
        Reason::BareKing
    } else if position.has_insufficient_material(side) {
        Reason::Material
    } else {
        return None;
    };
    Some(Answer::Unwinnable { reason })
}

/// Follows the only moves to an end of the game, to hopeless material, or to a position that comes back.
fn forced(position: &Chess, side: Color) -> Option<Answer> {
    let mut at = position.clone();
    let mut line = Vec::new();
    let mut seen = Vec::new();
    loop {
        let moves = at.legal_moves();
        let [only] = moves.as_slice() else { return None };
        if line.len() == MOST_FORCED {
            return None;
        }
        seen.push(at.clone());
        line.push(*only);
        at.play_unchecked(*only);
        let end = match at_once(&at, side) {
            Some(Answer::Winnable { .. }) => {
                return Some(Answer::Winnable { line, shortest: true });
            }
            Some(Answer::Unwinnable { reason }) => match reason {
                Reason::Mated => ForcedEnd::Mated,
                Reason::Stalemate => ForcedEnd::Stalemate,
                _ => ForcedEnd::Material,
            },
            _ if seen.contains(&at) => ForcedEnd::Circle,
            _ => continue,
        };
        let reason = Reason::Forced { line, end };
        return Some(Answer::Unwinnable { reason });
    }
}
