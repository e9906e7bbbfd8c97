//! Makes readings anew from the position on the board, where men are identified (`reconstruct/README.md#3.8`).

use alloc::vec::Vec;

use crate::interval::Interval;
use crate::men::{self, EMPTY};
use crate::reconstruct::candidates::Candidate;
use crate::reconstruct::hypothesis::{Hypothesis, NO_LEGAL_MOVE, Scene};
use crate::reconstruct::route::{self, WhereAnswered};
use crate::reconstruct::search::{self, Limits};
use crate::reconstruct::sensing::LastSure;

/// The largest number of squares that two castlings change.
const MOST_SQUARES: u32 = 8;
/// The largest number of squares that one castling changes.
const MOST_OF_ONE: u32 = 4;
/// The largest number of moves that are made between the reports of a board without a clock.
const HIDDEN_PLIES: u8 = 4;
/// The largest number of positions that are visited to find such moves.
const HIDDEN_NODES: u32 = 20_000;

/// The readings of one or two moves that lead from the last sure position to exactly the position on the board, whatever was
/// unexplained before. Without them, one wrong report would count against these moves for ever.
pub(super) fn reread(sure: &LastSure<'_>, scene: &Scene<'_>) -> Vec<Hypothesis> {
    let (base, board) = (sure.base, scene.board.men());
    let mut found = Vec::new();
    let changed = men::difference(&base.men, board);
    if changed == 0 || changed.count_ones() > MOST_SQUARES {
        return found;
    }
    let begin = || Hypothesis { dead: sure.dead, penalty: scene.tuning.weights.reread, ..Hypothesis::default() };
    let made = |mask: u64| scene.board.done_within(scene.board.changed_at(mask & changed), scene.scan);
    for first in base.table().iter().filter(|first| first.mask & changed != 0) {
        // Positions are made only for moves after which at most one reply is missing.
        let left = men::difference(&first.men_after(&base.men), board);
        if left.count_ones() > MOST_OF_ONE {
            continue;
        }
        let after = base.after(first.mv);
        let (mut reading, mut contradicted) = (begin(), false);
        reading.add(base, first, made(first.mask), scene.board.changed_first(first.mask), true, scene);
        if after.men != *board {
            let Some(reply) = after.exact(board) else { continue };
            let Some(second) = after.table().iter().find(|candidate| candidate.mv == reply) else { continue };
            // If the square of the captured man did not change meanwhile, both men may be in hands.
            let taken = second.target() & (1 << first.mv.to().to_u32());
            if taken != 0 && scene.board.changed_at(taken) < scene.board.changed_first(first.mask & changed) {
                reading.infer_last();
            }
            let (before, mut replied) = (made(first.mask), made(second.mask));
            // Moves are made one after the other: if the reply came first, hands put the men there without playing.
            let early = replied.latest < before.earliest;
            contradicted = (early || taken != 0) && went_elsewhere(first, taken != 0, sure, scene);
            if early {
                reading.penalty += scene.tuning.weights.reread;
                replied = before;
            }
            reading.add(&after, second, replied, replied.latest, true, scene);
        }
        reading.assign_presses(sure.heard.iter().rev().copied(), scene.scan);
        // Only the presses of both players can prove two moves of which the first one seems to have been another one.
        if contradicted && reading.line.presses() < 2 {
            continue;
        }
        if let [first, reply] = reading.line.plies() {
            let answered = route::answered(base, first, scene.board.changed_first(reply.mask), scene);
            let captor = after.table().iter().find(|candidate| candidate.mv == reply.mv);
            let pressed = sure.heard.iter().find(|pressed| pressed.by == first.color).map(|pressed| pressed.at);
            let put = captor.is_some_and(|captor| route::was_put_elsewhere(first, pressed, captor, scene));
            if answered == WhereAnswered::Elsewhere || put {
                continue;
            }
        }
        reading.judge(base, scene);
        found.push(reading);
    }
    found
}

/// Adds the reading of the moves that were made between the reports of a board without a clock, if only one shortest path of moves
/// leads to the whole board, and if the board has shown a change on each square of these moves since the last sure move: an illegal
/// move changes other squares than a legal path to the same board. Only men that captured need not have been shown on their squares.
pub(super) fn add_hidden_moves(sure: &LastSure<'_>, scene: &Scene<'_>, found: &mut Vec<Hypothesis>) {
    let since = sure.last_shown(&Hypothesis::default());
    let changed = men::squares(u64::MAX).filter(|square| scene.board.changed_at(square.bit()) > since);
    let changed = changed.fold(0, |all, square| all | square.bit());
    let limits = Limits { least: 3, most: HIDDEN_PLIES, nodes: HIDDEN_NODES, paths: 2, ..Limits::default() };
    let ways = search::paths(&sure.base.position, scene.board.men(), limits);
    let ([only], true) = (ways.paths.as_slice(), ways.complete) else { return };
    let mut reading = Hypothesis { dead: sure.dead, penalty: scene.tuning.weights.reread, ..Hypothesis::default() };
    for &mv in only {
        let node = reading.line.top(sure.base).clone();
        let candidate = node.table().iter().find(|candidate| candidate.mv == mv && candidate.mask & !changed == 0);
        let Some(candidate) = candidate else { return };
        let made = scene.board.done_within(scene.board.changed_at(candidate.mask), scene.scan);
        reading.add(&node, candidate, made, scene.board.changed_first(candidate.mask), true, scene);
        if !mv.is_capture() && !reading.line.last().is_some_and(|ply| route::has_come(scene.board, ply, since)) {
            return;
        }
    }
    reading.judge(sure.base, scene);
    found.push(reading);
}

/// True if the board has shown the man of this move elsewhere since the last sure move. If it was `captured`, the board must not have
/// shown it on the square of this move either.
fn went_elsewhere(first: &Candidate, captured: bool, sure: &LastSure<'_>, scene: &Scene<'_>) -> bool {
    let Some(from) = first.mv.from() else { return false };
    let (man, since) = (sure.base.men[from.to_usize()], sure.last_shown(&Hypothesis::default()));
    let seen = captured && route::has_left(scene.board, first.mv.to() as u8, man, since);
    !seen && route::went_elsewhere(first, sure.base, since, None, scene)
}

/// Adds readings for a man that moved to a dead square. The best reading has one move, which was pressed, and its man is on no
/// square: it may have moved to a square whose sensor is dead.
pub(super) fn add_moves_to_dead_squares(best: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>, found: &mut Vec<Hypothesis>) {
    let [only] = best.line.plies() else { return };
    if scene.board.men()[only.mv.to().to_usize()] != EMPTY {
        return;
    }
    for candidate in sure.base.table().iter().filter(|candidate| candidate.mv.from() == only.mv.from()) {
        let Some(missing) = candidate.dead_square(scene.board) else { continue };
        let pressed = only.pressed.map(|pressed| pressed.latest);
        if route::went_elsewhere(candidate, sure.base, sure.last_shown(&Hypothesis::default()), pressed, scene) {
            continue;
        }
        let penalty = scene.tuning.weights.dead;
        let mut reading = Hypothesis { dead: best.dead | 1 << missing, penalty, ..Hypothesis::default() };
        let made = scene.board.done_within(scene.board.changed_at(candidate.mask), scene.scan);
        reading.add(sure.base, candidate, made, made.latest, true, scene);
        reading.infer_last();
        if reading.last_man_stands_elsewhere(scene.board.men()) {
            continue;
        }
        reading.assign_presses(sure.heard.iter().rev().copied(), scene.scan);
        reading.judge(sure.base, scene);
        found.push(reading);
    }
}

/// Adds the readings with a move that was pressed and whose man is off its square again: a capture whose man the next player has
/// taken off to capture it, or a move that the board has shown in parts.
pub(super) fn add_lifted_again(reading: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>, found: &mut Vec<Hypothesis>) {
    let node = reading.line.top(sure.base);
    let board = scene.board.men();
    let Some(pressed) = reading.waiting.first().filter(|pressed| pressed.by == men::turn(&node.position)) else { return };
    let since = sure.last_shown(reading);
    for candidate in node.table() {
        let (Some(missing), Some(from)) = (candidate.missing(board), candidate.mv.from()) else { continue };
        let man = candidate.after().iter().find(|&&(square, _)| square == missing).map_or(EMPTY, |&(_, man)| man);
        let shown = route::has_left(scene.board, missing, man, since);
        let captured = candidate.target() == 1 << missing;
        if !(shown || captured)
            || route::went_elsewhere(candidate, node, since, Some(pressed.at.latest.after(NO_LEGAL_MOVE)), scene)
        {
            continue;
        }
        let made = scene.board.done_within(scene.board.changed_at(candidate.mask), scene.scan);
        if !sure.may_follow(reading, made) {
            continue;
        }
        let mut longer = reading.clone();
        longer.add(node, candidate, made, scene.board.changed_at(1 << from.to_u32()), shown, scene);
        longer.infer_last();
        let used = longer.waiting.len() < reading.waiting.len() && !longer.last_man_stands_elsewhere(board);
        if used && longer.mismatch(sure.base, scene) <= scene.tuning.weights.viable {
            found.push(longer);
        }
    }
}

/// The reading in which two moves of one man are one move, made before the reply between them.
pub(super) fn joined(reading: &Hypothesis, sure: &LastSure<'_>, scene: &Scene<'_>) -> Option<Hypothesis> {
    let [first, reply, third] = reading.line.plies() else { return None };
    // If the report of the last square was not lost, the board shows that the man came there after the reply.
    if !route::may_be_one_move(reading.line.plies(), scene.board) || !scene.board.was_reported_late(third.made.latest) {
        return None;
    }
    let one_move = |candidate: &&Candidate| candidate.mv.from() == first.mv.from() && candidate.mv.to() == third.mv.to();
    let joined = sure.base.table().iter().filter(one_move).find(|joined| joined.shown_by(scene.board.men(), reading.dead))?;
    let after = sure.base.after(joined.mv);
    let answer = after.table().iter().find(|answer| answer.mv == reply.mv)?;
    let left = scene.board.changed_at(1 << first.mv.to().to_u32());
    let latest = first.pressed.map_or(reply.made.latest, |pressed| pressed.latest.min(reply.made.latest));
    let made = Interval { earliest: left.before(scene.scan).min(latest), latest };
    let mut one = Hypothesis { dead: reading.dead, penalty: reading.penalty + reading.worst, ..Hypothesis::default() };
    one.add(sure.base, joined, made, made.earliest, true, scene);
    one.add(&after, answer, reply.made, reply.made.latest, true, scene);
    for (ply, known) in one.line.plies_mut().iter_mut().zip([first, reply]) {
        ply.pressed = known.pressed;
    }
    one.judge(sure.base, scene);
    Some(one)
}
