//! Decides when a move becomes sure: a press and the board prove it, or one of the proofs without a press
//! (`reconstruct/README.md#3.3`).

mod unfinished;

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;
use shakmaty::Role;

pub(super) use self::unfinished::may_hide_another_move;
use self::unfinished::{
    IN_HAND, at_rest, is_pressed_and_still, is_surely_lost, lost_until, may_be_going_on, may_be_unfinished, order_known_at,
};
use crate::interval::Interval;
use crate::men::{self, EMPTY};
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::gesture;
use crate::reconstruct::hypothesis::{Hypothesis, MAX_PRESSES, Scene};
use crate::reconstruct::line::{Tentative, man_of};
use crate::reconstruct::record::How;
use crate::reconstruct::route;
use crate::reconstruct::sensing::{RECHECK_UNTIL, Verdict};
use crate::reconstruct::{ClockView, Conclusion, Decoder, sensing_of};

/// The time for which a move that ends the game must stand on the board. Such a move needs no press.
const ENDING_STANDS: Duration = Duration::from_secs(1);
/// The time for which the opponent's clock must run to prove a press that was not heard.
const RUNNING_PROVES: Duration = Duration::from_secs(1);
/// The time for which a reply must rest on its squares to prove the move before it, without a clock. A square that a man only
/// passes is no reply.
const REPLY_RESTS: Duration = Duration::from_millis(700);
/// The time after which a move that is proved, but not sure because another reading is as good, is checked again, until
/// [`RECHECK_UNTIL`].
const RECHECK_AFTER: Duration = Duration::from_millis(500);

/// The largest number of moves that are named because one of them had to be chosen.
const MAX_GUESSED: usize = 32;

/// The number of moves after which later moves cannot show any more on which path the same position was reached.
const LATE: usize = 8;

/// The reason why the first move is sure.
struct Proof {
    how: How,
    pressed: Option<Interval>,
    /// When the move was completed, if no press shows it.
    completed: Option<Interval>,
}

impl Decoder {
    /// Makes the first move of the best reading sure if it is proved. True if it did, or if it added rival readings.
    pub(super) fn settle_one(&mut self, scene: &Scene<'_>, clock: &ClockView, out: &mut Vec<Conclusion>) -> bool {
        self.open.clear();
        let margin = scene.tuning.weights.margin;
        let sensing = scene.sensing;
        let proof = self.proof(scene, clock);
        let still = scene.now >= scene.board.last_change().after(sensing.quiet_time(true));
        if sensing.hides_captures() && (still || proof.is_some()) {
            self.open = self.beam.open_moves(margin);
        }
        let Some(proof) = proof.filter(|_| !self.doubts_start(scene.board)) else { return false };
        let late = self.line().plies().len() >= LATE;
        let preferred = !late && self.beam.evidence_margin() < margin;
        let verdict = sensing.verdict(self.beam.best(), self.record.node(), preferred, scene);
        match verdict {
            Verdict::Later => return false,
            Verdict::Compare if self.add_rivals(scene) => return true,
            Verdict::Compare | Verdict::Sure => {}
        }
        let open = !sensing.hides_captures() && self.first_move_is_open(scene);
        if open && !late {
            return false;
        }
        let unlikely = !sensing.hides_captures() && self.beam.best().penalty >= scene.tuning.weights.unlikely;
        if unlikely && self.read_anew(scene) {
            return true;
        }
        let clear = self.beam.margin() >= margin;
        if clear || self.beam.only_best_explains(self.record.node(), scene) {
            // The report of the board that follows a press may show that its move belongs to another reading.
            if clear && !late && self.beam.margin_with_new_presses(scene) < margin {
                return false;
            }
            if open || unlikely || is_surely_lost(self.line().plies(), scene) {
                out.push(Conclusion::Ambiguous { squares: self.first_move_squares(scene.tuning.weights.viable) });
            }
        } else {
            let equal_orders = self.squares_of_equal_orders(margin).filter(|_| proof.how == How::Repair || late);
            match equal_orders.or_else(|| self.squares_of_unseen_moves(margin)) {
                Some(squares) => out.push(Conclusion::Ambiguous { squares }),
                // If the difference is not visible after so many moves, it may never be visible: the game continues with the best
                // reading.
                None if self.line().plies().len() < sensing.longest_line() => return false,
                None if !sensing.hides_captures() => out.push(Conclusion::Ambiguous { squares: self.first_move_squares(margin) }),
                None => {}
            }
            if sensing.hides_captures() && self.guessed.len() < MAX_GUESSED {
                self.guessed.append(&mut self.beam.open_first_moves(margin));
            }
        }
        let node = self.record.node();
        let since = self.last_sure().last_shown(&Hypothesis::default());
        let others = if sensing.hides_captures() { 0 } else { route::moves_instead(node, self.line().plies(), since, scene) };
        if others != 0 && !out.iter().any(|said| matches!(said, Conclusion::Ambiguous { .. })) {
            let first = self.line().plies().first().map_or(0, |first| first.mask);
            out.push(Conclusion::Ambiguous { squares: first | others });
        }
        if self.clocked && self.line().plies().first().is_some_and(|ply| node.may_be_part(ply.mv)) {
            self.unchecked = Some(scene.now);
        }
        let Some(ply) = self.beam.settle(scene) else { return false };
        self.start_doubtful = false;
        self.record.push(ply.mv, ply.made, proof.pressed, proof.how, clock.times);
        match proof.how {
            How::ClockRunning | How::Settled => {
                if let Some(completed) = proof.completed {
                    self.record.completed_within(completed);
                }
            }
            _ => {
                if let Some(next) = proof.completed {
                    self.record.complete_last(ply.color, next);
                }
            }
        }
        out.push(Conclusion::Sure { index: self.record.moves().len() - 1 });
        if ply.ends_game && proof.how == How::GameEnd {
            // After mate nothing is read any more.
            self.close_gap(out);
        }
        true
    }

    /// True if the board does not show which man made the first move, or where its man went. The man that comes back shows it; which
    /// man was lifted first proves nothing. There are four cases: two men of one kind that may have made the move are off; the king is
    /// off and may have castled; the man was seen on one square and may have gone on to a square with a dead sensor, or to one on which it
    /// was captured at once; the man was captured on a square on which no board has shown it, or it is in a hand since its move to another
    /// square was pressed.
    fn first_move_is_open(&self, scene: &Scene<'_>) -> bool {
        let (base, shown, best) = (self.record.node(), scene.board.men(), self.beam.best());
        let Some((first, later)) = best.line.plies().split_first() else { return false };
        let expected = &best.line.top(base).men;
        let is_off = |square: usize| expected[square] == base.men[square] && !men::fits(expected[square], shown[square]);
        let king = men::of_shakmaty(Role::King.of(men::to_color(first.color)));
        let no_king = scene.sensing.lacks_king(shown, king);
        let to = |ply: &Tentative| usize::from(man_of(ply.mv, ply.color).1);
        let is_gone = shown[to(first)] == EMPTY
            && !men::stands_elsewhere(man_of(first.mv, first.color).0, expected, shown)
            && later.iter().all(|ply| ply.mask & (1 << to(first)) == 0);
        let is_taken_unseen =
            !first.seen && later.first().is_some_and(|reply| reply.mv.is_capture() && reply.mv.to() == first.mv.to());
        let mut rivals = self.beam.iter().filter_map(|other| Some((other.line.plies().first()?, other.line.plies().get(1))));
        rivals.any(|(rival, reply)| {
            if rival.mv == first.mv {
                false
            } else if rival.mv.is_castle() || first.mv.is_castle() {
                no_king
            } else if rival.mv.from() == first.mv.from() {
                let dead = shown[to(rival)] == EMPTY && rival.inferred != first.inferred;
                let captured = reply.is_some_and(|reply| reply.mv.is_capture() && reply.mv.to() == rival.mv.to());
                (is_gone && (dead || captured)) || (is_taken_unseen && route::may_be_held(first, rival, scene))
            } else {
                let alike = rival.mv.to() == first.mv.to() && rival.mv.role() == first.mv.role();
                alike && rival.mv.from().is_some_and(|from| is_off(from.to_usize()))
            }
        })
    }

    fn proof(&self, scene: &Scene<'_>, clock: &ClockView) -> Option<Proof> {
        let best = self.beam.best();
        let plies = best.line.plies();
        let first = plies.first()?;
        // One move that ends the game is known at once: the log could only show moves that do not change the position.
        let ends =
            plies.len() == 1 && first.ends_game && first.repaired && self.beam.best().mismatch(self.record.node(), scene) == 0;
        let frames = &scene.board.frames;
        let is_checked = frames.loses_reports(scene.now) && frames.awaits_answer(scene.now);
        if (self.waits_for_log(scene.now) && !ends) || is_checked {
            return None;
        }
        // A move that no board has shown is not believed while the board shows something else.
        if !first.seen && best.mismatch(self.record.node(), scene) > scene.tuning.weights.viable {
            return None;
        }
        // The last report of the clock may be older than the move.
        let told = first.pressed.is_some() || scene.now >= first.made.latest.after(RUNNING_PROVES);
        let followed = plies.get(1).is_some_and(|next| next.repaired) || (told && clock.runs == Some(first.color.other()));
        if first.repaired && (followed || !self.clocked || ends) && scene.now >= scene.board.last_change().after(scene.scan) {
            let how = if ends { How::GameEnd } else { How::Repair };
            return Some(Proof { how, pressed: first.pressed, completed: None });
        }
        let by_next = Proof { how: How::NextMove, pressed: None, completed: None };
        if order_known_at(plies, scene.board).is_some_and(|known_at| scene.now < known_at) {
            return None;
        }
        // In fast play nothing waits for a lost report: each reading keeps only a few presses.
        let may_wait = best.presses().count() + 1 < MAX_PRESSES;
        if may_wait && may_hide_another_move(plies, scene.board) && scene.now < lost_until(first) {
            return None;
        }
        let going_on = |index: usize| {
            let line = &plies[index..];
            may_be_going_on(line, best.dead, scene) || (may_wait && may_be_unfinished(line, best.dead, scene))
        };
        let proves = |index: usize| {
            let still = !plies[index].inferred && is_pressed_and_still(&plies[index..], best.dead, scene);
            still && !(0..=index).any(going_on)
        };
        if (0..plies.len()).any(proves) {
            let own = Proof { how: How::Press, pressed: first.pressed, completed: None };
            return Some(if first.pressed.is_some() { own } else { by_next });
        }
        // A press that waits for a later move does not prove this one.
        if plies.iter().any(|ply| ply.pressed.is_some()) || !best.waiting.is_empty() {
            return None;
        }
        let top_shown = men::same(&best.line.top(self.record.node()).men, scene.board.men());
        if !self.clocked && scene.board.last_change().after(scene.sensing.quiet_time(top_shown)) > scene.now {
            return None;
        }
        let stands = |index: usize, wait: Duration| plies.get(index).is_some_and(|ply| ply.made.latest.after(wait) <= scene.now);
        let last = plies.len() - 1;
        if stands(last, scene.scan) && self.is_ended_by(best, top_shown, scene) {
            return Some(if last == 0 { Proof { how: How::GameEnd, ..by_next } } else { by_next });
        }
        if stands(2, scene.scan) {
            // 6.2.1.2: the player has made the next move, so the first one is complete.
            return Some(Proof { completed: Some(plies[2].made), ..by_next });
        }
        if !self.clocked {
            let rests = |index: usize, wait: Duration| {
                plies.get(index).is_some_and(|ply| stands(index, wait) && at_rest(ply, index == last, wait, scene))
            };
            // Half of a gesture that shows a result is no move.
            let half = || gesture::is_half(first.mv) && gesture::sign(scene.board.men(), &self.record.node().men).is_some();
            let rest_time = scene.sensing.rest_time(first, self.record.node());
            let settled = (rests(0, rest_time) || rests(1, scene.scan.max(REPLY_RESTS))) && !half();
            let completed = Some(Interval { earliest: first.made.earliest, latest: scene.now });
            return settled.then_some(Proof { how: How::Settled, pressed: None, completed });
        }
        let proved = !first.repaired
            && clock.runs == Some(first.color.other())
            && clock.changed_at >= first.made.earliest
            && scene.now >= clock.changed_at.after(RUNNING_PROVES)
            && stands(0, scene.scan);
        let completed = Some(Interval { earliest: first.made.earliest, latest: clock.changed_at });
        proved.then_some(Proof { how: How::ClockRunning, pressed: None, completed })
    }

    /// True if the moves of the reading, which were made a scan ago, end the game (6.2.1.1). Mate and stalemate that stood for a scan
    /// are believed as soon as another square changes: a man that only passes leaves its own square first. If that man was lifted
    /// first, the reading in which it went on must be worse.
    fn is_ended_by(&self, best: &Hypothesis, top_shown: bool, scene: &Scene<'_>) -> bool {
        let plies = best.line.plies();
        let Some(last) = plies.last() else { return false };
        let stood = scene.now >= last.made.latest.after(ENDING_STANDS);
        let disturbed = scene.board.last_change() > last.made.latest;
        let shown = || men::difference(&last.node.men, scene.board.men()) & last.mask == 0;
        if last.node.is_end() {
            return (stood || disturbed) && (shown() || best.stood_as_end(scene));
        }
        stood && top_shown && shown() && self.record.ending_of_line(plies).is_some()
    }

    pub(super) fn add_completion_deadlines(
        &self,
        now: Instant,
        board: &PhysicalBoard,
        clock: &ClockView,
        at: &mut impl FnMut(Instant),
    ) {
        let (plies, sensing) = (self.line().plies(), sensing_of(board));
        // The time that a man has been in a hand is part of the evidence.
        if let Some(way) = sensing.on_its_way()
            && now < board.last_change().after(RECHECK_UNTIL)
        {
            at(Instant(now.0 - now.0 % RECHECK_AFTER.as_micros() as u64).after(RECHECK_AFTER));
            at(board.last_change().after(way));
        }
        let Some(first) = plies.first() else { return };
        if self.beam.best().leaves_unexplained(self.tuning.weights.reread) {
            at(board.last_change().after(self.scan));
        }
        if may_hide_another_move(plies, board) {
            at(lost_until(first));
        }
        let mut any_pressed = false;
        for ply in plies {
            if let Some(pressed) = ply.pressed {
                any_pressed = true;
                at(board.changed_at(ply.mask).max(pressed.latest).after(self.scan));
                at(board.changed_at(ply.mask).max(pressed.latest).after(IN_HAND));
            }
        }
        if (any_pressed || !self.clocked) && now < board.last_change().after(RECHECK_UNTIL) {
            at(Instant(now.0 - now.0 % RECHECK_AFTER.as_micros() as u64).after(RECHECK_AFTER));
        }
        if let Some(known_at) = order_known_at(plies, board) {
            at(known_at);
        }
        let mut stands = |index: usize, wait: Duration| {
            if let Some(ply) = plies.get(index) {
                at(ply.made.latest.after(wait));
            }
        };
        stands(plies.len() - 1, ENDING_STANDS);
        stands(2, self.scan);
        if !self.clocked {
            let rest_time = sensing.rest_time(first, self.record.node());
            stands(0, rest_time);
            stands(1, self.scan.max(REPLY_RESTS));
            at(board.last_change().after(sensing.quiet_time(true)));
            if let Some(last) = plies.last() {
                at(board.changed_at(last.mask).after(if plies.len() == 1 { rest_time } else { self.scan.max(REPLY_RESTS) }));
            }
        } else if clock.runs == Some(first.color.other()) {
            at(first.made.latest.after(self.scan).max(clock.changed_at.after(RUNNING_PROVES)));
            at(first.made.latest.after(RUNNING_PROVES));
        }
    }
}
