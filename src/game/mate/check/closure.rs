//! Checks a proof that counts all positions that can arise: generates them a second time.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use shakmaty::{Chess, Color, EnPassantMode, Position};

use super::super::reason::Closure;
use super::near::Near;
use super::{Refused, mated, material, stalemate, wall};

/// The work of the check of one wall, in positions.
const WALL: usize = 100;

/// The men on the squares, in four planes of bits: 1-6 for pawn to king, 7 for a rook that may castle, and the last plane for
/// Black's men. The last plane also marks the empty square on which en passant is legal.
type Squares = [u64; 4];

/// Two sets of positions: those with White to move, and those with Black to move.
#[derive(Default)]
struct Met {
    sets: [BTreeSet<Squares>; 2],
}

impl Met {
    /// Adds a position. Returns false if it was met before.
    fn insert(&mut self, position: &Chess) -> bool {
        let (roles, colors) = position.board().clone().into_bitboards();
        let castling = position.castles().castling_rights().0;
        let passing = position.ep_square(EnPassantMode::Legal).map_or(0, |square| 1 << u32::from(square));
        let squares = [
            roles.pawn.0 | roles.bishop.0 | roles.queen.0 | castling,
            roles.knight.0 | roles.bishop.0 | roles.king.0 | castling,
            roles.rook.0 | roles.queen.0 | roles.king.0,
            colors.black.0 | passing,
        ];
        self.sets[usize::from(position.turn().is_black())].insert(squares)
    }

    fn len(&self) -> usize {
        self.sets.iter().map(BTreeSet::len).sum()
    }
}

/// Generates the positions layer after layer, by half-moves, `most` at most.
pub(super) fn exhausted(root: &Chess, side: Color, claim: &Closure, most: usize) -> Result<(), Refused> {
    if (claim.positions as usize).saturating_add(claim.walls.len().saturating_mul(WALL)) > most {
        return Err(Refused::TooLarge);
    }
    for behind in &claim.walls {
        wall::inductive(behind, side)?;
        wall::mateless(behind, side)?;
    }
    let mut count = Closure { positions: 1, walls: claim.walls.clone(), ..Closure::default() };
    let mut met = Met::default();
    met.insert(root);
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
                    if met.insert(&after) {
                        next.push(after);
                    }
                }
            }
            if met.len() > claim.positions as usize {
                return Err(Refused::Counts);
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

/// The largest number of positions that are generated without a look at what is near. Most questions need fewer, and the look costs
/// more than a position.
const PLAIN: usize = 60_000;

/// Checks that no line of fewer than `plies` half-moves ends in mate by `side`, while one of `plies` does. A line of `plies -
/// 1` would end with the wrong side to move. At most `most` positions are generated. If many are needed, those from which a mate
/// cannot be near enough are not followed.
pub(super) fn no_mate_before(root: &Chess, side: Color, plies: usize, most: usize) -> Result<(), Refused> {
    let Some(longest) = plies.checked_sub(2) else { return Ok(()) };
    let plain = no_mate_within(root, side, longest, most.min(PLAIN), |_, _| true);
    if plain != Err(Refused::TooLarge) || most <= PLAIN {
        return plain;
    }
    let mut near = Near::new(side);
    no_mate_within(root, side, longest, most, |position, left| near.possible(position, left))
}

/// Checks that no line of `longest` half-moves or fewer ends in mate by `side`. A position is followed only if it is `near` to a mate
/// with the moves that winner and loser have left.
fn no_mate_within(
    root: &Chess,
    side: Color,
    longest: usize,
    most: usize,
    mut near: impl FnMut(&Chess, [usize; 2]) -> bool,
) -> Result<(), Refused> {
    let mut met = Met::default();
    met.insert(root);
    let mut layer = alloc::vec![root.clone()];
    let mut left_out = 0;
    for ply in 0..=longest {
        let mut next = Vec::new();
        for position in &layer {
            if mated(position, !side) {
                return Err(Refused::Shorter);
            }
            if ply == longest || material::hopeless(position, side) {
                continue;
            }
            // The winner makes the last half-move.
            let left = longest - ply - 1;
            for step in position.legal_moves() {
                let mut after = position.clone();
                after.play_unchecked(step);
                if !near(&after, [left.div_ceil(2), left / 2]) {
                    left_out += 1;
                } else if met.insert(&after) {
                    next.push(after);
                }
            }
            if met.len() + left_out > most {
                return Err(Refused::TooLarge);
            }
        }
        layer = next;
    }
    Ok(())
}
