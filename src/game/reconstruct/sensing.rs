//! Defines the rules that depend on the kind of board: whether it reports which man stands on a square, or only that one does.
//!
//! `identified.rs` and `occupancy/` have the rules for the two kinds of boards. The rest of the decoder is the same for both.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::men::Men;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::hypothesis::{Hypothesis, Pressed, Scene};
use crate::reconstruct::line::Tentative;
use crate::reconstruct::record::Record;
use crate::reconstruct::tuning::{Tuning, Weights};

/// The longest time after the last change of the board for which the end of an unfinished movement is awaited.
pub(crate) const RECHECK_UNTIL: Duration = Duration::from_secs(10);

/// A move that the board shows after the moves of a reading.
pub(crate) struct ShownMove<'a> {
    /// The position before the last move of the reading.
    pub(crate) before: &'a Node,
    /// The position before the move.
    pub(crate) node: &'a Node,
    pub(crate) candidate: &'a Candidate,
    /// The square on which the man of the move stands afterwards, a1 = 0.
    pub(crate) to: u8,
    pub(crate) made: Interval,
    /// When the first of the squares of the move changed.
    pub(crate) begun: Instant,
    /// The cost of what the board shows beyond the move, in tenths of a nat.
    pub(crate) left: i32,
}

/// The position after the last sure move, with which every reading begins.
pub(crate) struct LastSure<'a> {
    pub(crate) base: &'a Node,
    /// When the last sure move was made; none before the first one.
    pub(crate) made: Option<Interval>,
    /// Squares whose sensors are believed to be dead.
    pub(crate) dead: u64,
    /// The last presses that were heard since those of the sure moves, the latest one at the end.
    pub(crate) heard: &'a [Pressed],
}

impl LastSure<'_> {
    /// True if a move that was made in `made` may follow the moves of the reading: moves are made one after the other.
    pub(crate) fn may_follow(&self, reading: &Hypothesis, made: Interval) -> bool {
        let before = reading.line.last().map(|ply| ply.made).or(self.made);
        before.is_none_or(|before| before.earliest <= made.latest)
    }

    /// When the last move of the reading, or the last sure move, was first shown.
    pub(crate) fn last_shown(&self, reading: &Hypothesis) -> Instant {
        reading.line.last().map(|ply| ply.made).or(self.made).map_or(Instant::ZERO, |made| made.latest)
    }
}

/// Whether a move that is proved becomes sure now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It becomes sure.
    Sure,
    /// It must wait.
    Later,
    /// It becomes sure only if no reading is found that explains the board better.
    Compare,
}

/// The rules for one kind of board. They are chosen once for each [`Scene`].
pub(crate) trait Sensing {
    /// The weights and the size of the beam for this kind of board.
    fn tuning(&self, tuning: &Tuning) -> Tuning;

    /// The most pending moves that a reading may have.
    fn longest_line(&self) -> usize;

    /// How long the board must be still before everything that it shows beyond a reading counts, if a scan takes `scan`. Until
    /// then a hand may be moving a man. None if it never counts in full.
    fn settle_after(&self, scan: Duration, clock: bool) -> Option<Duration>;

    /// The cost of what a reading leaves unexplained, in tenths of a nat, beside the squares that differ from `node`, its last
    /// position.
    fn unexplained_extra(&self, reading: &Hypothesis, node: &Node, scene: &Scene<'_>) -> i32;

    /// The reading with one more move. None if the move cannot have been made after the moves before it.
    fn extended(&self, reading: &Hypothesis, next: &ShownMove<'_>, scene: &Scene<'_>) -> Option<Hypothesis>;

    /// Forgives what was unexplained on the square of a captured man, because that man may have been taken off first.
    fn forgive_taken_off(&self, reading: &mut Hypothesis, candidate: &Candidate, scene: &Scene<'_>);

    /// Notes since when the board has shown more than the reading, before the reading is judged. `settled` is true if the board
    /// has been still for so long that all of it counts.
    fn note_unexplained(&self, reading: &mut Hypothesis, base: &Node, mismatch: i32, settled: bool, scene: &Scene<'_>);

    /// Notes what the board shows of the last move of the reading, while the reading is judged.
    fn note_last_move(&self, reading: &mut Hypothesis, mismatch: i32, scene: &Scene<'_>);

    /// Without a clock, nothing is concluded for this time after the last change of the board, because a man may be on its way.
    /// `explained` is true if the best reading explains everything that the board shows.
    fn quiet_time(&self, explained: bool) -> Duration;

    /// How long a man that slides may be on its way; none if slides are not waited for.
    fn on_its_way(&self) -> Option<Duration>;

    /// How long the first pending move must have rested on its squares to be sure without a clock and without a reply. `base` is the
    /// position before it.
    fn rest_time(&self, first: &Tentative, base: &Node) -> Duration;

    /// Whether the first move of the best reading, which is proved, becomes sure. `preferred` is true if only the preferences of
    /// players separate it from another move, and the next moves may still decide.
    fn verdict(&self, best: &Hypothesis, base: &Node, preferred: bool, scene: &Scene<'_>) -> Verdict;

    /// True if the board does not show exactly one king of the player, so that a change is not reported yet.
    fn lacks_king(&self, shown: &Men, king: u8) -> bool;

    /// True if a capture can be made that no sensor notices. Captures that explain the board equally well are then named, and in
    /// the end one of them is chosen.
    fn hides_captures(&self) -> bool;

    /// The cost of the reading in which no move was played after the move `settled`, which became sure, if that reading had been
    /// given up. `cost` is the cost of the best reading with this move.
    fn cost_of_no_further_move(&self, cost: i32, settled: &Tentative, weights: &Weights) -> i32;

    /// Readings that lead from the last sure move to the position on the board, without what was unexplained before.
    fn reread(&self, sure: &LastSure<'_>, scene: &Scene<'_>) -> Vec<Hypothesis>;

    /// Readings that are compared with the best one before a move becomes sure that leaves something unexplained.
    fn find_rivals(&self, best: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>) -> Vec<Hypothesis>;

    /// Adds to `found` the readings with a move that the board has shown only in part.
    fn add_partly_shown(&self, reading: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>, found: &mut Vec<Hypothesis>);

    /// Promotions to a man that the board does not show and that is not proved or confirmed: the index of the move, and the
    /// square of the man as a mask.
    fn unproved_promotions(&self, record: &Record) -> Vec<(usize, u64)>;
}
