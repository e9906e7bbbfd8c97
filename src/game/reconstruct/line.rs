//! The moves that stand on the board but are not yet sure: at most three plies.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::men::{self, Men};
use crate::reconstruct::candidates::Node;

/// A move made on the board, not yet proved by a press.
#[derive(Clone, Debug)]
pub(crate) struct Tentative {
    pub(crate) mv: Move,
    pub(crate) color: Color,
    /// When it was made: between the last scan that showed it unfinished and the first that showed it.
    pub(crate) made: Interval,
    /// The position after it.
    pub(crate) node: Node,
}

/// The tentative moves on top of the sure ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    plies: Vec<Tentative>,
}

impl Line {
    /// A made move, a reply, and the next move of the first player (6.2.1.2): more is never needed to decide the first.
    const MAX: usize = 3;

    pub(crate) fn plies(&self) -> &[Tentative] {
        &self.plies
    }

    pub(crate) fn last(&self) -> Option<&Tentative> {
        self.plies.last()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.plies.clear();
    }

    /// Drops the last ply.
    pub(crate) fn drop_last(&mut self) {
        self.plies.pop();
    }

    /// Drops the first `count` plies, which have become sure.
    pub(crate) fn settle(&mut self, count: usize) {
        self.plies.drain(..count.min(self.plies.len()));
    }

    /// The position after the first `count` plies.
    pub(crate) fn node<'a>(&'a self, base: &'a Node, count: usize) -> &'a Node {
        match count.checked_sub(1).and_then(|last| self.plies.get(last)) {
            Some(ply) => &ply.node,
            None => base,
        }
    }

    /// The position after all plies.
    pub(crate) fn top<'a>(&'a self, base: &'a Node) -> &'a Node {
        self.node(base, self.plies.len())
    }

    /// Follows the board: a longer line, a changed last move, or a shorter line; nothing if the board shows no whole move.
    /// The board explained by fewer changes to the line wins: first as it is, then one more, then another last move.
    pub(crate) fn follow(&mut self, base: &Node, board: &Men, made: Interval) {
        let count = self.plies.len();
        for kept in (0..=count).rev() {
            if self.node(base, kept).men == *board {
                self.plies.truncate(kept);
                return;
            }
        }
        for kept in (0..=count).rev().filter(|&kept| kept < Line::MAX) {
            let node = self.node(base, kept);
            if let Some(mv) = node.exact(board) {
                let ply = Tentative { mv, color: men::turn(&node.position), made, node: node.after(mv) };
                self.plies.truncate(kept);
                self.plies.push(ply);
                return;
            }
        }
    }

    /// Puts a move that was found otherwise on top.
    pub(crate) fn replace(&mut self, plies: Vec<Tentative>) {
        self.plies = plies;
        self.plies.truncate(Line::MAX);
    }

    /// When the last ply was first seen.
    pub(crate) fn made_at(&self) -> Option<Instant> {
        self.plies.last().map(|ply| ply.made.latest)
    }
}
