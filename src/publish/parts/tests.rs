use std::collections::BTreeMap;

use flagfall_game::played::Notation;
use shakmaty::san::SanPlus;

use super::*;
use crate::publish::states::fen;
use crate::wire::moves::LiveMove;
use crate::wire::moves_part::join;
use crate::wire::state::LiveState;

/// A game that is played at random, as its states show it.
struct Game {
    state: LiveState,
    /// The positions of the present segment.
    positions: Vec<Chess>,
}

impl Game {
    fn new(game_no: u32) -> Game {
        let positions = vec![Chess::default()];
        Game { state: LiveState { game_no, initial_fen: fen(&positions[0]), ..LiveState::default() }, positions }
    }

    fn present(&self) -> &Chess {
        self.positions.last().expect("a position")
    }

    /// Does something to the game. Returns whether it did no more than to make a move.
    fn change(&mut self, random: &mut fastrand::Rng) -> bool {
        let plies = self.state.moves.len();
        match random.u32(..40) {
            0 => {
                let kept = random.usize(..=plies);
                self.state.moves.truncate(kept);
                self.positions.truncate(kept + 1);
            }
            1 if plies > 0 => self.state.moves[random.usize(..plies)].white_ms = Some(random.u32(..)),
            2 => {
                let initial_fen = fen(self.present());
                let initial_fen = std::mem::replace(&mut self.state.initial_fen, initial_fen);
                self.state.segments.push(Segment { initial_fen, moves: std::mem::take(&mut self.state.moves) });
                self.positions = vec![self.present().clone()];
                if self.state.segments.len() > 8 {
                    self.state.segments.remove(0);
                }
            }
            3 => *self = Game::new(self.state.game_no + 1),
            _ => return self.play(random),
        }
        false
    }

    fn play(&mut self, random: &mut fastrand::Rng) -> bool {
        let legal = self.present().legal_moves();
        let Some(played) = (!legal.is_empty()).then(|| legal[random.usize(..legal.len())]) else { return false };
        let mut position = self.present().clone();
        let uci = UciMove::from_move(played, CastlingMode::Standard);
        let san = Notation::of(&SanPlus::from_move_and_play_unchecked(&mut position, played));
        let ply = self.state.moves.len() as u32 + 1;
        self.state.moves.push(LiveMove { ply, san, uci, white_ms: Some(5_400_000), black_ms: None });
        self.positions.push(position);
        true
    }
}

#[test]
fn who_joins_the_parts_has_every_state_and_a_move_costs_one_part_at_most() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut game, mut parts, mut retained) = (Game::new(1), Parts::default(), BTreeMap::new());
        for _ in 0..120 {
            let is_forgotten = random.u32(..50) == 0;
            if is_forgotten {
                parts.forget();
            }
            let is_move = game.change(&mut random);
            let mut state = game.state.clone();
            let changed = parts.divide(state.game_no, state.lists(), |played| played.uci);
            assert!(!is_move || is_forgotten || changed.len() <= 1, "seed {seed}: {} parts for a move", changed.len());
            for changed in changed {
                match changed {
                    Changed::Part(number, part) => _ = retained.insert(number, part),
                    Changed::Gone(number) => _ = retained.remove(&number),
                }
            }
            assert!(state.moves.len() <= PLIES && state.segments.is_empty() || state.parts.is_none());
            assert_eq!(state.moves_from.is_some(), game.state.moves.len() > PLIES);
            // A reader of an earlier version plays the moves that the state has.
            let end = play(position(&state.initial_fen).expect("a position"), state.moves.iter().map(|played| played.uci));
            assert_eq!(end.as_ref(), Some(game.present()), "seed {seed}");
            assert!(join(state.lists(), |number| retained.get(&number)), "seed {seed}: parts are missing");
            assert_eq!(state, game.state, "seed {seed}");
        }
    }
}
