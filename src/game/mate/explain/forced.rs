//! Recognises forced play: a play with few positions, no way back, and the same end in every line counts as forced, although
//! single moves are not.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Chess, Color, Position};

use super::super::key::{Key, pack};
use super::super::reason::{Closure, ForcedEnd};

/// The largest number of positions in a play that is called forced: as many as an arbiter could play through.
const MOST_POSITIONS: u32 = 50;

/// A position on the line that is being followed, with its moves that were not followed yet.
struct Open {
    key: Key,
    left: Vec<Chess>,
}

/// The end of every line of play; none if the ends differ, if the play can repeat for ever, or if there are too many
/// positions.
pub(super) fn end(root: &Chess, side: Color, closure: &Closure) -> Option<ForcedEnd> {
    let mut kinds =
        [(ForcedEnd::Mated, closure.mated), (ForcedEnd::Stalemate, closure.stalemates), (ForcedEnd::Material, closure.material)]
            .into_iter()
            .filter(|(_, count)| *count > 0);
    let (end, _) = kinds.next()?;
    let single = kinds.next().is_none() && closure.walled == 0 && closure.positions <= MOST_POSITIONS;
    (single && !comes_back(root, side)).then_some(end)
}

/// True if a position can come back, or if there are more positions than an arbiter could play through.
fn comes_back(root: &Chess, side: Color) -> bool {
    let mut done = BTreeSet::new();
    let mut line = vec![opened(root, side)];
    while let Some(last) = line.last_mut() {
        let Some(next) = last.left.pop() else {
            done.insert(last.key);
            line.pop();
            continue;
        };
        let open = opened(&next, side);
        if line.iter().any(|before| before.key == open.key) || done.len() + line.len() > MOST_POSITIONS as usize {
            return true;
        }
        if !done.contains(&open.key) {
            line.push(open);
        }
    }
    false
}

fn opened(position: &Chess, side: Color) -> Open {
    let ended = position.has_insufficient_material(side);
    let moves = if ended { Default::default() } else { position.legal_moves() };
    let after = |&step| {
        let mut after = position.clone();
        after.play_unchecked(step);
        after
    };
    Open { key: pack(position), left: moves.iter().map(after).collect() }
}
