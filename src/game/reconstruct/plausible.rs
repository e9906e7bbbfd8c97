//! How likely players are to make a move, judged by what can be taken: all that tells two captures apart where men are not
//! identified and nobody was seen to touch the captured one (`reconstruction.md` section 3.5).

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role, Square};

/// What a man is worth, tenths of a pawn.
const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 10,
        Role::Knight | Role::Bishop => 30,
        Role::Rook => 50,
        Role::Queen => 90,
        Role::King => 1000,
    }
}

/// By how much a move of `position` gains less in exchanges on its square than the best one there is, tenths of a pawn.
pub(super) fn given_up(position: &Chess, mv: Move) -> i32 {
    let best = position.capture_moves().iter().map(|&capture| gain(position, capture)).max().unwrap_or(0);
    (best.max(0) - gain(position, mv)).max(0)
}

/// What a move gains when everything that can take on its square does so as long as it pays.
fn gain(position: &Chess, mv: Move) -> i32 {
    let Move::Normal { role, from, to, capture, promotion } = mv else { return 0 };
    let taken = capture.map_or(0, worth);
    let (stands, promoted) = promotion.map_or((role, 0), |to| (to, worth(to) - worth(Role::Pawn)));
    let left = position.board().occupied().without(from).with(to);
    taken + promoted - answer(position.board(), to, !position.turn(), stands, left)
}

/// What `side` wins by taking the man on `square`, with these men left on the board.
fn answer(board: &Board, square: Square, side: Color, stands: Role, left: Bitboard) -> i32 {
    let takers = board.attacks_to(square, side, left) & left;
    let cheapest = Role::ALL.into_iter().find_map(|role| Some((role, (takers & board.by_role(role)).first()?)));
    let Some((role, from)) = cheapest else { return 0 };
    (worth(stands) - answer(board, square, !side, role, left.without(from))).max(0)
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;
    use shakmaty::uci::UciMove;

    use super::*;

    fn loss(fen: &str, uci: &str) -> i32 {
        let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        given_up(&position, uci.parse::<UciMove>().unwrap().to_move(&position).unwrap())
    }

    #[test]
    fn exchanges_are_counted_to_their_end() {
        // The queen can take a pawn that the knight protects, or one that nobody does.
        let fen = "4k3/8/5n2/3p3p/8/8/8/3QK3 w - - 0 1";
        assert_eq!(loss(fen, "d1d5"), 80 + 0, "a queen for a pawn, and nothing better was there");
        assert_eq!(loss("4k3/8/8/3p3p/8/8/8/3QK3 w - - 0 1", "d1h5"), 0);
        assert_eq!(loss("4k3/8/8/3p3p/8/8/8/3QK3 w - - 0 1", "e1e2"), 10, "a pawn is left standing");
        assert_eq!(loss("4k3/4p3/3p4/4n3/8/5N2/8/4K2R w - - 0 1", "f3e5"), 0, "knights are exchanged");
    }
}
