//! Shortens a line to a mate, if a shorter line can be found cheaply.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use super::arena::{Arena, BYTES_EACH};
use super::closure::{Closed, closure};
use super::key::{Key, pack};
use super::meter::Meter;
use super::reason::Answer;
use super::solve::Budget;

/// The largest number of positions that are searched for a shortcut from one position of a line to a later one.
const SHORTCUT_LIMIT: u32 = 600;
/// The largest number of positions that are searched from the start for the shortest line of all.
const SHORTEST_LIMIT: u32 = 40_000;

/// Returns the same answer with a shorter line, if the budget is enough to find one; `shortest` is set if no shorter line can
/// exist. Use it when people will read the line: [`super::winnable`] itself only removes repeated positions.
pub fn shorten(position: &Chess, side: Color, answer: Answer, budget: Budget) -> Answer {
    let Answer::Winnable { mut line, shortest: false } = answer else {
        return answer;
    };
    let mut meter = Meter::new(budget.nodes);
    let room = u32::try_from(budget.memory / BYTES_EACH).unwrap_or(u32::MAX);
    let mut length = usize::MAX;
    while line.len() < length && !meter.spent() {
        length = line.len();
        line = cut(position, side, line, SHORTCUT_LIMIT.min(room), &mut meter);
    }
    match closure(position, side, SHORTEST_LIMIT.min(room), &mut 0, &mut meter, Vec::new()) {
        Closed::Mate(line) => Answer::Winnable { line, shortest: true },
        Closed::Cut { expanded } => {
            let shortest = line.len() <= expanded as usize + 2;
            Answer::Winnable { line, shortest }
        }
        Closed::Complete(_) => Answer::Winnable { line, shortest: false },
    }
}

/// The line without the moves between two visits of the same position.
pub(super) fn without_repeats(position: &Chess, mut line: Vec<Move>) -> Vec<Move> {
    let mut met: BTreeMap<Key, usize> = BTreeMap::from([(pack(position), 0)]);
    let mut kept: Vec<(Move, Key)> = Vec::with_capacity(line.len());
    let mut at = position.clone();
    for step in line.drain(..) {
        at.play_unchecked(step);
        let key = pack(&at);
        match met.get(&key) {
            Some(length) => {
                for (_, key) in kept.drain(*length..) {
                    met.remove(&key);
                }
                met.insert(key, kept.len());
            }
            None => {
                kept.push((step, key));
                met.insert(key, kept.len());
            }
        }
    }
    line.extend(kept.into_iter().map(|(step, _)| step));
    line
}

/// Looks from each position of the line, breadth first, for a shorter way to the mate or to a later position of the line.
fn cut(position: &Chess, side: Color, line: Vec<Move>, window: u32, meter: &mut Meter) -> Vec<Move> {
    let mut line = without_repeats(position, line);
    let mut at = position.clone();
    let mut index = 0;
    while index + 2 < line.len() {
        let mut later = BTreeMap::new();
        let mut ahead = at.clone();
        for (ply, step) in line.iter().enumerate().skip(index) {
            ahead.play_unchecked(*step);
            later.insert(pack(&ahead), ply + 1 - index);
        }
        if let Some((way, until)) = way(&at, side, line.len() - index, &later, window, meter) {
            line.splice(index..index + until, way);
        }
        at.play_unchecked(line[index]);
        index += 1;
        if meter.spent() {
            break;
        }
    }
    line
}

/// The way that saves most moves, and the part of the line that it replaces.
fn way(
    from: &Chess,
    side: Color,
    left: usize,
    later: &BTreeMap<Key, usize>,
    window: u32,
    meter: &mut Meter,
) -> Option<(Vec<Move>, usize)> {
    let mut arena = Arena::new(from);
    let mut depths: Vec<usize> = alloc::vec![0];
    let mut best: Option<(usize, u32, usize)> = None;
    let mut index = 0;
    while index < arena.len() && arena.len() < window {
        let depth = depths[index as usize] + 1;
        if best.is_some_and(|(saves, ..)| depth + saves >= left) {
            break;
        }
        let position = arena.position(index)?;
        for step in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(step);
            if !meter.step() {
                return None;
            }
            let key = pack(&after);
            let Some(new) = arena.insert(&key, index) else {
                continue;
            };
            depths.push(depth);
            let mates = position.turn() == side && after.checkers().any() && after.legal_moves().is_empty();
            let until = if mates { Some(left) } else { later.get(&key).copied() };
            if let Some(until) = until
                && until > depth
                && best.is_none_or(|(saves, ..)| until - depth > saves)
            {
                best = Some((until - depth, new, until));
            }
        }
        index += 1;
    }
    let (_, end, until) = best?;
    Some((arena.line(end)?, until))
}
