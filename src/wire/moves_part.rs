//! Defines the messages with the earlier moves of a game, which its states leave out (`wire/README.md#2.2`).

use serde::{Deserialize, Serialize};

use super::state::{Lists, Segment};

/// Body of `board.moves`: some moves before those that the state has, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MovesPart<Move> {
    /// The start position of these moves, FEN, where they begin a segment of the game. Without it they go on from the part before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_fen: Option<String>,
    /// The moves.
    pub moves: Vec<Move>,
    /// The checksum of the part before; 0 in the first part.
    pub after: u32,
    /// The checksum of all moves up to here: another one if any of them is another one. Only equality has a meaning.
    pub sum: u32,
}

/// Which parts stand before the moves of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PartsBefore {
    /// How many: `moves/0` and so on.
    #[schemars(range(min = 1))]
    pub total: u32,
    /// The checksum of the last one. If it has another one, the state or a part is still to come.
    pub sum: u32,
}

/// The largest number of parts that a reader keeps of one game.
pub const MAX_PARTS: u32 = 210;
/// The largest number of moves that a reader takes in one part.
pub const MAX_MOVES: usize = 16;

/// Joins the moves of a state with the parts before them, which `part` finds by their number. Returns whether the state has the whole game
/// now; it is left as it is if a part is missing, or has other moves than the state names.
pub(crate) fn join<'a, Move: Clone + 'a>(lists: Lists<'_, Move>, part: impl Fn(u32) -> Option<&'a MovesPart<Move>>) -> bool {
    let Some(PartsBefore { total, sum }) = *lists.parts else { return lists.moves_from.is_none_or(|from| from <= 1) };
    let Some(mut segments) = segments(total, sum, part) else { return false };
    if let Some(from) = lists.moves_from.filter(|from| *from > 1) {
        let Some(present) = segments.pop_if(|last| last.moves.len() + 1 == from as usize) else { return false };
        *lists.initial_fen = present.initial_fen;
        lists.moves.splice(..0, present.moves);
    }
    (*lists.segments, *lists.moves_from, *lists.parts) = (segments, None, None);
    true
}

/// The segments that so many parts are; none if a part is missing or another one than the checksums say.
fn segments<'a, Move: Clone + 'a>(
    total: u32,
    mut sum: u32,
    part: impl Fn(u32) -> Option<&'a MovesPart<Move>>,
) -> Option<Vec<Segment<Move>>> {
    let mut parts = Vec::new();
    for number in (0..total.min(MAX_PARTS)).rev() {
        let found = part(number).filter(|found| found.sum == sum)?;
        sum = found.after;
        parts.push(found);
    }
    if sum != 0 {
        return None;
    }
    let mut segments = Vec::<Segment<Move>>::new();
    for MovesPart { initial_fen, moves, .. } in parts.into_iter().rev() {
        match initial_fen {
            Some(start) => segments.push(Segment { initial_fen: start.clone(), moves: moves.clone() }),
            None => segments.last_mut()?.moves.extend_from_slice(moves),
        }
    }
    Some(segments)
}
