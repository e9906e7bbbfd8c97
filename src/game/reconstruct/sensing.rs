//! What depends on how much a board tells: which man stands on a square, or only that one does.
//!
//! `identified.rs` and `occupancy/` answer for the two kinds of boards. All else of the decoder is the same for both.

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

/// What is under way on the board is waited for no longer than this after its last change.
pub(crate) const RECHECK_UNTIL: Duration = Duration::from_secs(10);

/// A move that the board shows after a reading.
pub(crate) struct ShownMove<'a> {
    /// The position before it.
    pub(crate) node: &'a Node,
    pub(crate) candidate: &'a Candidate,
    /// The square on which its man stands afterwards, a1 = 0.
    pub(crate) to: u8,
    pub(crate) made: Interval,
    /// When the first of its squares changed.
    pub(crate) begun: Instant,
    /// What the board shows beyond it, tenths of a nat.
    pub(crate) left: i32,
}

/// What readings begin with: the position after the last sure move.
pub(crate) struct LastSure<'a> {
    pub(crate) base: &'a Node,
    /// When that move was made; none before the first one.
    pub(crate) made: Option<Interval>,
    /// Squares whose sensors are taken to be dead.
    pub(crate) dead: u64,
    /// The last presses that were heard, the latest at the end.
    pub(crate) heard: &'a [Pressed],
}

impl LastSure<'_> {
    /// Moves are made one after the other: this one, made then, may follow those of the reading.
    pub(crate) fn may_follow(&self, reading: &Hypothesis, made: Interval) -> bool {
        let before = reading.line.last().map(|ply| ply.made).or(self.made);
        before.is_none_or(|before| before.earliest <= made.latest)
    }
}

/// Whether a move that is proved becomes sure now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It does.
    Sure,
    /// Not yet.
    Later,
    /// Only if no reading is found that explains the board better.
    Compare,
}

/// How moves are read from one kind of board. It is chosen once for each [`Scene`].
pub(crate) trait Sensing {
    /// The weights and the size of the beam for this kind of board.
    fn tuning(&self, tuning: &Tuning) -> Tuning;

    /// How many pending moves a reading may have.
    fn longest_line(&self) -> usize;

    /// How long the board must stand, where a scan takes `scan`, before all that it shows beyond a reading counts: until then a
    /// hand may be on its way. None if it never counts in full.
    fn settle_after(&self, scan: Duration, clock: bool) -> Option<Duration>;

    /// What a reading leaves unexplained besides the squares that differ from `node`, its last position: tenths of a nat.
    fn unexplained_extra(&self, reading: &Hypothesis, node: &Node, scene: &Scene<'_>) -> i32;

    /// The reading and one more move; none if that cannot have been made after the moves before it.
    fn extended(&self, reading: &Hypothesis, next: &ShownMove<'_>, scene: &Scene<'_>) -> Option<Hypothesis>;

    /// The man that this move captures may have been taken off first: what was odd about its square is forgiven.
    fn forgive_taken_off(&self, reading: &mut Hypothesis, candidate: &Candidate, weights: &Weights);

    /// Notes since when the board has shown more than the reading, before it is judged; `settled`: the board has stood so long
    /// that all of it counts.
    fn note_odd(&self, reading: &mut Hypothesis, base: &Node, mismatch: i32, settled: bool, scene: &Scene<'_>);

    /// Notes what the board shows of the reading's last move while it is judged.
    fn note_last_move(&self, reading: &mut Hypothesis, mismatch: i32, scene: &Scene<'_>);

    /// Without a clock nothing is concluded for so long after the last change of the board: a man may be on its way.
    /// `explained`: the best reading explains all that the board shows.
    fn quiet_time(&self, explained: bool) -> Duration;

    /// How long a man that slides is on its way, where that counts.
    fn on_its_way(&self) -> Option<Duration>;

    /// Whether the first move of the best reading, which is proved, becomes sure. `preferred`: what was seen does not tell it from
    /// another one, only what players prefer does, and the next moves may still tell.
    fn verdict(&self, best: &Hypothesis, base: &Node, preferred: bool, scene: &Scene<'_>) -> Verdict;

    /// The player's king does not stand on the board as it should: something was not reported yet.
    fn lacks_king(&self, shown: &Men, king: u8) -> bool;

    /// A capture may be made that no sensor notices. Those that explain the board equally well are named, and in the end one of them
    /// is chosen.
    fn hides_captures(&self) -> bool;

    /// What a reading costs for good in which nothing was played after the move that has become `settled`, if it had been given up.
    /// `cost` is that of the best reading with this move.
    fn cost_of_no_further_move(&self, cost: i32, settled: &Tentative, weights: &Weights) -> i32;

    /// Readings that lead from the last sure move to what stands on the board, without what was odd before.
    fn reread(&self, sure: &LastSure<'_>, scene: &Scene<'_>) -> Vec<Hypothesis>;

    /// Those with which the best reading is compared before a move becomes sure that leaves something unexplained.
    fn find_rivals(&self, best: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>) -> Vec<Hypothesis>;

    /// Adds to `found` the reading and a capture whose man is off the board again.
    fn add_recaptures(&self, reading: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>, found: &mut Vec<Hypothesis>);

    /// Promotions to a piece that the board does not show and nothing else has proved or confirmed: the index of the move, and the
    /// square of the piece as a mask.
    fn unproved_promotions(&self, record: &Record) -> Vec<(usize, u64)>;
}
