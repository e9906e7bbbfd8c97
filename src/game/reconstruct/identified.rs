//! Defines the rules for boards that report which man stands on each square.

mod early_reply;
mod recovery;

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

use crate::men::{self, EMPTY, Men};
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::hypothesis::{Hypothesis, NO_LEGAL_MOVE, ON_THE_LINE, Scene};
use crate::reconstruct::line::Tentative;
use crate::reconstruct::record::Record;
use crate::reconstruct::route::{self, WhereAnswered};
use crate::reconstruct::sensing::{LastSure, Sensing, ShownMove, Verdict};
use crate::reconstruct::tuning::SETTLE_TIME;
use crate::reconstruct::tuning::{Tuning, Weights};

/// The time without a change of the board before which nothing is concluded, without a clock.
const QUIET: Duration = Duration::from_millis(700);

/// The rules for boards that identify men.
pub(crate) struct Identified;

impl Sensing for Identified {
    fn tuning(&self, tuning: &Tuning) -> Tuning {
        *tuning
    }

    fn longest_line(&self) -> usize {
        16
    }

    fn settle_after(&self, scan: Duration, clock: bool) -> Option<Duration> {
        clock.then_some(scan)
    }

    fn unexplained_extra(&self, _: &Hypothesis, _: &Node, _: &Scene<'_>) -> i32 {
        0
    }

    fn extended(&self, reading: &Hypothesis, next: &ShownMove<'_>, scene: &Scene<'_>) -> Option<Hypothesis> {
        // Moves are made one after the other: the man may be lifted before the reply, but it arrives after it. The opponent may
        // reply before the second man of a castling has moved.
        let arrived = scene.board.changed_at(1 << next.to).min(next.made.latest);
        let too_early = |before: &Tentative| {
            let castling = before.mv.is_castle().then(|| scene.board.changed_first(before.mask).before(scene.scan));
            arrived < castling.unwrap_or(before.made.earliest).min(before.made.earliest)
        };
        if reading.line.last().is_some_and(too_early) {
            return None;
        }
        let answered =
            reading.line.last().map_or(WhereAnswered::Here, |last| route::answered(next.before, last, next.begun, scene));
        let of_another = may_be_of_another_man(reading, next, arrived, scene);
        if of_another == Some(Stood::AfterPress) || answered == WhereAnswered::Elsewhere {
            return None;
        }
        let mut longer = reading.clone();
        let weights = &scene.tuning.weights;
        longer.penalty += of_another.map_or(0, |_| weights.on_two_squares);
        longer.penalty += if answered == WhereAnswered::Perhaps { weights.answered_elsewhere } else { 0 };
        // A move that explains the whole board also explains most of what was unexplained before it.
        let usual = match next.left {
            0 => scene.tuning.weights.explained,
            _ if early_reply::explains(reading, next, scene) => scene.tuning.weights.put,
            _ => i32::MAX,
        };
        longer.worst = longer.worst.min(most_left(reading, next.candidate, usual, scene));
        longer.add(next.node, next.candidate, next.made, next.begun, true, scene);
        Some(longer)
    }

    fn forgive_taken_off(&self, reading: &mut Hypothesis, candidate: &Candidate, scene: &Scene<'_>) {
        if candidate.target() != 0 && reading.worst_squares & !candidate.mask == 0 {
            reading.worst = reading.worst.min(most_left(reading, candidate, scene.tuning.weights.victim, scene));
        }
    }

    fn note_unexplained(&self, _: &mut Hypothesis, _: &Node, _: i32, _: bool, _: &Scene<'_>) {}

    /// If the last move was believed although nothing showed it, and the board shows it now, it counts as seen.
    fn note_last_move(&self, reading: &mut Hypothesis, _: i32, scene: &Scene<'_>) {
        let Some(last) = reading.line.plies_mut().last_mut().filter(|last| !last.seen || last.inferred) else { return };
        if men::difference(&last.node.men, scene.board.men()) & last.mask == 0 {
            (last.seen, last.inferred) = (true, false);
            // A move that was pressed was finished before it could be called illegal, even if its man is shown later.
            let finished = last.pressed.map_or(scene.now, |pressed| pressed.latest.after(NO_LEGAL_MOVE));
            last.made.latest = last.made.latest.max(scene.board.changed_at(last.mask).min(finished));
        }
    }

    fn quiet_time(&self, _: bool) -> Duration {
        QUIET
    }

    fn on_its_way(&self) -> Option<Duration> {
        None
    }

    /// A reading that leaves or left much unexplained waits until the board is still. If anything is unexplained then, the
    /// reading is compared with readings that explain everything.
    fn rest_time(&self, _: &Tentative, _: &Node) -> Duration {
        SETTLE_TIME
    }

    fn verdict(&self, best: &Hypothesis, base: &Node, _: bool, scene: &Scene<'_>) -> Verdict {
        let stood = scene.now >= scene.board.last_change().after(scene.scan);
        let weights = &scene.tuning.weights;
        // Without a clock, moves may have been made between two reports of the board.
        let hidden = !scene.clock && best.mismatch(base, scene) >= weights.explained;
        if !stood && (hidden || best.leaves_unexplained(weights.reread)) {
            Verdict::Later
        } else if stood && best.mismatch(base, scene) > 0 {
            Verdict::Compare
        } else {
            Verdict::Sure
        }
    }

    fn lacks_king(&self, shown: &Men, king: u8) -> bool {
        men::count(shown, king) != 1
    }

    fn hides_captures(&self) -> bool {
        false
    }

    fn cost_of_no_further_move(&self, _: i32, settled: &Tentative, _: &Weights) -> i32 {
        settled.paid
    }

    fn reread(&self, sure: &LastSure<'_>, scene: &Scene<'_>) -> Vec<Hypothesis> {
        recovery::reread(sure, scene)
    }

    fn find_rivals(&self, best: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>) -> Vec<Hypothesis> {
        let mut found = recovery::reread(sure, scene);
        recovery::add_moves_to_dead_squares(best, sure, scene, &mut found);
        if !scene.clock {
            recovery::add_hidden_moves(sure, scene, &mut found);
        }
        found
    }

    fn add_partly_shown(&self, reading: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>, found: &mut Vec<Hypothesis>) {
        recovery::add_lifted_again(reading, sure, scene, found);
        found.extend(recovery::joined(reading, sure, scene));
    }

    fn unproved_promotions(&self, _: &Record) -> Vec<(usize, u64)> {
        Vec::new()
    }
}

/// The most that counts of what was unexplained before a move that explains it, which is `usual` for most moves. A move that captures
/// the last man does not explain that this man was seen on another square meanwhile: perhaps it was only taken off over that square,
/// but if it rested there, it had gone there. Nor does it explain that a man was off since before its player's move before.
fn most_left(reading: &Hypothesis, candidate: &Candidate, usual: i32, scene: &Scene<'_>) -> i32 {
    if usual == i32::MAX || route::was_off_before(reading.line.plies(), candidate, scene) {
        return i32::MAX;
    }
    let Some(last) = reading.line.last() else { return usual };
    let stood = route::seen_elsewhere(last, candidate, scene).map_or(Duration::ZERO, |(stood, _)| stood);
    // A man that is taken off may brush other squares, seldom for longer than a scan.
    if stood <= scene.scan {
        usual
    } else if stood <= scene.scan * route::BRUSHED_SCANS && !route::was_put_elsewhere(last, last.pressed, candidate, scene) {
        usual.max(scene.tuning.weights.explained)
    } else {
        i32::MAX
    }
}

/// Until when the man of a move stood on its old square.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stood {
    /// It stood there when its player had pressed: another man was moved.
    AfterPress,
    /// It stood there for longer than a scan after the arrival of a man like it.
    TooLong,
}

/// Whether the man that arrived may be another one than that of the move: the man of the move still stood on its square later, and a
/// man like it had been off the board since before the arrival. If no press shows it, that man must be one that could have come to the
/// same square.
fn may_be_of_another_man(reading: &Hypothesis, next: &ShownMove<'_>, arrived: Instant, scene: &Scene<'_>) -> Option<Stood> {
    let from = next.candidate.mv.from()?;
    let left = scene.board.changed_at(1 << from.to_u32());
    let after_press = reading.waiting.first().is_some_and(|pressed| left > pressed.at.latest.after(scene.scan));
    let stayed = left > arrived.after(scene.scan).after(ON_THE_LINE);
    if !after_press && !stayed {
        return None;
    }
    let (men, shown) = (&next.node.men, scene.board.men());
    let others = || {
        men::squares(men::difference(men, shown)).filter(|square| {
            let index = square.index();
            index != from.to_usize() && men[index] == men[from.to_usize()] && shown[index] == EMPTY
        })
    };
    let off_by = |square: &Square, time: Instant| scene.board.changed_at(square.bit()) <= time;
    let could_come = |square: &Square| {
        next.node.table().iter().any(|other| other.mv.to() == next.candidate.mv.to() && starts_on(other, *square))
    };
    if after_press && others().any(|square| off_by(&square, arrived)) {
        Some(Stood::AfterPress)
    } else if stayed && others().any(|square| off_by(&square, arrived.after(scene.scan)) && could_come(&square)) {
        Some(Stood::TooLong)
    } else {
        None
    }
}

/// True if the man of this move stands on this square before it.
fn starts_on(candidate: &Candidate, square: Square) -> bool {
    candidate.mv.from().is_some_and(|from| from.to_usize() == square.index())
}
