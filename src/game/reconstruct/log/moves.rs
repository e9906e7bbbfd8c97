//! Derives the moves that were played from the steps of a board's log.
//!
//! Every board that is exactly the position after a legal move may show that move, or a man on its way. Every possible list of
//! moves is kept as a `Way` until a press or the end of the log decides. If hands were so quick that the board never showed a
//! move alone, a search from one press to the next finds the moves. They must agree with the order in which the men were seen.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Color, Square};
use shakmaty::{CastlingSide, Move, Position};

use super::{Replay, Step};
use crate::men::{self, Men};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::search::{self, Limits};

/// The largest number of ways that a log may allow at one time. A log with more is noise and no game.
const MOST_WAYS: usize = 256;
/// The largest number of positions that all searches together may visit.
const SEARCH: u32 = 200_000;
/// The largest number of changes that one scan may report in any order.
const ONE_SCAN: usize = 4;
/// The largest number of moves that may be missing between two boards that are known.
const MOST_MISSING: u8 = 4;
/// The number of moves by which a path may be longer than the shortest one and still make it doubtful.
const LONGER: u8 = 2;

/// One possible list of moves for the log so far.
#[derive(Clone)]
struct Way {
    moves: Vec<Move>,
    node: Node,
    /// The last move was pressed.
    pressed: bool,
    /// The first step that does not belong to the moves.
    next: usize,
}

struct Ways<'a> {
    steps: &'a [Step],
    open: Vec<Way>,
    /// Presses that no open way explains. Until a search explains them, no board is read as a move.
    owed: u8,
    men: Men,
    /// What is left of [`SEARCH`].
    nodes: u32,
}

/// The moves that lead from `from` over the steps to `target`, if the log leaves no doubt. `from` must be the position that the
/// replay follows, `target` the board when the log was read, and `white` the side of the clock at which White sits. The last move
/// may lack its press.
pub(crate) fn moves_of(replay: &Replay, from: &Node, target: &Men, white: ClockSide) -> Option<Vec<Move>> {
    let first = Way { moves: Vec::new(), node: from.clone(), pressed: false, next: 0 };
    let mut ways = Ways { steps: &replay.steps, open: alloc::vec![first], owed: 0, men: from.men, nodes: SEARCH };
    for (index, step) in replay.steps.iter().enumerate() {
        match *step {
            Step::Square { square, reading, .. } => {
                ways.men[square.index()] = men::of_reading(reading);
                ways.follow(index)?;
            }
            Step::Press { side, .. } => ways.press(if side == white { Color::White } else { Color::Black }, index)?,
        }
    }
    ways.moves_to(target).filter(|moves| nothing_else_seen(from, moves, &replay.steps))
}

impl Ways<'_> {
    /// Adds the ways with one more move that the board shows.
    fn follow(&mut self, index: usize) -> Option<()> {
        if self.owed > 0 {
            return Some(());
        }
        for known in 0..self.open.len() {
            let way = &self.open[known];
            let Some(mv) = way.node.exact(&self.men) else { continue };
            let mut moves = way.moves.clone();
            moves.push(mv);
            if self.open.iter().all(|other| other.moves != moves) {
                let node = way.node.after(mv);
                self.open.push(Way { moves, node, pressed: false, next: index + 1 });
            }
        }
        (self.open.len() <= MOST_WAYS).then_some(())
    }

    /// Keeps the ways that end in a move of that side without a press.
    fn press(&mut self, by: Color, index: usize) -> Option<()> {
        let men = self.men;
        let explains = |way: &Way| men::turn(&way.node.position) != by && !way.pressed && in_place(&men, &way.node.men, by);
        if self.owed == 0 && self.open.iter().any(explains) {
            self.open.retain(explains);
            self.open.iter_mut().for_each(|way| way.pressed = true);
            return Some(());
        }
        let found = self.find_bridge(&men, Some(by.other()), index)?;
        if found.is_empty() {
            self.owed += 1;
            return (self.owed < search::MOST_PLIES).then_some(());
        } else {
            self.open = found;
            self.owed = 0;
        }
        Some(())
    }

    /// The ways from the open ones to a board, with moves that were never seen alone. None if the search was not complete.
    fn find_bridge(&mut self, board: &Men, turn_after: Option<Color>, end: usize) -> Option<Vec<Way>> {
        let least = self.owed + 1;
        let mut found: Vec<Way> = Vec::new();
        for way in &self.open {
            let mut shortest = None;
            for plies in least..=MOST_MISSING.max(least) {
                // If a press is missing, the shortest path need not be the one that was played.
                if shortest.is_some_and(|shortest| plies > shortest + LONGER) {
                    break;
                }
                let limits = Limits { least: plies, most: plies, turn_after, nodes: self.nodes, ..Limits::default() };
                let paths = search::paths(&way.node.position, board, limits);
                self.nodes = self.nodes.saturating_sub(paths.nodes);
                if !paths.complete {
                    return None;
                }
                let before = found.len();
                for path in paths.paths {
                    let moves = [&way.moves[..], &path].concat();
                    if self.is_shown(way, &path, end) && found.iter().all(|other| other.moves != moves) {
                        let node = path.iter().fold(way.node.clone(), |node, &mv| node.after(mv));
                        found.push(Way { moves, node, pressed: turn_after.is_some(), next: end + 1 });
                    }
                }
                if found.len() > before {
                    shortest.get_or_insert(plies);
                }
            }
        }
        Some(found)
    }

    /// True if the steps before `end` show the men of a path that continues a way, and no other men.
    fn is_shown(&self, way: &Way, path: &[Move], end: usize) -> bool {
        let steps = &self.steps[..end.min(self.steps.len())];
        seen_in_order(&way.node, path, steps, way.next) && nothing_else_seen(&way.node, path, &steps[way.next.min(steps.len())..])
    }

    /// The moves of the only way that ends in the board.
    fn moves_to(mut self, target: &Men) -> Option<Vec<Move>> {
        let mut ends: Vec<Vec<Move>> = Vec::new();
        if self.owed == 0 {
            ends.extend(self.open.iter().filter(|way| way.node.men == *target).map(|way| way.moves.clone()));
        }
        if ends.is_empty() && self.men == *target {
            ends.extend(self.find_bridge(target, None, self.steps.len())?.into_iter().map(|way| way.moves));
        }
        if ends.len() == 1 { ends.pop() } else { None }
    }
}

/// True if no man of `by` stands on a square on which the position has no man or another one. Other differences are changes by
/// the opponent, or lifted men.
fn in_place(board: &Men, position: &Men, by: Color) -> bool {
    men::squares(men::difference(board, position)).all(|square| men::color(board[square.index()]) != Some(by))
}

/// The first step that may be of the same scan as the step with this index. A change that did not come quickly after the one before
/// is of a later scan. The oldest boards call no change quick (`dgt/README.md#7`).
fn begin_of_scan(steps: &[Step], index: usize) -> usize {
    let is_quick = |step: &Step| matches!(step, Step::Square { quick: true, .. });
    let marks = steps.iter().any(is_quick);
    let is_later = |step: &Step| marks && matches!(step, Step::Square { quick: false, .. });
    let least = index.saturating_sub(ONE_SCAN);
    (least..index).rev().find(|&before| steps.get(before + 1).is_some_and(is_later)).map_or(least, |before| before + 1)
}

/// True if the man of every move was seen on its new square, in the order of the moves, from the scan of the step `next` on. Changes of
/// one scan may be exchanged.
fn seen_in_order(from: &Node, path: &[Move], steps: &[Step], next: usize) -> bool {
    let mut position = from.position.clone();
    let mut first = begin_of_scan(steps, next);
    path.iter().all(|&mv| {
        let us = position.turn();
        let (to, man) = match mv {
            Move::Castle { king, rook } => (CastlingSide::from_king_side(king < rook).king_to(us), us.king()),
            _ => (mv.to(), mv.promotion().unwrap_or(mv.role()).of(us)),
        };
        position.play_unchecked(mv);
        let (to, man) = (Square::wrapping(to.to_u32() as u8), men::of_shakmaty(man));
        let shows =
            |step: &Step| matches!(*step, Step::Square { square, reading, .. } if square == to && men::of_reading(reading) == man);
        let seen = steps.iter().enumerate().skip(first).find(|(_, step)| shows(step));
        first = seen.map_or(first, |(index, _)| begin_of_scan(steps, index));
        seen.is_some()
    })
}

/// True if every man was seen only on squares where the moves put it, on squares that it passed, or where it stood before.
fn nothing_else_seen(from: &Node, path: &[Move], steps: &[Step]) -> bool {
    let mut may_stand = [0_u16; 64];
    let mut note = |men: &Men| may_stand.iter_mut().zip(men).for_each(|(may, man)| *may |= 1 << man);
    note(&from.men);
    let mut position = from.position.clone();
    for &mv in path {
        let mut passing = men::of_board(position.board());
        if let Some(begin) = mv.from().filter(|_| !mv.is_castle()) {
            let man = passing[begin.to_usize()];
            // A pawn waits on its last rank until another man replaces it.
            passing[mv.to().to_usize()] = man;
            shakmaty::attacks::between(begin, mv.to()).into_iter().for_each(|square| passing[square.to_usize()] = man);
        }
        note(&passing);
        position.play_unchecked(mv);
        note(&men::of_board(position.board()));
    }
    steps.iter().all(|step| match *step {
        Step::Square { square, reading, .. } => {
            let man = men::of_reading(reading);
            man == men::EMPTY || may_stand[square.index()] & (1 << man) != 0
        }
        Step::Press { .. } => true,
    })
}
