//! Has the claimant with few men a forced win (US Chess 14E2, 14E3)? Searched where the table asks, and remembered.

use alloc::collections::VecDeque;

use flagfall_protocols::square::Color;
use shakmaty::{Chess, Position};

use crate::laws::facts::Flag;
use crate::mate::{Forced, forced};
use crate::men;

/// Positions that one search may generate: some 10 ms on a PC at most.
const NODES: u32 = 20_000;
/// Searches remembered: the positions that may count for a flag, of both sides.
const MAX_REMEMBERED: usize = 16;

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
    /// Whether the opponent of the flagged player has a forced win from every position that may count, or from none; not known
    /// where that is mixed or not settled, nor where 14E does not ask.
    pub fn on(&mut self, flag: &Flag) -> Option<bool> {
        let claimant = flag.side.other();
        let mut found = None;
        for counted in flag.positions.iter().filter(|counted| men(&counted.position, claimant) == Men::Few) {
            let wins = match self.search(&counted.position, claimant) {
                Forced::Win { .. } => true,
                Forced::None => false,
                Forced::Open => return None,
            };
            if found.is_some_and(|other| other != wins) {
                return None;
            }
            found = Some(wins);
        }
        found
    }

    fn search(&mut self, position: &Chess, side: Color) -> Forced {
        if let Some((_, _, known)) = self.known.iter().find(|known| known.1 == side && known.0 == *position) {
            return *known;
        }
        let found = forced(position, men::to_color(side), NODES);
        if self.known.len() == MAX_REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((position.clone(), side, found));
        found
    }
}
