//! Plays random legal games for tests. Castling, en passant and promotions are chosen more often than by chance.

use alloc::vec::Vec;

use shakmaty::{Chess, Move, Position, Role};

/// Generates random numbers that are the same on every machine (xorshift64*).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A random number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }

    /// A random legal game of at most `plies` plies from `position`.
    pub(crate) fn play(&mut self, position: &Chess, plies: usize) -> Vec<Move> {
        let mut position = position.clone();
        let mut moves = Vec::new();
        while moves.len() < plies && !position.is_game_over() {
            let legal = position.legal_moves();
            let weights: Vec<usize> = legal.iter().map(|&mv| weight(mv)).collect();
            let mut pick = self.below(weights.iter().sum());
            let mut at = 0;
            while pick >= weights[at] {
                pick -= weights[at];
                at += 1;
            }
            moves.push(legal[at]);
            position.play_unchecked(legal[at]);
        }
        moves
    }

    /// The position after a random game of fewer than `plies` plies, in which the game is not over.
    pub(crate) fn position(&mut self, plies: usize) -> Chess {
        loop {
            let length = self.below(plies);
            let mut position = Chess::default();
            self.play(&position.clone(), length).into_iter().for_each(|mv| position.play_unchecked(mv));
            if !position.is_game_over() {
                return position;
            }
        }
    }
}

fn weight(mv: Move) -> usize {
    match () {
        () if mv.is_castle() || mv.is_en_passant() => 400,
        () if mv.is_promotion() => 60,
        () if mv.is_capture() => 20,
        () if mv.role() == Role::Pawn => 15,
        () => 8,
    }
}
