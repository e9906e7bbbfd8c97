//! Looks for a mate within few half-moves, among all positions. On a crowded board there are too many pictures of mate, but few
//! positions.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use crate::mate::arena::Arena;
use crate::mate::key::pack;
use crate::mate::meter::Meter;
use crate::mate::probe::is_mate;

/// The largest number of positions that are kept: 6 MiB. All of them are followed by one half-move more.
const MOST: u32 = 100_000;
/// The search asks whether to go on after this number of positions.
const ASK_EVERY: u32 = 256;

/// A line to the first mate by `side` that is met, and whether no line is shorter. A shorter one may begin with positions that were not
/// kept.
pub(super) fn breadth(root: &Chess, side: Color, meter: &mut Meter, go_on: &dyn Fn() -> bool) -> Option<(Vec<Move>, bool)> {
    let mut arena = Arena::new(root);
    // The number of half-moves to the first position that was not kept.
    let mut left_out = usize::MAX;
    let mut index = 0;
    while index < arena.len() {
        if index.is_multiple_of(ASK_EVERY) && !go_on() {
            return None;
        }
        let position = arena.position(index)?;
        for step in position.legal_moves() {
            if !meter.step() {
                return None;
            }
            let mut after = position.clone();
            after.play_unchecked(step);
            if position.turn() == side && is_mate(&after) {
                let mut line = arena.line(index)?;
                line.push(step);
                let shortest = line.len() <= left_out;
                return Some((line, shortest));
            }
            if arena.len() < MOST {
                arena.insert(&pack(&after), index);
            } else if left_out == usize::MAX {
                left_out = arena.line(index)?.len() + 1;
            }
        }
        index += 1;
    }
    None
}
