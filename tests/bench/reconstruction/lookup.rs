//! (A) Look-up of legal positions after a quiet time, as `reconstruct/README.md#8` describes it.
//!
//! Each report of a square restarts a timer. When it expires, the board is compared with the positions after each legal move. A hit
//! among the moves of the position before replaces the last move; a hit on an earlier position takes moves back. The question to the
//! board for all squares is left out: the mirror of its reports is used, as if every answer were right and immediate.

use std::time::Duration;

use flagfall::emulate::simulated_game::Outcome;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;
use shakmaty::{Chess, Move, Position};

use crate::output::{Look, MethodOutput, Mirror, look};

struct Lookup {
    mirror: Mirror,
    /// Each position of the game, and the look of a board in it.
    positions: Vec<(Chess, Look)>,
    moves: Vec<Move>,
    output: MethodOutput,
}

/// The moves that this method reads in a game.
pub(crate) fn play(events: &[(Instant, DeviceEvent)], quiet: Duration) -> Outcome {
    let start = Chess::default();
    let first = look(&start);
    let mut lookup =
        Lookup { mirror: Mirror::empty(), positions: vec![(start, first)], moves: Vec::new(), output: MethodOutput::default() };
    let mut timer: Option<Instant> = None;
    for (at, event) in events {
        if let Some(due) = timer.take_if(|due| *due <= *at) {
            lookup.compare(due);
        }
        if lookup.mirror.take(event) {
            timer = Some(at.after(quiet));
        }
    }
    if let Some(due) = timer {
        lookup.compare(due);
    }
    lookup.output.end()
}

impl Lookup {
    fn compare(&mut self, at: Instant) {
        let seen = self.mirror.0;
        let plies = self.moves.len();
        if self.positions[plies].1 == seen {
            return;
        }
        if let Some(mv) = leads_to(&self.positions[plies].0, &seen) {
            self.make(plies, mv);
        } else if let Some(mv) = plies.checked_sub(1).and_then(|before| leads_to(&self.positions[before].0, &seen)) {
            self.make(plies - 1, mv);
        } else if let Some(earlier) = self.positions.iter().rposition(|(_, known)| *known == seen) {
            self.cut(earlier);
        } else {
            return;
        }
        self.output.game(at, &self.moves);
    }

    /// Cuts the game back to this number of plies.
    fn cut(&mut self, plies: usize) {
        self.positions.truncate(plies + 1);
        self.moves.truncate(plies);
    }

    /// Adds this move after this number of plies.
    fn make(&mut self, plies: usize, mv: Move) {
        self.cut(plies);
        let mut position = self.positions[plies].0.clone();
        position.play_unchecked(mv);
        let shown = look(&position);
        self.positions.push((position, shown));
        self.moves.push(mv);
    }
}

fn leads_to(position: &Chess, seen: &Look) -> Option<Move> {
    position.legal_moves().into_iter().find(|&mv| {
        let mut after = position.clone();
        after.play_unchecked(mv);
        look(&after) == *seen
    })
}
