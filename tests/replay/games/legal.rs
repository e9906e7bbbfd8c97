//! Random legal games with many rare moves: castlings, en passant, promotions of every kind.

use fastrand::Rng;
use shakmaty::{Chess, Move, Position, Role};

/// The numbers of rare kinds of moves, so that a test can check that it has met them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    pub(crate) castled: [u32; 2],
    pub(crate) en_passant: u32,
    pub(crate) captures: u32,
    pub(crate) queened: u32,
    pub(crate) underpromoted: u32,
    pub(crate) king_to_centre: u32,
    pub(crate) ended: u32,
}

impl Kinds {
    /// Counts a move of `position`.
    pub(crate) fn count(&mut self, position: &Chess, mv: Move) {
        match mv {
            Move::Castle { king, rook } => self.castled[usize::from(king < rook)] += 1,
            Move::EnPassant { .. } => self.en_passant += 1,
            _ => {}
        }
        self.captures += u32::from(mv.is_capture());
        match mv.promotion() {
            Some(Role::Queen) => self.queened += 1,
            Some(_) => self.underpromoted += 1,
            None => {}
        }
        self.king_to_centre += u32::from(centre_king(mv));
        let mut after = position.clone();
        after.play_unchecked(mv);
        self.ended += u32::from(ends(&after));
    }
}

fn centre_king(mv: Move) -> bool {
    use shakmaty::Square::{D4, D5, E4, E5};
    mv.role() == Role::King && [D4, D5, E4, E5].contains(&mv.to())
}

/// Whether the game ends with this position.
pub(crate) fn ends(position: &Chess) -> bool {
    position.is_game_over() || position.halfmoves() >= 140
}

/// A random legal game of at most `plies` plies. It stops after a move that ends it; such moves are rare.
pub(crate) fn game(rng: &mut Rng, plies: usize) -> Vec<Move> {
    let mut position = Chess::default();
    let mut moves = Vec::new();
    // Pawn moves are likely in every second game, so that there are promotions.
    let pawn = rng.choice([2, 9]).unwrap_or(2);
    while moves.len() < plies && !ends(&position) {
        let legal = position.legal_moves();
        let weights: Vec<u32> = legal.iter().map(|&mv| weight(&position, mv, pawn)).collect();
        let mut pick = rng.u32(0..weights.iter().sum());
        let chosen = weights.iter().position(|&weight| {
            let here = pick < weight;
            pick = pick.saturating_sub(weight);
            here
        });
        let mv = legal[chosen.expect("the sum of the weights is the range")];
        moves.push(mv);
        position.play_unchecked(mv);
    }
    moves
}

fn weight(position: &Chess, mv: Move, pawn: u32) -> u32 {
    let mut after = position.clone();
    after.play_unchecked(mv);
    match () {
        () if ends(&after) => 20,
        () if mv.is_castle() => 2_000,
        () if mv.is_en_passant() => 2_000,
        () if mv.is_promotion() => 300,
        () if centre_king(mv) => 100,
        () if mv.is_capture() => 40,
        () if mv.role() == Role::Pawn => 10 * pawn,
        () => 10,
    }
}
