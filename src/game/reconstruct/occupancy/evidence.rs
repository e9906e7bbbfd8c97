//! What is known of a reading where men are not identified (`reconstruct/README.md#3.5`): which captured man was touched, what
//! is on its way and what stands, who was too early.

use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::men;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::hypothesis::{Hypothesis, Scene};
use crate::reconstruct::tuning::Weights;

/// A captured man is touched within so long after the capturing one was lifted.
const TOUCHED_WITHIN: Duration = Duration::from_secs(3);
/// A captured man that is taken off just before the other one comes leaves its square empty for so long at most; what is
/// straightened meanwhile may be off for longer.
const TAKEN_OFF: Duration = Duration::from_millis(350);
/// A man that slides is on its way for so long at most, with a pause.
const SLIDES: Duration = Duration::from_secs(3);
/// A man that has just been moved is put straight within this.
const PUT_STRAIGHT: Duration = Duration::from_secs(4);
/// No moment: all that is odd is a man in the hand of the side to move.
const IN_HAND_ONLY: Instant = Instant(u64::MAX);

impl Hypothesis {
    /// Since when there is more than its moves, and more than a man in the hand of the side to move.
    pub(super) fn note_odd(&mut self, mismatch: i32, base: &Node, scene: &Scene<'_>) {
        if mismatch == 0 {
            return;
        }
        if self.odd_since.is_none() {
            (self.odd_since, self.worst_before) = (Some(IN_HAND_ONLY), self.worst);
        }
        let node = self.line.top(base);
        let turn = men::turn(&node.position);
        let in_hand = |square: usize| scene.board.men()[square] == men::EMPTY && men::color(node.men[square]) == Some(turn);
        let beyond = men::squares(men::difference(&node.men, scene.board.men())).any(|square| !in_hand(square.index()));
        if beyond && self.odd_since == Some(IN_HAND_ONLY) {
            self.odd_since = Some(scene.now);
        }
    }

    /// A man that slides stands on many squares on its way: what explains the board in the end explains them.
    pub(super) fn forgive_slide(&mut self, mismatch: i32, scene: &Scene<'_>) {
        if mismatch != 0 {
            return;
        }
        let most = scene.tuning.weights.slid;
        if self.slides(scene.now) {
            self.worst = self.worst.min(most).max(self.worst_before);
        }
        self.odd_since = None;
        self.penalty -= (self.inherited - most).max(0);
        self.inherited = self.inherited.min(most);
    }

    /// What the board shows beyond its moves is so young that it may be a man on its way.
    pub(super) fn slides(&self, now: Instant) -> bool {
        self.odd_since.is_some_and(|since| now.since(since) <= SLIDES)
    }

    /// What it costs that a man of the side to move was off its square before the move that it waited for was made.
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

    /// Has the square of its last capture been touched since the man that captures left its own (`reconstruct/README.md#3.5`)?
    /// After a press it is too late.
    pub(super) fn note_touch(&mut self, scene: &Scene<'_>) {
        // What the move before it changed there was no touch.
        let before = self.line.plies().iter().rev().nth(1).map(|before| (before.made.latest, 1 << before.mv.to().to_u32()));
        let (arrived, there) = before.unwrap_or((Instant::ZERO, 0));
        let Some(last) = self.line.plies_mut().last_mut().filter(|last| last.untouched != 0) else { return };
        let (lifted, touched) = (scene.board.changed_at(last.mask & !last.untouched), scene.board.changed_at(last.untouched));
        let in_time = last.pressed.is_none_or(|pressed| touched <= pressed.latest.after(scene.scan));
        let off = scene.board.changed_before(last.untouched);
        let stands = scene.board.men()[last.untouched.trailing_zeros() as usize] != men::EMPTY;
        let taken = touched > arrived && touched >= lifted && lifted.since(off) <= TOUCHED_WITHIN;
        if stands && taken && touched <= lifted.after(TOUCHED_WITHIN) && in_time {
            // Who made the move before may have put his own man straight.
            let recent = last.untouched == there && off < lifted && off <= arrived.after(PUT_STRAIGHT);
            let adjusted = recent || off >= lifted && touched.since(off) > TAKEN_OFF;
            last.touch = if adjusted { scene.tuning.weights.adjusted } else { scene.tuning.weights.touched };
            last.untouched = 0;
            last.made = scene.board.done_within(touched, scene.scan);
        }
    }

    /// A pawn on its last rank is a queen unless play shows that it is none.
    pub(super) fn count_underpromotion(&mut self, weights: &Weights) {
        let promotion = self.line.last().and_then(|ply| ply.mv.promotion());
        if promotion.is_some_and(|role| role != shakmaty::Role::Queen) {
            self.penalty += weights.underpromotion;
        }
    }
}
