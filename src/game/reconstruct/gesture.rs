//! Recognises kings on the centre squares: players show a result with them, and it is never a move (`reconstruct/README.md#4.2`).

use alloc::vec::Vec;

use flagfall_protocols::square::{Color, Square};
use shakmaty::{Move, Role};

use crate::men::{self, EMPTY, Men, OCCUPIED};

const D4: usize = 27;
const E4: usize = 28;
const D5: usize = 35;
const E5: usize = 36;
/// The four centre squares.
const CENTRE: [usize; 4] = [D4, E4, D5, E5];
/// The white centre squares. Both kings on them mean that White won.
const LIGHT: [usize; 2] = [E4, D5];

/// A result that two kings on the centre squares show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sign {
    /// The winner; none for a draw.
    pub(crate) winner: Option<Color>,
    /// The squares of the kings.
    pub(crate) squares: u64,
}

/// The result that the kings show. Kings that came to the centre by moves of the game, whose last position is `position`, show none.
pub(crate) fn sign(board: &Men, position: &Men) -> Option<Sign> {
    let square_of = |man: u8, men: &Men| CENTRE.into_iter().find(|&square| men[square] == man);
    let [one, other] = match square_of(6, board).zip(square_of(12, board)) {
        Some((white, black)) if position[white] == 6 && position[black] == 12 => return None,
        Some((white, black)) => [white, black],
        None => unidentified_kings(board, position)?,
    };
    let winner = match (LIGHT.contains(&one), LIGHT.contains(&other)) {
        (true, true) => Some(Color::White),
        (false, false) => Some(Color::Black),
        _ => None,
    };
    Some(Sign { winner, squares: 1 << one | 1 << other })
}

/// The squares of the kings in the centre where men are not identified: nothing has changed but that one king or both have left their
/// squares, and as many men have come to empty squares of the centre. Which king is which does not matter.
fn unidentified_kings(board: &Men, position: &Men) -> Option<[usize; 2]> {
    // This is asked at every event.
    if !CENTRE.iter().any(|&square| board[square] == OCCUPIED && position[square] == EMPTY) {
        return None;
    }
    let differs = men::difference(board, position);
    let (came, left): (Vec<usize>, Vec<usize>) = men::squares(differs).map(Square::index).partition(|&at| position[at] == EMPTY);
    let stayed = CENTRE.into_iter().filter(|&square| is_king(position[square]) && !left.contains(&square));
    let kings: Vec<usize> = came.iter().copied().chain(stayed).collect();
    let moved = came.len() == left.len() && came.iter().all(|square| CENTRE.contains(square));
    (moved && left.iter().all(|&square| is_king(position[square]))).then(|| kings.try_into().ok()).flatten()
}

const fn is_king(man: u8) -> bool {
    man == 6 || man == 12
}

/// The centre squares on which kings stand.
fn kings(board: &Men) -> u64 {
    CENTRE.into_iter().filter(|&square| is_king(board[square])).fold(0, |mask, square| mask | 1 << square)
}

/// The squares that differ, if only kings have left their squares and at least one of them has come to the centre. The gesture
/// may then be under way, even if its first half looks like a move.
pub(crate) fn under_way(board: &Men, position: &Men) -> Option<u64> {
    // This is asked at every event, and all squares are compared only if a king stands in the centre.
    if kings(board) == 0 {
        return None;
    }
    let differs = men::difference(board, position);
    let of_king = |square: &Square| is_king(position[square.index()]) || is_king(board[square.index()]);
    let at_centre = |&square: &usize| is_king(board[square]) && differs & (1 << square) != 0;
    (men::squares(differs).all(|square| of_king(&square)) && CENTRE.iter().any(at_centre)).then_some(differs)
}

/// True for a move that puts a king on a centre square. It may be half of the gesture, so it counts only with a press.
pub(crate) fn is_half(mv: Move) -> bool {
    matches!(mv, Move::Normal { role: Role::King, to, .. } if CENTRE.contains(&to.to_usize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kings stand on the first squares in the game and on the second ones on the board.
    fn way([white, black]: [usize; 2], shown: [Option<usize>; 2]) -> Option<u64> {
        let (mut position, mut board) = ([0; 64], [0; 64]);
        (position[white], position[black]) = (6, 12);
        for (man, square) in [6, 12].into_iter().zip(shown) {
            square.into_iter().for_each(|square| board[square] = man);
        }
        under_way(&board, &position)
    }

    #[test]
    fn kings_on_their_way_to_the_centre() {
        const E1: usize = 4;
        const E8: usize = 60;
        assert_eq!(way([E1, E8], [Some(E4), Some(E8)]), Some(1 << E1 | 1 << E4));
        assert_eq!(way([E1, E8], [Some(E4), None]), Some(1 << E1 | 1 << E4 | 1 << E8));
        assert_eq!(way([E1, E8], [Some(E4), Some(D5)]).map(u64::count_ones), Some(4));
        assert_eq!(way([E1, E8], [Some(5), Some(E8)]), None, "to f1");
        assert_eq!(way([E1, E8], [None, Some(E8)]), None, "the king is in the hand, the purpose is not known");
        assert_eq!(way([E4, E8], [Some(E4), None]), None, "the king has stood there before");
        // Another square differs too.
        let (mut position, mut board) = ([0; 64], [0; 64]);
        (position[E1], position[0], board[E4]) = (6, 4, 6);
        assert_eq!(under_way(&board, &position), None);
    }
}
