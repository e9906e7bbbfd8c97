//! Defines the rules for boards that report only whether a man stands on a square (`reconstruct/README.md#3.5`).

mod evidence;
pub(crate) mod plausible;
pub(crate) mod promoted;

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::men::Men;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::hypothesis::{Hypothesis, Scene};
use crate::reconstruct::line::Tentative;
use crate::reconstruct::occupancy::evidence::SLIDES;
use crate::reconstruct::occupancy::plausible::doubt;
use crate::reconstruct::occupancy::promoted::unproved;
use crate::reconstruct::record::Record;
use crate::reconstruct::sensing::{LastSure, RECHECK_UNTIL, Sensing, ShownMove, Verdict};
use crate::reconstruct::tuning::SETTLE_TIME;
use crate::reconstruct::tuning::{Tuning, Weights};

/// The cost of each second, after the first two, for which a man of the side to move is off the board, in tenths of a nat. The
/// man has probably captured.
const HELD_PER_SECOND: i32 = 30;
/// The time for which a man that slides must have rested to have arrived.
const ON_ITS_WAY: Duration = Duration::from_secs(1);
/// The time without a change of the board before which nothing is concluded, without a clock: a position of men that are not
/// identified fits many moves.
const QUIET: Duration = Duration::from_millis(1500);

/// The rules for boards that do not identify men.
pub(crate) struct Occupancy;

impl Sensing for Occupancy {
    fn tuning(&self, tuning: &Tuning) -> Tuning {
        let weights = Weights { held_per_second: HELD_PER_SECOND, ..tuning.weights };
        Tuning { beam: tuning.beam_unidentified, weights, ..*tuning }
    }

    fn longest_line(&self) -> usize {
        40
    }

    fn settle_after(&self, scan: Duration, _: bool) -> Option<Duration> {
        Some(scan.max(ON_ITS_WAY))
    }

    fn unexplained_extra(&self, reading: &Hypothesis, node: &Node, scene: &Scene<'_>) -> i32 {
        reading.lifted_early(node, scene)
    }

    fn extended(&self, reading: &Hypothesis, next: &ShownMove<'_>, scene: &Scene<'_>) -> Option<Hypothesis> {
        let before = reading.line.last();
        // Moves are made one after the other.
        if before.is_some_and(|before| next.made.latest < before.made.earliest) {
            return None;
        }
        let weights = &scene.tuning.weights;
        let slid = reading.slides(scene.now);
        let mut longer = reading.clone();
        // A move that explains the whole board also explains what was unexplained before it, if all of that was one movement.
        // Without this condition it would explain too much, because the same squares are soon occupied again.
        if next.left == 0 && slid {
            longer.worst = longer.worst.min(weights.explained).max(reading.worst_before);
        }
        // A player moves a hand to the board after the opponent's hand has left it.
        if before.is_some_and(|before| next.begun < before.made.latest) {
            longer.penalty += weights.lifted_early;
        }
        longer.add(next.node, next.candidate, next.made, next.begun, true, scene);
        longer.inherited = if slid { (longer.penalty - reading.penalty - reading.worst_before).max(0) } else { 0 };
        (longer.unexplained_since, longer.worst_before) = (None, 0);
        longer.count_underpromotion(weights);
        if let Some(last) = longer.line.plies_mut().last_mut() {
            last.untouched = next.candidate.target();
            last.doubt = doubt(next.node, next.candidate, weights);
        }
        Some(longer)
    }

    fn forgive_taken_off(&self, _: &mut Hypothesis, _: &Candidate, _: &Scene<'_>) {}

    fn note_unexplained(&self, reading: &mut Hypothesis, base: &Node, mismatch: i32, settled: bool, scene: &Scene<'_>) {
        reading.note_unexplained(mismatch, base, scene);
        // A man that rests is not on its way.
        if settled && reading.unexplained_since.is_some_and(|since| since <= scene.now) {
            reading.unexplained_since = Some(Instant::ZERO);
        }
    }

    fn note_last_move(&self, reading: &mut Hypothesis, mismatch: i32, scene: &Scene<'_>) {
        reading.note_touch(scene);
        reading.forgive_slide(mismatch, scene);
    }

    /// While a movement is unfinished, its end may show another move.
    fn quiet_time(&self, explained: bool) -> Duration {
        if explained { QUIET } else { RECHECK_UNTIL }
    }

    fn on_its_way(&self) -> Option<Duration> {
        Some(ON_ITS_WAY)
    }

    /// A man that could have gone on may only pause in its slide.
    fn rest_time(&self, first: &Tentative, base: &Node) -> Duration {
        if base.may_be_part(first.mv) { SLIDES } else { SETTLE_TIME }
    }

    /// A preference of players is no proof while the next moves may still decide.
    fn verdict(&self, _: &Hypothesis, _: &Node, preferred: bool, _: &Scene<'_>) -> Verdict {
        if preferred { Verdict::Later } else { Verdict::Sure }
    }

    fn lacks_king(&self, _: &Men, _: u8) -> bool {
        false
    }

    fn hides_captures(&self) -> bool {
        true
    }

    fn cost_of_no_further_move(&self, cost: i32, settled: &Tentative, weights: &Weights) -> i32 {
        let pressed = if settled.pressed.is_some() { weights.pressed } else { 0 };
        let answered = settled.captured(true, weights) + settled.doubt.move_played - pressed;
        cost - answered + weights.viable
    }

    fn reread(&self, _: &LastSure<'_>, _: &Scene<'_>) -> Vec<Hypothesis> {
        Vec::new()
    }

    fn find_rivals(&self, _: &Hypothesis, _: &LastSure<'_>, _: &Scene<'_>) -> Vec<Hypothesis> {
        Vec::new()
    }

    fn add_partly_shown(&self, _: &Hypothesis, _: &LastSure<'_>, _: &Scene<'_>, _: &mut Vec<Hypothesis>) {}

    fn unproved_promotions(&self, record: &Record) -> Vec<(usize, u64)> {
        unproved(record)
    }
}
