//! Collects the evidence for a reading where men are not identified (`reconstruct/README.md#3.5`): touches of captured men, men
//! on their way or at rest, and men that were lifted too early.

use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::men;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::hypothesis::{Hypothesis, Scene};
use crate::reconstruct::line::Tentative;
use crate::reconstruct::tuning::Weights;

/// The longest time from the lift of a capturing man to the touch of the captured man.
const TOUCHED_WITHIN: Duration = Duration::from_secs(3);
/// The longest time for which the square of a captured man that is taken off just before the other man comes is empty. A man that
/// is straightened meanwhile may be off for longer.
const TAKEN_OFF: Duration = Duration::from_millis(350);
/// The longest time for which a man that slides, and may pause, is on its way.
pub(super) const SLIDES: Duration = Duration::from_secs(3);
/// The time within which a man that has just been moved is straightened.
const PUT_STRAIGHT: Duration = Duration::from_secs(4);
/// The time for which a man must have rested on its square before a capture that it seemed to make is certainly none.
const CAME_BACK: Duration = Duration::from_secs(5);
/// A moment that never comes. It means that the only unexplained difference is a man of the side to move in a hand.
const IN_HAND_ONLY: Instant = Instant(u64::MAX);

impl Hypothesis {
    /// Notes since when the board shows more than the moves of the reading and a man of the side to move in a hand.
    pub(super) fn note_unexplained(&mut self, mismatch: i32, base: &Node, scene: &Scene<'_>) {
        if mismatch == 0 {
            return;
        }
        if self.unexplained_since.is_none() {
            (self.unexplained_since, self.worst_before) = (Some(IN_HAND_ONLY), self.worst);
        }
        let node = self.line.top(base);
        let turn = men::turn(&node.position);
        let in_hand = |square: usize| scene.board.men()[square] == men::EMPTY && men::color(node.men[square]) == Some(turn);
        let beyond = men::squares(men::difference(&node.men, scene.board.men())).any(|square| !in_hand(square.index()));
        if beyond && self.unexplained_since == Some(IN_HAND_ONLY) {
            self.unexplained_since = Some(scene.now);
        }
    }

    /// Forgives a slide. A man that slides is seen on many squares: a move that explains the board in the end explains them.
    pub(super) fn forgive_slide(&mut self, mismatch: i32, scene: &Scene<'_>) {
        if mismatch != 0 {
            return;
        }
        let most = scene.tuning.weights.slid;
        if self.slides(scene.now) {
            self.worst = self.worst.min(most).max(self.worst_before);
        }
        self.unexplained_since = None;
        self.penalty -= (self.inherited - most).max(0);
        self.inherited = self.inherited.min(most);
    }

    /// True if what is unexplained is so young that it may be a man on its way.
    pub(super) fn slides(&self, now: Instant) -> bool {
        self.unexplained_since.is_some_and(|since| now.since(since) <= SLIDES)
    }

    /// The cost of a man of the side to move that was off its square before the opponent's move was made.
    pub(super) fn lifted_early(&self, node: &Node, scene: &Scene<'_>) -> i32 {
        let Some(last) = self.line.last() else { return 0 };
        let turn = last.color.other();
        let early = men::squares(men::difference(&node.men, scene.board.men())).any(|square| {
            men::color(node.men[square.index()]) == Some(turn)
                && scene.board.men()[square.index()] == men::EMPTY
                && scene.board.changed_at(1 << square.index()) < last.made.latest
        });
        if early { scene.tuning.weights.lifted_early } else { 0 }
    }

    /// Notes whether the square of the last capture was touched after the capturing man left its own square, and before the press
    /// (`reconstruct/README.md#3.5`).
    pub(super) fn note_touch(&mut self, scene: &Scene<'_>) {
        // A change of that square by the move before is no touch.
        let before = self.line.plies().iter().rev().nth(1).map(|before| (before.made.latest, 1 << before.mv.to().to_u32()));
        let (arrived, there) = before.unwrap_or((Instant::ZERO, 0));
        let Some(last) = self.line.plies_mut().last_mut().filter(|last| last.untouched != 0) else { return };
        let (lifted, touched) = (scene.board.changed_at(last.mask & !last.untouched), scene.board.changed_at(last.untouched));
        let in_time = last.pressed.is_none_or(|pressed| touched <= pressed.latest.after(scene.scan));
        let off = scene.board.changed_before(last.untouched);
        let stands = scene.board.men()[last.untouched.trailing_zeros() as usize] != men::EMPTY;
        let taken = touched > arrived && touched >= lifted && lifted.since(off) <= TOUCHED_WITHIN;
        if stands && taken && touched <= lifted.after(TOUCHED_WITHIN) && in_time {
            // The player who made the move before may have straightened the man on that square.
            let recent = last.untouched == there && off < lifted && off <= arrived.after(PUT_STRAIGHT);
            let adjusted = recent || off >= lifted && touched.since(off) > TAKEN_OFF;
            last.touch = if adjusted { scene.tuning.weights.adjusted } else { scene.tuning.weights.touched };
            last.untouched = 0;
            last.made = scene.board.done_within(touched, scene.scan);
        }
    }

    /// True if `candidate`, a capture and the last move of the reading, is made on the board now, because its man came back and rested
    /// since this reading began: it was only straightened, or its sensor failed for a moment. A shorter stand may be another man that is
    /// pushed off.
    pub(crate) fn is_made_again(&self, candidate: &Candidate, scene: &Scene<'_>) -> bool {
        let unpressed = |last: &&Tentative| last.pressed.is_none() && last.mv == candidate.mv;
        let capture = candidate.target() != 0 && scene.sensing.hides_captures();
        let last = self.line.last().filter(|_| capture).filter(unpressed);
        let Some((last, from)) = last.zip(candidate.mv.from()) else { return false };
        let from = 1 << from.to_u32();
        let rested = scene.board.changed_at(from).since(scene.board.changed_before(from));
        rested > CAME_BACK && scene.board.changed_first(candidate.seen_mask(scene.board.men())) > last.made.latest
    }

    /// Adds the cost of a promotion to another man than a queen. Only later moves show such a promotion.
    pub(super) fn count_underpromotion(&mut self, weights: &Weights) {
        let promotion = self.line.last().and_then(|ply| ply.mv.promotion());
        if promotion.is_some_and(|role| role != shakmaty::Role::Queen) {
            self.penalty += weights.underpromotion;
        }
    }
}
