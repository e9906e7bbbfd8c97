//! Has a claimant with few men a forced win (US Chess 14E2, 14E3)? A worker searches; the table says where it matters.

use flagfall_protocols::square::Color;
use shakmaty::{Chess, Position};

use crate::mate::{Forced, forced};
use crate::men;

/// Positions that a search may generate: some 30 ms on a PC at most.
const NODES: u32 = 100_000;

/// What 14E says of the claimant's men.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Men {
    /// 14E1.
    LoneKing,
    /// 14E2, or 14E3 where the other side has no pawns: a draw unless a win is forced.
    Few,
    /// A win on time.
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

/// Whether `claimant` can force mate, whatever the opponent does; none where 14E does not ask or the search does not settle it.
/// The same position has the same answer.
pub fn forced_win(position: &Chess, claimant: Color) -> Option<bool> {
    if men(position, claimant) != Men::Few {
        return None;
    }
    match forced(position, men::to_color(claimant), NODES) {
        Forced::Win { .. } => Some(true),
        Forced::None => Some(false),
        Forced::Open => None,
    }
}
