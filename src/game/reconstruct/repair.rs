//! Searches for moves that no board has shown, when no reading explains the position on the board.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;
use shakmaty::{Move, Role};

use crate::interval::Interval;
use crate::men::{self, EMPTY, OCCUPIED};
use crate::reconstruct::Decoder;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::candidates::Candidate;
use crate::reconstruct::hypothesis::{Hypothesis, MAX_PRESSES, NO_LEGAL_MOVE, Pressed, Scene};
use crate::reconstruct::line::man_of;
use crate::reconstruct::route::{may_be_one_move, was_not_captured, was_promoted_otherwise, went_elsewhere};
use crate::reconstruct::sensing::LastSure;

/// The smallest unexplained cost at which such moves are searched, in tenths of a nat.
const UNEXPLAINED: i32 = 20;
/// The time for which a board must have stood to be read anew.
const STOOD: Duration = Duration::from_secs(1);
/// The largest number of readings, the best ones, that are extended.
pub(super) const READINGS_TRIED: usize = 4;

impl Decoder {
    pub(super) fn last_sure(&self) -> LastSure<'_> {
        let sure = self.record.moves();
        let is_used = |press: &Pressed| sure.iter().rev().take(MAX_PRESSES).any(|known| known.pressed == Some(press.at));
        let unused = self.heard.iter().rposition(is_used).map_or(0, |last| last + 1);
        let made = sure.last().map(|last| last.made);
        LastSure { base: self.record.node(), made, dead: self.beam.best().dead, heard: &self.heard[unused..] }
    }

    /// Searches two moves of which the board has shown only the second one. True if a reading was added.
    pub(super) fn find_unseen_moves(&mut self, scene: &Scene<'_>) -> bool {
        let base = self.record.node();
        let changed = scene.board.last_change();
        let best = self.beam.best();
        let looked = Some((changed, best.presses().count()));
        if self.looked == looked {
            return false;
        }
        let open = || may_be_one_move(best.line.plies(), scene.board);
        if best.waiting.is_empty() && best.mismatch(base, scene) < UNEXPLAINED && !open() {
            return false;
        }
        self.looked = looked;
        let (sure, mut found) = (self.last_sure(), Vec::new());
        for hypothesis in self.beam.iter().take(READINGS_TRIED) {
            add_two_moves(hypothesis, &sure, scene, &mut found);
            scene.sensing.add_partly_shown(hypothesis, &sure, scene, &mut found);
        }
        let any = found.into_iter().fold(false, |any, hypothesis| self.beam.add(hypothesis) | any);
        if any {
            // The board may show a third move too.
            self.beam.follow(base, scene);
        }
        any
    }

    /// Reads a board anew that has stood for a while, or of which a report was lost: what was concluded without it may be wrong. True
    /// if a reading was added.
    pub(super) fn reread_board(&mut self, scene: &Scene<'_>) -> bool {
        let changed = scene.board.last_change();
        (scene.board.was_reported_late(changed) || scene.now >= changed.after(STOOD)) && self.read_anew(scene)
    }

    /// Reads the board anew, once for each position that it shows and each press, without what was unexplained before. True if a
    /// reading was added.
    pub(super) fn read_anew(&mut self, scene: &Scene<'_>) -> bool {
        let changed = scene.board.last_change();
        let unexplained = || !self.explains(scene.board) || self.beam.best().cost > scene.tuning.weights.reread;
        // While the clocks are stopped, players and arbiters correct the position by hand.
        let stopped = self.clocked && self.runs.is_none();
        let heard = self.heard.last().map_or(Instant::ZERO, |press| press.at.latest);
        let known = self.reread_at.is_some_and(|(read, known)| read == changed && known >= heard);
        if stopped || known || !unexplained() {
            return false;
        }
        self.reread_at = Some((changed, heard));
        let mut found = scene.sensing.reread(&self.last_sure(), scene);
        // The reading in which no move was played gets the same chance.
        let nothing = self.beam.iter().find(|reading| reading.line.is_empty()).cloned();
        found.extend(nothing.map(|nothing| {
            let mut nothing = Hypothesis { penalty: scene.tuning.weights.reread, worst: 0, ..nothing };
            nothing.judge(self.record.node(), scene);
            nothing
        }));
        found.into_iter().fold(false, |any, hypothesis| self.beam.add(hypothesis) | any)
    }

    /// Before the best reading makes a move sure and leaves something unexplained: adds other readings that explain the whole
    /// board, once for each change of the board and each press. They are at most so much better than the best one that the next evidence
    /// decides. True if a reading was added.
    pub(super) fn add_rivals(&mut self, scene: &Scene<'_>) -> bool {
        let known = Some((scene.board.last_change(), self.heard.last().copied()));
        if core::mem::replace(&mut self.rivals_of, known) == known {
            return false;
        }
        let weights = &scene.tuning.weights;
        let best = self.beam.best();
        let (least, first) = (best.cost - weights.margin + 1, best.line.plies().first().map(|ply| ply.mv));
        let mut found = scene.sensing.find_rivals(best, &self.last_sure(), scene);
        found.retain(|rival| rival.line.plies().first().map(|ply| ply.mv) != first);
        for rival in &mut found {
            let cost = (rival.cost - weights.reread / 2).max(least);
            rival.penalty += cost - rival.cost;
            rival.cost = cost;
        }
        found.into_iter().fold(false, |any, rival| self.beam.add(rival) | any)
    }

    pub(super) fn add_repair_deadlines(&self, now: Instant, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        let due = board.last_change().after(self.scan);
        if due > now
            && self.looked.map(|(changed, _)| changed) != Some(board.last_change())
            && !men::same(&self.line().top(self.record.node()).men, board.men())
        {
            at(due);
        }
        if self.reread_at.map(|(read, _)| read) != Some(board.last_change()) {
            at(board.last_change().after(STOOD));
        }
    }
}

/// True if a pawn goes two squares, so that it may be captured in passing (3.7.3.1).
fn is_double_step(candidate: &Candidate) -> bool {
    let Move::Normal { role: Role::Pawn, from, to, .. } = candidate.mv else { return false };
    from.to_u32().abs_diff(to.to_u32()) == 16
}

/// Adds the readings with two moves of which the board has shown only the second one.
fn add_two_moves(hypothesis: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>, found: &mut Vec<Hypothesis>) {
    let node = hypothesis.line.top(sure.base);
    let board = scene.board.men();
    let changed = men::difference(&node.men, board) & !hypothesis.dead;
    if scene.board.lost_identity_since(sure.last_shown(hypothesis), &node.men) {
        return;
    }
    for first in node.table().iter().filter(|first| first.mask & changed != 0 && !first.shown_by(board, 0)) {
        // The second move puts its man where the first one went, or has already taken it off again.
        let to = first.mv.to().to_usize();
        let empty = board[to] == EMPTY && (hypothesis.dead & (1 << to) != 0 || hypothesis.waiting.len() > 1);
        // A pawn that is captured in passing leaves its square empty.
        let passes = board[to] == EMPTY && is_double_step(first) && !scene.sensing.hides_captures();
        if !empty && !passes && board[to] != OCCUPIED && men::color(board[to]) != Some(men::turn(&node.position).other()) {
            continue;
        }
        // A man that stands on its old square has not moved: perhaps only two men of one side were lifted.
        let stands = |from: shakmaty::Square| men::fits(node.men[from.to_usize()], board[from.to_usize()]);
        if first.mv.from().is_some_and(stands) {
            continue;
        }
        // A move may be finished after its press, until it is called illegal.
        let arrived_by = hypothesis.waiting.first().map(|pressed| pressed.at.latest.after(NO_LEGAL_MOVE));
        let since = sure.last_shown(hypothesis);
        if went_elsewhere(first, node, since, arrived_by, scene) || was_promoted_otherwise(first, node, since, scene) {
            continue;
        }
        let after = node.after(first.mv);
        // The man that was moved first, and not seen, is the one that is captured.
        let taken =
            |second: &&Candidate| second.target() & (1 << first.mv.to().to_u32()) != 0 || (passes && second.mv.is_en_passant());
        for second in after.table().iter().filter(taken) {
            // A man that stands elsewhere was not captured.
            if men::stands_elsewhere(man_of(first.mv, men::turn(&node.position)).0, &second.men_after(&after.men), board) {
                continue;
            }
            let shown = second.shown_by(board, hypothesis.dead);
            // Both moves were pressed, and the second man is off again too: the player who captures next took it off.
            let off = hypothesis.waiting.len() > 1 && second.missing(board) == Some(second.mv.to() as u8);
            if !shown && !off {
                continue;
            }
            if shown && hypothesis.dead & (1 << to) == 0 && was_not_captured(first, second, node, scene) {
                continue;
            }
            let made = scene.board.done_within(scene.board.changed_at(second.mask), scene.scan);
            let begun = scene.board.changed_first(first.mask & changed);
            if !sure.may_follow(hypothesis, Interval { latest: begun, ..made }) {
                continue;
            }
            let unseen = Interval { earliest: begun.before(scene.scan).min(made.earliest), latest: made.latest };
            let mut longer = hypothesis.clone();
            longer.add(node, first, unseen, begun, false, scene);
            // If the square to which the second man goes did not change meanwhile, both men may be in hands.
            let unchanged = if second.mv.is_en_passant() { off } else { scene.board.changed_at(second.target()) < begun };
            if unchanged {
                longer.infer_last();
            }
            longer.add(&after, second, made, made.latest, shown, scene);
            if off {
                longer.infer_last();
            }
            let pressed = shown || longer.waiting.len() + 2 == hypothesis.waiting.len();
            if pressed && longer.mismatch(sure.base, scene) <= scene.tuning.weights.viable {
                found.push(longer);
            }
        }
    }
}
