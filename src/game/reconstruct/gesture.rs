//! Kings on the centre squares: how players show a result, and never a move (`reconstruction.md` section 4).

use flagfall_protocols::square::Color;
use shakmaty::{Move, Role};

use crate::men::Men;

const D4: usize = 27;
const E4: usize = 28;
const D5: usize = 35;
const E5: usize = 36;
const CENTRE: [usize; 4] = [D4, E4, D5, E5];
/// White centre squares, on which both kings say that White won.
const LIGHT: [usize; 2] = [E4, D5];

/// The result that two kings on the centre squares declare; outer none = no gesture, inner none = a draw.
pub(crate) fn result(board: &Men, position: &Men) -> Option<Option<Color>> {
    let king = |man: u8, men: &Men| CENTRE.into_iter().find(|&square| men[square] == man);
    let (white, black) = (king(6, board)?, king(12, board)?);
    // Kings that the game itself brought there declare nothing.
    if position[white] == 6 && position[black] == 12 {
        return None;
    }
    Some(match (LIGHT.contains(&white), LIGHT.contains(&black)) {
        (true, true) => Some(Color::White),
        (false, false) => Some(Color::Black),
        _ => None,
    })
}

/// A move that puts a king on a centre square: may be half of the gesture, so it needs a press to count.
pub(crate) fn is_half(mv: Move) -> bool {
    matches!(mv, Move::Normal { role: Role::King, to, .. } if CENTRE.contains(&to.to_usize()))
}
