//! The moves that stand on the board but are not yet sure.

use alloc::sync::Arc;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::occupancy::plausible::Doubt;
use crate::reconstruct::tuning::Weights;

/// A move made on the board that is not sure yet.
#[derive(Clone, Debug)]
pub(crate) struct Tentative {
    pub(crate) mv: Move,
    pub(crate) color: Color,
    /// When it was made: between the last scan that showed it unfinished and the first that showed it.
    pub(crate) made: Interval,
    /// The press that completed it.
    pub(crate) pressed: Option<Interval>,
    /// A board has shown it.
    pub(crate) seen: bool,
    /// It was taken for made although nothing shows it: it needs a press of a later move.
    pub(crate) inferred: bool,
    /// It was made while the board was not heard.
    pub(crate) repaired: bool,
    /// The board's own log tells it, whether it was seen as well or not.
    pub(crate) logged: bool,
    /// The squares that it changed.
    pub(crate) mask: u64,
    /// The square of its capture, where men are not identified and nobody was seen to touch it.
    pub(crate) untouched: u64,
    /// What it costs how that square was touched.
    pub(crate) touch: i32,
    /// What it costs that players would rather have played something else.
    pub(crate) doubt: Doubt,
    /// The position after it.
    pub(crate) node: Arc<Node>,
}

impl Tentative {
    /// What it costs how the square of its capture was touched, where men are not identified: until it is `answered` the man that
    /// captured may only be in a hand, and a captured man is mostly pushed off, so that its square is never empty.
    pub(crate) fn captured(&self, answered: bool, weights: &Weights) -> i32 {
        let capture = self.untouched != 0 || self.touch != 0;
        let touch = if self.untouched == 0 { self.touch } else { weights.pushed_off };
        touch + if capture && !answered { weights.in_hand } else { 0 }
    }

    /// A move that was made while the board was not heard.
    pub(crate) fn unheard(candidate: &Candidate, color: Color, made: Interval, node: Node) -> Tentative {
        Tentative {
            mv: candidate.mv,
            color,
            made,
            pressed: None,
            seen: true,
            inferred: false,
            repaired: true,
            logged: false,
            mask: candidate.mask,
            untouched: 0,
            touch: 0,
            doubt: Doubt::default(),
            node: Arc::new(node),
        }
    }
}

/// The tentative moves on top of the sure ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    plies: Vec<Tentative>,
}

impl Line {
    /// A board's log may tell so many.
    const MOST: usize = 512;

    pub(crate) fn plies(&self) -> &[Tentative] {
        &self.plies
    }

    pub(crate) fn plies_mut(&mut self) -> &mut [Tentative] {
        &mut self.plies
    }

    pub(crate) fn last(&self) -> Option<&Tentative> {
        self.plies.last()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// Adds a ply; false if there are too many.
    pub(crate) fn push(&mut self, ply: Tentative) -> bool {
        let room = self.plies.len() < Line::MOST;
        if room {
            self.plies.push(ply);
        }
        room
    }

    /// Drops the first ply, which has become sure.
    pub(crate) fn settle(&mut self) -> Option<Tentative> {
        (!self.plies.is_empty()).then(|| self.plies.remove(0))
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

    /// The same moves.
    pub(crate) fn same(&self, other: &Line) -> bool {
        self.plies.len() == other.plies.len() && self.begins_as(other)
    }

    /// The same moves as far as both go.
    pub(crate) fn begins_as(&self, other: &Line) -> bool {
        self.plies.iter().zip(&other.plies).all(|(one, two)| one.mv == two.mv)
    }

    /// The moves of `other` and then this one.
    pub(crate) fn is_one_more(&self, other: &Line, mv: Move) -> bool {
        let (last, before) = match self.plies.split_last() {
            Some((last, before)) if before.len() == other.plies.len() => (last, before),
            _ => return false,
        };
        last.mv == mv && before.iter().zip(&other.plies).all(|(one, two)| one.mv == two.mv)
    }

    /// When the last ply was first seen.
    pub(crate) fn made_at(&self) -> Option<Instant> {
        self.plies.last().map(|ply| ply.made.latest)
    }
}
