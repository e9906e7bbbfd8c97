//! Searches legal paths from a known position to the board that is seen now. The search repairs a gap in the moves when no log
//! shows the order of the moves (`reconstruct/README.md#3.6`).
//!
//! A square of the wanted board with an unknown man may hold any man. So the same search serves boards that report only empty and
//! occupied squares. Work is counted in positions and not in time, so that the result is the same on every machine.

mod bound;
#[cfg(test)]
pub(crate) mod chance;
#[cfg(test)]
mod figures;
#[cfg(test)]
pub(crate) mod tests;
mod walk;

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::{Chess, Move, Position};

use crate::men::{self, Men};
use crate::reconstruct::search::bound::Goal;
use crate::reconstruct::search::walk::Walk;

/// The largest number of plies in a path that is searched. Beyond it the number of possible orders grows too large.
pub(crate) const MOST_PLIES: u8 = 6;

/// The paths to search, and the largest amount of work for the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The least number of plies of a path, known from the presses that were heard. With 0 the board may already be reached.
    pub(crate) least: u8,
    /// The most plies of a path; at most [`MOST_PLIES`].
    pub(crate) most: u8,
    /// The side to move at the end, if the running clock shows it.
    pub(crate) turn_after: Option<Color>,
    /// How many positions the search may visit.
    pub(crate) nodes: u32,
    /// How many paths are kept at most.
    pub(crate) paths: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { least: 1, most: MOST_PLIES, turn_after: None, nodes: 200_000, paths: 256 }
    }
}

/// The shortest paths to a board, in the order of the move generator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// All paths have the same length. Empty if no path was found.
    pub(crate) paths: Vec<Vec<Move>>,
    /// No shorter path and no other path of this length exists. Without paths: there is none within the limits.
    pub(crate) complete: bool,
    /// How many positions the search visited.
    pub(crate) nodes: u32,
}

/// False only if no path of at most `plies` plies can lead from a position to a board. Work does not grow with `plies`.
pub(crate) fn may_lead(from: &Chess, board: &Men, plies: u8) -> bool {
    let goal = Goal::new(board);
    goal.feasible(from, plies) && goal.pawns_fit(from.board())
}

/// All shortest legal paths from a position to a board.
pub(crate) fn paths(from: &Chess, board: &Men, limits: Limits) -> Found {
    let goal = Goal::new(board);
    let mut walk = Walk::new(&goal, limits);
    for plies in limits.least..=limits.most.min(MOST_PLIES) {
        let mover_again = plies % 2 == 0;
        let after = if mover_again { men::turn(from) } else { men::turn(from).other() };
        if limits.turn_after.is_none_or(|turn| turn == after) {
            walk.search(from, plies);
        }
        if walk.done() {
            break;
        }
    }
    walk.found()
}
