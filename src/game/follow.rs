//! Follows the moves on a board from a position that somebody names, for programs with which a player plays over the network
//! (`livechess/README.md#3`). It is independent of the game of record: it waits for no press, decides nothing, and can be begun anew at
//! any time.
//!
//! Moves are taken from placements that stand still. The line grows if the board shows the position after one or two legal plies,
//! and if there is only one way to it; it shrinks if the board shows an earlier position. Nothing else is guessed.

#[cfg(test)]
mod tests;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position, Role};

use crate::men::{self, EMPTY, Men, OCCUPIED};

/// The times for which a placement must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// A new position on a board that identifies men.
    pub settle: Duration,
    /// The same on a board that does not: a man that was slid over a square, or taken and not yet replaced, looks like a move.
    pub settle_unidentified: Duration,
    /// An earlier position, until the later moves are taken back.
    pub take_back: Duration,
}

impl Default for Waits {
    /// The bench `reconstruction -- --follow` compares these times with others.
    fn default() -> Waits {
        Waits {
            settle: Duration::from_millis(300),
            settle_unidentified: Duration::from_secs(1),
            take_back: Duration::from_secs(1),
        }
    }
}

/// The largest number of plies. A line that is so long grows no more.
pub const MAX_PLIES: usize = 1200;
/// The largest number of ways to one placement that are compared. With more, nobody knows what was played.
const MAX_WAYS: usize = 256;
/// The largest number of squares that a ply changes: those of castling.
const MAX_CHANGED: u32 = 4;

/// What was asked about the placement that stands on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Nothing,
    /// Whether the line grows.
    Growth,
    /// Also whether moves are taken back: only another placement gives another answer.
    All,
}

#[derive(Clone, Debug)]
struct Ply {
    san: String,
    after: Chess,
}

/// A line of moves from a position, as the board shows it.
#[derive(Clone, Debug)]
pub struct Follower {
    waits: Waits,
    start: Chess,
    line: Vec<Ply>,
    /// The men after the last move of the line.
    end: Men,
    shown: Men,
    /// Since when they are shown.
    since: Instant,
    asked: Asked,
    /// The squares on which the board differed from the end of the line at any time since that end last stood still.
    touched: u64,
}

/// One or two plies.
type Way = Vec<shakmaty::Move>;

impl Follower {
    /// Begins at a position. The board has shown `placement` since `since`.
    pub fn new(start: Chess, since: Instant, placement: &Placement) -> Follower {
        let (end, shown) = (men::of_board(start.board()), men_of(placement));
        let touched = men::difference(&shown, &end);
        Follower { waits: Waits::default(), start, line: Vec::new(), end, shown, since, asked: Asked::Nothing, touched }
    }

    /// Sets other times. Call it before the first placement.
    pub fn with_waits(mut self, waits: Waits) -> Follower {
        self.waits = waits;
        self
    }

    /// The board shows this placement since `at`. Returns whether the line has changed, because of the placement before.
    pub fn see(&mut self, at: Instant, placement: &Placement) -> bool {
        let mut changed = false;
        while self.deadline().is_some_and(|due| due < at) {
            changed |= self.ask();
        }
        let shown = men_of(placement);
        if shown != self.shown {
            (self.shown, self.since, self.asked) = (shown, at, Asked::Nothing);
            self.touched |= men::difference(&self.shown, &self.end);
        }
        changed
    }

    /// When [`Follower::wake`] should be called, unless the placement changes before.
    pub fn deadline(&self) -> Option<Instant> {
        match self.asked {
            Asked::Nothing if self.is_identified() => Some(self.since.after(self.waits.settle)),
            Asked::Nothing => Some(self.since.after(self.waits.settle_unidentified)),
            Asked::Growth => Some(self.since.after(self.waits.take_back)),
            Asked::All => None,
        }
    }

    /// Handles every deadline up to `now`. Returns whether the line has changed.
    pub fn wake(&mut self, now: Instant) -> bool {
        let mut changed = false;
        while self.deadline().is_some_and(|due| due <= now) {
            changed |= self.ask();
        }
        changed
    }

    /// The moves of the line in standard algebraic notation.
    pub fn san(&self) -> impl ExactSizeIterator<Item = &str> {
        self.line.iter().map(|ply| ply.san.as_str())
    }

    /// Whether the board shows the position after the last move of the line.
    pub fn is_match(&self) -> bool {
        men::same(&self.shown, &self.end)
    }

    /// What the board shows. Men that it does not identify are those of the line; a man that the line does not have is left out.
    pub fn placement(&self) -> Placement {
        men::placement(&named(&self.shown, &self.end))
    }

    fn is_identified(&self) -> bool {
        !self.shown.contains(&OCCUPIED)
    }

    /// Answers the question that is due.
    fn ask(&mut self) -> bool {
        if self.is_match() {
            (self.asked, self.touched) = (Asked::All, 0);
            return false;
        }
        if self.asked == Asked::Nothing {
            self.asked = Asked::Growth;
            return self.grow();
        }
        self.asked = Asked::All;
        self.take_back()
    }

    fn grow(&mut self) -> bool {
        let way = self.only_way(self.position(self.line.len()), true);
        way.is_some_and(|way| self.line.len() + way.len() <= MAX_PLIES && self.append(&way))
    }

    fn take_back(&mut self) -> bool {
        let earlier = |len: &usize| men::same(&self.shown, &men::of_board(self.position(*len).board()));
        if let Some(len) = (0..self.line.len()).rev().find(earlier) {
            self.line.truncate(len);
            return self.settle();
        }
        // A man that had stopped on its way: the last move is another one.
        let Some(before) = self.line.len().checked_sub(1) else { return false };
        let Some(way) = self.only_way(self.position(before), false) else { return false };
        self.line.truncate(before);
        self.append(&way)
    }

    fn append(&mut self, way: &Way) -> bool {
        for ply in way {
            let mut after = self.position(self.line.len()).clone();
            let san = SanPlus::from_move_and_play_unchecked(&mut after, *ply).to_string();
            self.line.push(Ply { san, after });
        }
        self.settle()
    }

    /// The line ends where the board stands.
    fn settle(&mut self) -> bool {
        self.end = men::of_board(self.position(self.line.len()).board());
        (self.asked, self.touched) = (Asked::All, 0);
        true
    }

    /// The position after this number of plies, which is at most that of the line.
    fn position(&self, plies: usize) -> &Chess {
        plies.checked_sub(1).and_then(|last| self.line.get(last)).map_or(&self.start, |ply| &ply.after)
    }

    /// The plies from a position to what the board shows: one, or if allowed two. None if there is no way, or if it is not clear which
    /// one was gone.
    fn only_way(&self, from: &Chess, may_be_two: bool) -> Option<Way> {
        let mut ways: Vec<Way> = Vec::new();
        for ply in from.legal_moves() {
            if men::same(&self.shown, &men_after(from, ply)) {
                ways.push(Vec::from([ply]));
            }
        }
        if ways.is_empty() && may_be_two {
            ways = self.ways_of_two(from)?;
        }
        if ways.len() > 1 && !self.is_identified() {
            // Of captures that look alike, one was made on a square that was seen empty. Nothing shows which man a pawn has become.
            ways.retain(|way| way.iter().all(|ply| ply.promotion().is_none_or(|role| role == Role::Queen)));
            ways.retain(|way| self.changed_squares(from, way) & !self.touched == 0);
        }
        if ways.len() == 1 { ways.pop() } else { None }
    }

    fn ways_of_two(&self, from: &Chess) -> Option<Vec<Way>> {
        let mut ways = Vec::new();
        for first in from.legal_moves() {
            let after = played(from, first);
            // Most first plies lead so far away that no second one leads back.
            if men::difference(&self.shown, &men::of_board(after.board())).count_ones() > MAX_CHANGED {
                continue;
            }
            for second in after.legal_moves() {
                if men::same(&self.shown, &men_after(&after, second)) {
                    ways.push(Vec::from([first, second]));
                }
            }
            if ways.len() > MAX_WAYS {
                return None;
            }
        }
        Some(ways)
    }

    /// The squares whose man is another one after any ply of this way.
    fn changed_squares(&self, from: &Chess, way: &Way) -> u64 {
        let (mut position, mut changed) = (from.clone(), 0);
        for ply in way {
            let after = played(&position, *ply);
            changed |= men::difference(&men::of_board(position.board()), &men::of_board(after.board()));
            position = after;
        }
        changed
    }
}

/// A placement with the names of men that the board does not identify, as far as `known` has them: a man that `known` does not have is
/// left out, and so is a square that cannot be read.
pub fn with_names(placement: &Placement, known: &Placement) -> Placement {
    men::placement(&named(&men_of(placement), &men_of(known)))
}

fn named(shown: &Men, known: &Men) -> Men {
    core::array::from_fn(|square| match shown[square] {
        OCCUPIED if known[square] != OCCUPIED => known[square],
        man if men::piece(man).is_some() => man,
        _ => EMPTY,
    })
}

fn men_of(placement: &Placement) -> Men {
    core::array::from_fn(|square| men::of_reading(placement.0[square]))
}

fn played(position: &Chess, ply: shakmaty::Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(ply);
    after
}

fn men_after(position: &Chess, ply: shakmaty::Move) -> Men {
    men::of_board(played(position, ply).board())
}
