//! Generates all positions that can arise, breadth first. The first mate met is a shortest one; if none is met, this is a proof.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use super::arena::Arena;
use super::check::wall;
use super::key::pack;
use super::meter::Meter;
use super::probe::is_mate;
use super::reach::{Effort, wall_around};
use super::reason::{Closure, Wall};

/// The result of the generation of positions.
pub(super) enum Closed {
    /// A shortest line to a mate by the side.
    Mate(Vec<Move>),
    /// All positions were generated; none is a mate by the side.
    Complete(Closure),
    /// The cap was reached first.
    Cut {
        /// The number of half-moves within which there is certainly no mate by the side.
        expanded: u32,
    },
}

/// Generates up to `cap` positions. Up to `tries` of them are tried for walls, at places where nothing may be possible any
/// more. Positions behind a wall that is found, or behind one of the `known` walls, are not followed.
pub(super) fn closure(root: &Chess, side: Color, cap: u32, tries: &mut u32, meter: &mut Meter, known: Vec<Wall>) -> Closed {
    let mut arena = Arena::new(root);
    let mut sum = Closure { walls: known, ..Closure::default() };
    let mut index = 0;
    let mut layer_end = 1;
    while index < arena.len() {
        if index == layer_end {
            sum.depth += 1;
            layer_end = arena.len();
        }
        let Some(position) = arena.position(index) else {
            return Closed::Cut { expanded: sum.depth };
        };
        let moves = position.legal_moves();
        if moves.is_empty() {
            if position.is_check() {
                sum.mated += 1;
            } else {
                sum.stalemates += 1;
            }
        } else if position.has_insufficient_material(side) {
            sum.material += 1;
        } else if walled(&arena, index, &position, side, &mut sum.walls, tries, meter) {
            sum.walled += 1;
        } else {
            for step in &moves {
                let mut after = position.clone();
                after.play_unchecked(*step);
                if !meter.step() {
                    return Closed::Cut { expanded: sum.depth };
                }
                if position.turn() == side && is_mate(&after) {
                    return match arena.line(index) {
                        Some(mut line) => {
                            line.push(*step);
                            Closed::Mate(line)
                        }
                        None => Closed::Cut { expanded: sum.depth },
                    };
                }
                arena.insert(&pack(&after), index);
            }
            if arena.len() > cap {
                return Closed::Cut { expanded: sum.depth };
            }
        }
        index += 1;
    }
    sum.positions = arena.len();
    Closed::Complete(sum)
}

/// True if a wall stands around the position: one that was met before, or, after a move that cannot be taken back, a new one.
fn walled(
    arena: &Arena,
    index: u32,
    position: &Chess,
    side: Color,
    walls: &mut Vec<Wall>,
    tries: &mut u32,
    meter: &mut Meter,
) -> bool {
    meter.work(walls.len() as u64);
    if walls.iter().any(|claim| wall::holds(claim, position)) {
        return true;
    }
    if *tries == 0 || !irreversible(arena, index, position) {
        return false;
    }
    *tries -= 1;
    match wall_around(position, side, Effort::Full, meter) {
        Some(claim) => {
            walls.push(claim);
            true
        }
        None => false,
    }
}

/// True if the last move to this position was a pawn move or a capture, or the first move out of a check: the king may have left
/// a square to which no way leads back.
fn irreversible(arena: &Arena, index: u32, position: &Chess) -> bool {
    if index == 0 {
        return true;
    }
    let parent = arena.parent(index);
    arena.position(parent).is_some_and(|before| {
        parent == 0 && before.is_check()
            || before.board().pawns() != position.board().pawns()
            || before.board().occupied().count() != position.board().occupied().count()
    })
}
