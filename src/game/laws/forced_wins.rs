//! Checks whether a claimant with few men has a forced win (US Chess 14E2, 14E3). A worker searches; the decision table states
//! when the result matters.

use flagfall_protocols::square::Color;
use shakmaty::{Chess, Position};

use crate::mate::{Forced, forced};
use crate::men;

/// The largest number of positions that a search may generate: some 30 ms on a PC at most.
const NODES: u32 = 100_000;

/// The classes of the claimant's men in 14E.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Men {
    /// The king alone (14E1).
    LoneKing,
    /// The men of 14E2, or of 14E3 if the other side has no pawns: a draw unless a win is forced.
    Few,
    /// All other men: a win on time.
    Enough,
}

pub(crate) fn men(position: &Chess, claimant: Color) -> Men {
    let board = position.board();
    let side = men::to_color(claimant);
    let (own, other) = (board.by_color(side), board.by_color(!side));
    let knights = (own & board.knights()).count();
    let minors = knights + (own & board.bishops()).count();
    match own.count() {
        1 => Men::LoneKing,
        2 if minors == 1 => Men::Few,
        3 if knights == 2 && (other & board.pawns()).count() == 0 => Men::Few,
        _ => Men::Enough,
    }
}

/// True if `claimant` can force mate, whatever the opponent does; none if 14E does not ask or if the search does not settle
/// it. The same position always has the same answer.
pub fn forced_win(position: &Chess, claimant: Color) -> Option<bool> {
    forced_win_within(position, claimant, NODES)
}

/// The same with a search of at most so many positions.
pub fn forced_win_within(position: &Chess, claimant: Color, most: u32) -> Option<bool> {
    if men(position, claimant) != Men::Few {
        return None;
    }
    match forced(position, men::to_color(claimant), most.min(NODES)) {
        Forced::Win { .. } => Some(true),
        Forced::None => Some(false),
        Forced::Open => None,
    }
}
