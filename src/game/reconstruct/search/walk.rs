//! Runs the search for paths in depth first, one length of path after the other.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position};

use crate::reconstruct::search::bound::Goal;
use crate::reconstruct::search::{Found, Limits};

/// The number of positions that are remembered as dead ends, which is 64 KiB. A newer one replaces an older one.
const FAILED: usize = 1 << 13;
/// The smallest number of plies left with which a dead end is remembered. With fewer, a new search is quicker than the memory.
const WORTH_KEEPING: u8 = 3;

pub(super) struct Walk<'a> {
    goal: &'a Goal,
    limits: Limits,
    line: Vec<Move>,
    paths: Vec<Vec<Move>>,
    failed: Vec<u64>,
    nodes: u32,
    /// The budget is used up, or there are more paths than may be kept.
    cut: bool,
}

impl Walk<'_> {
    pub(super) fn new(goal: &Goal, limits: Limits) -> Walk<'_> {
        Walk { goal, limits, line: Vec::new(), paths: Vec::new(), failed: Vec::new(), nodes: 0, cut: false }
    }

    /// True if paths were found, or if the budget is used up.
    pub(super) fn done(&self) -> bool {
        self.cut || !self.paths.is_empty()
    }

    pub(super) fn found(self) -> Found {
        Found { paths: self.paths, complete: !self.cut, nodes: self.nodes }
    }

    /// Searches all paths of exactly this many plies.
    pub(super) fn search(&mut self, from: &Chess, plies: u8) {
        if plies == 0 {
            self.arrive(from);
        } else if self.goal.feasible(from, plies) {
            self.descend(from, plies);
        }
    }

    fn arrive(&mut self, position: &Chess) -> bool {
        let reached = self.goal.reached(position.board());
        if reached && self.paths.len() >= self.limits.paths {
            self.cut = true;
        } else if reached {
            self.paths.push(self.line.clone());
        }
        reached
    }

    /// Tries every legal move. True if any of them leads to the wanted board.
    fn descend(&mut self, position: &Chess, plies: u8) -> bool {
        let slot = (plies >= WORTH_KEEPING).then(|| self.slot(position, plies));
        if slot.is_some_and(|(slot, key)| self.failed[slot] == key) {
            return false;
        }
        let captures = self.goal.captures(position.board(), !position.turn()) > 0;
        let mut any = false;
        for mv in position.legal_moves() {
            if self.cut {
                return any;
            }
            if mv.is_capture() && !captures || plies == 1 && !self.may_be_last(mv) {
                continue;
            }
            if self.nodes >= self.limits.nodes {
                self.cut = true;
                return any;
            }
            self.nodes += 1;
            let mut after = position.clone();
            after.play_unchecked(mv);
            if plies > 1 && !self.goal.feasible(&after, plies - 1) {
                continue;
            }
            self.line.push(mv);
            any |= if plies == 1 { self.arrive(&after) } else { self.descend(&after, plies - 1) };
            self.line.pop();
        }
        if let Some((slot, key)) = slot
            && !any
            && !self.cut
        {
            self.failed[slot] = key;
        }
        any
    }

    /// True if this can be the last move: it leaves its square empty and goes to an occupied square of the wanted board.
    fn may_be_last(&self, mv: Move) -> bool {
        let wanted = self.goal.occupied;
        mv.is_castle() || wanted.contains(mv.to()) && mv.from().is_none_or(|from| !wanted.contains(from))
    }

    /// The slot and the key under which a position with this many plies left is remembered. With sixty-four bits, two of 200,000
    /// positions have the same key once in a thousand million searches.
    fn slot(&mut self, position: &Chess, plies: u8) -> (usize, u64) {
        if self.failed.is_empty() {
            self.failed = vec![0; FAILED];
        }
        let hash = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        let key = hash.rotate_left(u32::from(plies) * 8);
        (key as usize % FAILED, key)
    }
}
