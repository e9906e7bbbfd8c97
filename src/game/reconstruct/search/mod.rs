//! Legal ways from a known position to the board that is seen now: the repair of a gap where nothing tells the order of what
//! was played (`reconstruct/README.md#3.6`).
//!
//! A square of the wanted board that shows something unknown may hold any man, so a board that tells only empty and occupied
//! squares is searched for by the same means. Work is counted in positions, never in time: the same question has the same
//! answer on every machine.

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
use shakmaty::{Chess, Move};

use crate::men::{self, Men};
use crate::reconstruct::search::bound::Goal;
use crate::reconstruct::search::walk::Walk;

/// More plies than this are never searched: the number of orders grows beyond all use.
pub(crate) const MOST_PLIES: u8 = 6;

/// What is searched, and how much work may be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// No shorter path is looked for: the presses that were seen. 0 lets the board be reached already.
    pub(crate) least: u8,
    /// No longer path is looked for; at most [`MOST_PLIES`].
    pub(crate) most: u8,
    /// Who is to move at the end, if the running clock tells.
    pub(crate) turn_after: Option<Color>,
    /// Positions that may be looked at.
    pub(crate) nodes: u32,
    /// Paths that are kept.
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
    /// All of one length; none if no path was found.
    pub(crate) paths: Vec<Vec<Move>>,
    /// Nothing was left out: no shorter path exists, and no other of this length; without paths, none within the limits.
    pub(crate) complete: bool,
    /// Positions looked at.
    pub(crate) nodes: u32,
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
