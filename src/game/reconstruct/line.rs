//! Holds the pending moves of a reading: they stand on the board but are not sure yet.

use alloc::sync::Arc;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::men;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::occupancy::plausible::Doubt;
use crate::reconstruct::tuning::Weights;

/// A move that was made on the board and is not sure yet.
#[derive(Clone, Debug)]
pub(crate) struct Tentative {
    pub(crate) mv: Move,
    pub(crate) color: Color,
    /// When the move was made: between the last scan that showed it unfinished and the first scan that showed it.
    pub(crate) made: Interval,
    /// The press that completed the move.
    pub(crate) pressed: Option<Interval>,
    /// A board has shown the move.
    pub(crate) seen: bool,
    /// The move was believed although nothing shows it: the press of a later move must prove it.
    pub(crate) inferred: bool,
    /// The move was made while the board was not heard.
    pub(crate) repaired: bool,
    /// The move was made while the board was not heard, and it ends the game: it needs no press (6.2.1.1).
    pub(crate) ends_game: bool,
    /// The board's own log contains the move, whether the board showed it too or not.
    pub(crate) logged: bool,
    /// The squares that the move changed.
    pub(crate) mask: u64,
    /// The square of the captured man, where men are not identified and no touch of that square was seen.
    pub(crate) untouched: u64,
    /// The cost of the way in which that square was touched.
    pub(crate) touch: i32,
    /// The cost of a move that players seldom prefer.
    pub(crate) doubt: Doubt,
    /// The cost that the reading had for good when it got this move.
    pub(crate) paid: i32,
    /// The position after the move.
    pub(crate) node: Arc<Node>,
}

impl Tentative {
    /// The cost of the way in which the square of the captured man was touched, where men are not identified. Until the move is
    /// `answered`, the man that captured may only be in a hand. A captured man is often pushed off, so that its square is never
    /// empty.
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
            ends_game: false,
            logged: false,
            mask: candidate.mask,
            untouched: 0,
            touch: 0,
            doubt: Doubt::default(),
            paid: 0,
            node: Arc::new(node),
        }
    }
}

/// The pending moves that follow the sure moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    plies: Vec<Tentative>,
}

impl Line {
    /// The largest number of moves in a line. A board's log may contain so many.
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

    /// Adds a move. False if the line is full.
    pub(crate) fn push(&mut self, ply: Tentative) -> bool {
        let room = self.plies.len() < Line::MOST;
        if room {
            self.plies.push(ply);
        }
        room
    }

    /// Removes the first move, which has become sure.
    pub(crate) fn settle(&mut self) -> Option<Tentative> {
        (!self.plies.is_empty()).then(|| self.plies.remove(0))
    }

    /// The position after the first `count` moves.
    pub(crate) fn node<'a>(&'a self, base: &'a Node, count: usize) -> &'a Node {
        match count.checked_sub(1).and_then(|last| self.plies.get(last)) {
            Some(ply) => &ply.node,
            None => base,
        }
    }

    /// The position after all moves.
    pub(crate) fn top<'a>(&'a self, base: &'a Node) -> &'a Node {
        self.node(base, self.plies.len())
    }

    /// True if both lines have the same moves.
    pub(crate) fn same(&self, other: &Line) -> bool {
        self.plies.len() == other.plies.len() && self.begins_as(other)
    }

    /// True if both lines have the same moves as far as the shorter one goes.
    pub(crate) fn begins_as(&self, other: &Line) -> bool {
        self.plies.iter().zip(&other.plies).all(|(one, two)| one.mv == two.mv)
    }

    /// True if the line has the moves of `other` and then this move.
    pub(crate) fn is_one_more(&self, other: &Line, mv: Move) -> bool {
        let (last, before) = match self.plies.split_last() {
            Some((last, before)) if before.len() == other.plies.len() => (last, before),
            _ => return false,
        };
        last.mv == mv && before.iter().zip(&other.plies).all(|(one, two)| one.mv == two.mv)
    }

    /// The number of moves whose press is known.
    pub(crate) fn presses(&self) -> usize {
        self.plies.iter().filter(|ply| ply.pressed.is_some()).count()
    }

    /// When the last move was first seen.
    pub(crate) fn made_at(&self) -> Option<Instant> {
        self.plies.last().map(|ply| ply.made.latest)
    }
}

/// The man that a move leaves on its square, and that square.
pub(crate) fn man_of(mv: Move, color: Color) -> (u8, u8) {
    let role = mv.promotion().unwrap_or(mv.role());
    let us = men::to_color(color);
    let to = match mv {
        Move::Castle { king, rook } => shakmaty::CastlingSide::from_king_side(king < rook).king_to(us),
        _ => mv.to(),
    };
    (men::of_shakmaty(role.of(us)), u8::from(to))
}
