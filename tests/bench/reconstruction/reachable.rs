//! (F) The table of all positions that can be reached from any visited one, as `reconstruct/README.md#8` describes it.
//!
//! There is no timer and no press: whenever the board looks like a position of the table, that position is visited, and the last
//! visited position defines the game. Both kings on squares of the centre end it.

use std::collections::BTreeMap;

use flagfall::emulate::simulated_game::Outcome;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;
use shakmaty::{Chess, Move, Position};

use crate::output::{Look, MethodOutput, Mirror, look};

/// The squares d4, e4, d5, e5.
const CENTRE: [usize; 4] = [27, 28, 35, 36];

/// A visited position and the way to it.
struct Visited {
    position: Chess,
    looks: Look,
    /// The visited position before it, and the move from there.
    before: Option<(usize, Move)>,
}

struct Table {
    visited: Vec<Visited>,
    /// The reachable positions by their looks, with the way from a visited position. The latest way counts.
    reachable: BTreeMap<Look, Way>,
    now: usize,
}

#[derive(Clone, Copy)]
enum Way {
    By(usize, Move),
    Visited(usize),
}

/// The moves that this method reads in a game.
pub(crate) fn play(events: &[(Instant, DeviceEvent)]) -> Outcome {
    let mut mirror = Mirror::empty();
    let mut output = MethodOutput::default();
    let mut table = Table { visited: Vec::new(), reachable: BTreeMap::new(), now: 0 };
    let start = Chess::default();
    table.visit(Visited { looks: look(&start), position: start, before: None });
    for (at, event) in events {
        if !mirror.take(event) {
            continue;
        }
        if kings_in_the_centre(&mirror.0) {
            break;
        }
        if table.see(&mirror.0) {
            output.game(*at, &table.game());
        }
    }
    output.end()
}

fn kings_in_the_centre(seen: &Look) -> bool {
    [b'K', b'k'].into_iter().all(|king| CENTRE.into_iter().any(|square| seen[square] == king))
}

impl Table {
    /// Handles a look of the board; returns true if another position is visited now.
    fn see(&mut self, seen: &Look) -> bool {
        if self.visited[self.now].looks == *seen {
            return false;
        }
        match self.reachable.get(seen).copied() {
            None => return false,
            Some(Way::Visited(known)) => self.reach_from(known),
            Some(Way::By(from, mv)) => {
                let mut position = self.visited[from].position.clone();
                position.play_unchecked(mv);
                self.visit(Visited { looks: *seen, position, before: Some((from, mv)) });
            }
        }
        true
    }

    fn visit(&mut self, one: Visited) {
        self.reachable.insert(one.looks, Way::Visited(self.visited.len()));
        self.visited.push(one);
        self.reach_from(self.visited.len() - 1);
    }

    /// Adds all positions that can follow a visited position that is on the board.
    fn reach_from(&mut self, this: usize) {
        self.now = this;
        let position = &self.visited[this].position;
        for mv in position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(mv);
            self.reachable.insert(look(&after), Way::By(this, mv));
        }
    }

    fn game(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut this = self.now;
        while let Some((before, mv)) = self.visited[this].before {
            moves.push(mv);
            this = before;
        }
        moves.reverse();
        moves
    }
}
