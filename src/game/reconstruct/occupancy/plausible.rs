//! Estimates how likely players are to make a move, judged by its captures. This is the only evidence for one of two captures
//! where men are not identified and no touch of a captured man was seen (`reconstruct/README.md#3.5`).

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role, Square};

use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::tuning::Weights;

/// The value of a man, in tenths of a pawn.
const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 10,
        Role::Knight | Role::Bishop => 30,
        Role::Rook => 50,
        Role::Queen => 90,
        Role::King => 1000,
    }
}

/// The smallest loss against a better capture that counts as about a pawn, in tenths of a pawn. A smaller one does not count.
const PAWN: i32 = 5;
/// The smallest loss that counts as more than a pawn, in tenths of a pawn.
const MORE: i32 = 15;
/// The smallest loss that counts as a rook or more, in tenths of a pawn.
const ROOK: i32 = 45;

/// The cost of a move that players seldom prefer, in tenths of a nat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Doubt {
    /// Compared with all moves of the position.
    pub(crate) move_played: i32,
    /// Compared with the other captures of the same man.
    pub(crate) capture_chosen: i32,
}

/// The cost of this move by the preferences of players.
pub(super) fn doubt(node: &Node, candidate: &Candidate, weights: &Weights) -> Doubt {
    let position = &node.position;
    let own = gain(position, candidate.mv);
    let best = |rivals_only: bool| {
        let captures = node.table().iter().filter(|other| other.target() != 0);
        let considered = captures.filter(|other| !rivals_only || other.mv.from() == candidate.mv.from());
        considered.map(|other| gain(position, other.mv)).max()
    };
    let cost = |best: i32| ((best - own).max(0) * weights.pawn_given_up / 10).min(weights.most_given_up);
    let poorer = |best: i32| match best - own {
        ..PAWN => 0,
        PAWN..MORE => weights.poorer_capture[0],
        MORE..ROOK => weights.poorer_capture[1],
        _ => weights.poorer_capture[2],
    };
    let spared = if node.spares_last_mover(candidate) { weights.spared } else { 0 };
    let chosen = if candidate.target() == 0 { 0 } else { best(true).map_or(0, poorer) + spared };
    Doubt { move_played: cost(best(false).unwrap_or(0).max(0)).max(chosen), capture_chosen: chosen }
}

/// The gain of a move, if both sides then capture on its square as long as that pays.
fn gain(position: &Chess, mv: Move) -> i32 {
    let Move::Normal { role, from, to, capture, promotion } = mv else { return 0 };
    let taken = capture.map_or(0, worth);
    let (stands, promoted) = promotion.map_or((role, 0), |to| (to, worth(to) - worth(Role::Pawn)));
    let left = position.board().occupied().without(from).with(to);
    taken + promoted - gain_of_reply(position.board(), to, !position.turn(), stands, left)
}

/// The gain of `side` from capturing the man on `square`, if the men of `left` are on the board.
fn gain_of_reply(board: &Board, square: Square, side: Color, stands: Role, left: Bitboard) -> i32 {
    let takers = board.attacks_to(square, side, left) & left;
    let cheapest = Role::ALL.into_iter().find_map(|role| Some((role, (takers & board.by_role(role)).first()?)));
    let Some((role, from)) = cheapest else { return 0 };
    (worth(stands) - gain_of_reply(board, square, !side, role, left.without(from))).max(0)
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;
    use shakmaty::uci::UciMove;

    use super::*;

    fn doubt_of(fen: &str, uci: &str) -> [i32; 2] {
        let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        let mv = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        let node = Node::new(position);
        let candidate = node.table().iter().find(|candidate| candidate.mv == mv).unwrap();
        let weights =
            Weights { pawn_given_up: 1, most_given_up: 100, spared: 7, poorer_capture: [1, 2, 4], ..Weights::default() };
        let Doubt { move_played, capture_chosen } = doubt(&node, candidate, &weights);
        [move_played, capture_chosen]
    }

    #[test]
    fn exchanges_are_counted_to_their_end() {
        let protected = "4k3/8/5n2/3p3p/8/8/8/3QK3 w - - 0 1";
        assert_eq!(doubt_of(protected, "d1d5"), [8, 0], "a queen for a pawn; its rival costs as much");
        let free = "4k3/8/8/3p3p/8/8/8/3QK3 w - - 0 1";
        assert_eq!(doubt_of(free, "d1h5"), [0, 0]);
        assert_eq!(doubt_of(free, "e1e2"), [1, 0], "a pawn is left standing");
        assert_eq!(doubt_of("4k3/4p3/3p4/4n3/8/5N2/8/4K2R w - - 0 1", "f3e5"), [0, 0], "knights are exchanged");
    }
}
