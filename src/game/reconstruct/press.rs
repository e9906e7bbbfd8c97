//! Which move a press completed: the board now, or the board that stood when the press was made.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::line::{Line, Tentative};

/// The most that a board may differ from the position after a move and still show that move.
const ACCEPTED: u32 = 30;
/// By how much the second best move must be worse.
const MARGIN: u32 = 10;

/// A press that waits for its move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pressed {
    pub(crate) by: Color,
    pub(crate) at: Interval,
}

/// The move that a press completed, and all that lies before it.
pub(crate) enum Match {
    /// The first `n` plies of the line.
    Line(usize),
    /// Another sequence of moves than the line.
    Moves(Vec<Tentative>),
}

/// What decides whether a match may be taken now.
pub(crate) struct Question<'a> {
    pub(crate) base: &'a Node,
    pub(crate) line: &'a Line,
    pub(crate) board: &'a PhysicalBoard,
    pub(crate) pressed: Pressed,
    pub(crate) scan: Duration,
}

impl Question<'_> {
    /// The move that the present board proves, if all of its squares have been still for one scan at `now`, or `last_call`.
    /// The scan counts from the press at the earliest: what stood then on a square may be told that much later, and a piece
    /// that slides may have paused where the board saw it last.
    pub(crate) fn present(&self, now: Instant, last_call: bool) -> Option<Match> {
        let mover = self.pressed.by;
        let settled = |mask: u64| last_call || self.board.changed_at(mask).max(self.pressed.at.latest).after(self.scan) <= now;
        let in_line = self.line.plies().iter().rposition(|ply| ply.color == mover);
        let mut best: Option<(u32, Match, u64)> = None;
        let mut second = u32::MAX;
        if let Some(index) = in_line {
            let ply = &self.line.plies()[index];
            let follows = self.line.top(self.base).men == *self.board.men() && index + 1 < self.line.plies().len();
            let cost = if follows { 0 } else { unexplained(&ply.node.men, self.board.men(), mover) };
            let mask = men::difference(&self.line.node(self.base, index).men, &ply.node.men);
            best = Some((cost, Match::Line(index + 1), mask));
        }
        if men::turn(&self.base.position) == mover {
            let listed = in_line.filter(|&index| index == 0).map(|index| self.line.plies()[index].mv);
            for (cost, candidate) in self.shown(self.board.men()).filter(|(_, candidate)| Some(candidate.mv) != listed) {
                match &best {
                    Some((least, ..)) if cost >= *least => second = second.min(cost),
                    _ => {
                        second = best.as_ref().map_or(u32::MAX, |(least, ..)| *least);
                        let made = self.made(self.board.changed_at(candidate.mask));
                        best = Some((cost, Match::Moves(self.plies(&[candidate.mv], made)), candidate.mask));
                    }
                }
            }
        }
        let (cost, found, mask) = best?;
        let sure = cost <= ACCEPTED && second.saturating_sub(cost) >= MARGIN;
        (sure && settled(mask)).then_some(found)
    }

    /// The presser's moves that `board` shows whole, each with what else it would leave unexplained.
    fn shown<'b>(&'b self, board: &'b Men) -> impl Iterator<Item = (u32, &'b Candidate)> {
        let seen = men::difference(&self.base.men, board);
        let shown = self.base.table().iter().filter(move |candidate| candidate.mask & seen != 0 && candidate.shown_by(board));
        shown.map(move |candidate| {
            let mut after = self.base.men;
            for &(square, man) in candidate.after() {
                after[usize::from(square)] = man;
            }
            (unexplained(&after, board, self.pressed.by), candidate)
        })
    }

    /// The move that a board showed while the press was on its way; the newest such board counts. Where it shows two moves
    /// equally well, nothing is said before the `last_call`.
    pub(crate) fn past(&self, last_call: bool) -> Option<Match> {
        if men::turn(&self.base.position) != self.pressed.by {
            return None;
        }
        let told = self.pressed.at.latest.after(self.scan);
        let mut boards = self.board.past(self.pressed.at.earliest).filter(|(since, _)| *since <= told);
        while let Some((mut since, men)) = boards.next() {
            let mut shown: Vec<_> = self.shown(&men).filter(|(cost, _)| *cost <= ACCEPTED + MARGIN).collect();
            shown.sort_by_key(|(cost, _)| *cost);
            let Some(&(_, candidate)) = shown.first().filter(|(cost, _)| *cost <= ACCEPTED) else { continue };
            if shown.get(1).is_some_and(|(second, _)| second - shown[0].0 < MARGIN) {
                match last_call {
                    true => continue,
                    false => return None,
                }
            }
            // It was made when it was first seen.
            since = boards.map_while(|(since, men)| candidate.shown_by(&men).then_some(since)).last().unwrap_or(since);
            return Some(Match::Moves(self.plies(&[candidate.mv], self.made(since))));
        }
        None
    }

    /// The only two moves, the presser's and the reply, that lead to the present board.
    pub(crate) fn two_plies(&self) -> Option<Match> {
        let board = self.board.men();
        let changed = men::difference(&self.base.men, board);
        if men::turn(&self.base.position) != self.pressed.by || changed.count_ones() > 8 {
            return None;
        }
        let mut found: Option<[Move; 2]> = None;
        for first in self.base.table().iter().filter(|first| first.mask & changed != 0) {
            let Some(reply) = self.base.after(first.mv).exact(board) else { continue };
            if found.replace([first.mv, reply]).is_some() {
                return None;
            }
        }
        let made = self.made(self.board.last_change());
        found.map(|moves| Match::Moves(self.plies(&moves, made)))
    }

    fn made(&self, at: Instant) -> Interval {
        self.board.done(at, self.scan)
    }

    fn plies(&self, moves: &[Move], made: Interval) -> Vec<Tentative> {
        let mut plies: Vec<Tentative> = Vec::with_capacity(moves.len());
        for &mv in moves {
            let before = plies.last().map_or(self.base, |ply| &ply.node);
            let (color, node) = (men::turn(&before.position), before.after(mv));
            plies.push(Tentative { mv, color, made, node });
        }
        plies
    }
}

/// How badly `board` fits the position `after` a move of `mover`, in tenths of a nat (`reconstruction.md` section 3): what the
/// opponent does with his own men while he replies costs little, a man of the mover on a wrong square costs much.
fn unexplained(after: &Men, board: &Men, mover: Color) -> u32 {
    men::squares(men::difference(after, board))
        .map(|square| {
            let (expected, shown) = (after[square.index()], board[square.index()]);
            match (men::color(expected), men::color(shown)) {
                _ if shown == UNKNOWN => 10,
                (Some(owner), _) if shown == EMPTY && owner != mover => 10,
                (_, _) if shown == EMPTY => 20,
                (_, Some(owner)) if owner != mover => 15,
                _ => 60,
            }
        })
        .sum()
}
