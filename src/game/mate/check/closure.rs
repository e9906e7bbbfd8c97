//! All positions that can arise, generated again.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use shakmaty::{Chess, Color, EnPassantMode, Position};

use super::super::reason::Closure;
use super::{Refused, mated, material, stalemate, wall};

/// The most positions that are generated again; more than any budget allows.
const MOST: usize = 4_000_000;

/// What makes two positions the same, in an order: men, side to move, castling, en passant.
type Same = ([u64; 8], bool, u64, u8);

fn same(position: &Chess) -> Same {
    let (roles, colors) = position.board().clone().into_bitboards();
    let ep = position.ep_square(EnPassantMode::Legal).map_or(64, |square| square as u8);
    (
        [roles.pawn.0, roles.knight.0, roles.bishop.0, roles.rook.0, roles.queen.0, roles.king.0, colors.white.0, colors.black.0],
        position.turn().is_white(),
        position.castles().castling_rights().0,
        ep,
    )
}

/// Layer after layer: the positions so many half-moves away.
pub(super) fn exhausted(root: &Chess, side: Color, claim: &Closure) -> Result<(), Refused> {
    for behind in &claim.walls {
        wall::inductive(behind)?;
        wall::mateless(behind, side)?;
    }
    let mut count = Closure { positions: 1, walls: claim.walls.clone(), ..Closure::default() };
    let mut met = BTreeSet::from([same(root)]);
    let mut layer = alloc::vec![root.clone()];
    loop {
        let mut next = Vec::new();
        for position in &layer {
            if mated(position, !side) {
                return Err(Refused::MateFound);
            }
            if mated(position, side) {
                count.mated += 1;
            } else if stalemate(position) {
                count.stalemates += 1;
            } else if material::hopeless(position, side) {
                count.material += 1;
            } else if claim.walls.iter().any(|claim| wall::holds(claim, position)) {
                count.walled += 1;
            } else {
                for step in position.legal_moves() {
                    let mut after = position.clone();
                    after.play_unchecked(step);
                    if met.insert(same(&after)) {
                        next.push(after);
                    }
                }
            }
            if met.len() > claim.positions as usize {
                return Err(Refused::Counts);
            }
            if met.len() > MOST {
                return Err(Refused::TooLarge);
            }
        }
        if next.is_empty() {
            break;
        }
        count.positions = u32::try_from(met.len()).map_err(|_| Refused::TooLarge)?;
        count.depth += 1;
        layer = next;
    }
    if count == *claim { Ok(()) } else { Err(Refused::Counts) }
}

/// No line of fewer than `plies` half-moves ends in mate by `side`, where one of `plies` does: one of `plies - 1` would end
/// with the wrong side to move.
pub(super) fn no_mate_before(root: &Chess, side: Color, plies: usize) -> Result<(), Refused> {
    let mut met = BTreeSet::from([same(root)]);
    let mut layer = alloc::vec![root.clone()];
    for ply in 0..plies.saturating_sub(1) {
        let mut next = Vec::new();
        for position in &layer {
            if mated(position, !side) {
                return Err(Refused::Shorter);
            }
            if ply + 2 == plies || material::hopeless(position, side) {
                continue;
            }
            for step in position.legal_moves() {
                let mut after = position.clone();
                after.play_unchecked(step);
                if met.insert(same(&after)) {
                    next.push(after);
                }
            }
            if met.len() > MOST {
                return Err(Refused::TooLarge);
            }
        }
        layer = next;
    }
    Ok(())
}
