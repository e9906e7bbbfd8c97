//! Boards that tell only where something stands (`reconstruct/README.md#3.5`).

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
use crate::reconstruct::occupancy::plausible::doubt;
use crate::reconstruct::occupancy::promoted::unproved;
use crate::reconstruct::record::Record;
use crate::reconstruct::sensing::{LastSure, RECHECK_UNTIL, Sensing, ShownMove, Verdict};
use crate::reconstruct::tuning::{Tuning, Weights};

/// For every second beyond the second one that a man of the side to move is off the board: he has probably captured.
const HELD_PER_SECOND: i32 = 30;
/// A man that slides is no other one until it has rested for so long.
const ON_ITS_WAY: Duration = Duration::from_secs(1);
/// Without a clock the board must be quiet for so long: where men are not identified it fits many a move.
const QUIET: Duration = Duration::from_millis(1500);

/// The board does not identify men.
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
        // What explains the whole board explains what was odd before it as well, if that was of one movement: the same squares are
        // soon occupied again.
        if next.left == 0 && slid {
            longer.worst = longer.worst.min(weights.explained).max(reading.worst_before);
        }
        // A hand comes to the board when the other one has left it.
        if before.is_some_and(|before| next.begun < before.made.latest) {
            longer.penalty += weights.lifted_early;
        }
        longer.add(next.node, next.candidate, next.made, next.begun, true, scene);
        longer.inherited = if slid { (longer.penalty - reading.penalty - reading.worst_before).max(0) } else { 0 };
        (longer.odd_since, longer.worst_before) = (None, 0);
        longer.count_underpromotion(weights);
        if let Some(last) = longer.line.plies_mut().last_mut() {
            last.untouched = next.candidate.target();
            last.doubt = doubt(next.node, next.candidate, weights);
        }
        Some(longer)
    }

    fn forgive_taken_off(&self, _: &mut Hypothesis, _: &Candidate, _: &Weights) {}

    fn note_odd(&self, reading: &mut Hypothesis, base: &Node, mismatch: i32, settled: bool, scene: &Scene<'_>) {
        reading.note_odd(mismatch, base, scene);
        // What stands is not on its way.
        if settled && reading.odd_since.is_some_and(|since| since <= scene.now) {
            reading.odd_since = Some(Instant::ZERO);
        }
    }

    fn note_last_move(&self, reading: &mut Hypothesis, mismatch: i32, scene: &Scene<'_>) {
        reading.note_touch(scene);
        reading.forgive_slide(mismatch, scene);
    }

    /// What is under way may show that it was otherwise.
    fn quiet_time(&self, explained: bool) -> Duration {
        if explained { QUIET } else { RECHECK_UNTIL }
    }

    fn on_its_way(&self) -> Option<Duration> {
        Some(ON_ITS_WAY)
    }

    /// What players prefer is no proof while the next moves may still tell.
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

    fn add_recaptures(&self, _: &Hypothesis, _: &LastSure<'_>, _: &Scene<'_>, _: &mut Vec<Hypothesis>) {}

    fn unproved_promotions(&self, record: &Record) -> Vec<(usize, u64)> {
        unproved(record)
    }
}
