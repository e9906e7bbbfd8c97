//! Has the claimant with few men a forced win (US Chess 14E2, 14E3)? Searched where the table asks, and remembered.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use shakmaty::{Chess, Position};

use crate::laws::facts::{Counted, Flag};
use crate::mate::{Forced, forced};
use crate::men;

/// Positions that one search may generate: some 10 ms on a PC at most, and for two knights, which are rare, some 30 ms.
const NODES: u32 = 20_000;
const NODES_OF_KNIGHTS: u32 = 100_000;
/// Searches remembered: more than the positions that may count for the flags of a game at one time.
const MAX_REMEMBERED: usize = 64;

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

/// The last searches and what they found; the same question has the same answer.
#[derive(Clone, Debug, Default)]
pub struct ForcedWins {
    known: VecDeque<(Chess, Color, Forced)>,
}

impl ForcedWins {
    /// For each position that may count for the flag, whether the opponent has a forced win; none where 14E does not ask or the
    /// search does not settle it.
    pub fn on(&mut self, flag: &Flag) -> Vec<Option<bool>> {
        let claimant = flag.side.other();
        let wins = |counted: &Counted| match men(&counted.position, claimant) {
            Men::Few => match self.search(&counted.position, claimant) {
                Forced::Win { .. } => Some(true),
                Forced::None => Some(false),
                Forced::Open => None,
            },
            Men::LoneKing | Men::Enough => None,
        };
        flag.positions.iter().map(wins).collect()
    }

    fn search(&mut self, position: &Chess, side: Color) -> Forced {
        if let Some((_, _, known)) = self.known.iter().find(|known| known.1 == side && known.0 == *position) {
            return *known;
        }
        let two = (position.board().by_color(men::to_color(side)) & position.board().knights()).more_than_one();
        let found = forced(position, men::to_color(side), if two { NODES_OF_KNIGHTS } else { NODES });
        if self.known.len() == MAX_REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((position.clone(), side, found));
        found
    }
}
