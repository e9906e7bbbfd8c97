//! Divides the moves of a state: the state keeps the last ones, and those before them are in parts, which are retained messages of their
//! own. A part is published when it is complete, and again only if it changes, so a state costs the same at any ply
//! (`wire/README.md#2.2`).

use std::hash::{DefaultHasher, Hash, Hasher};

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, PositionError};

use crate::wire::moves_part::{MovesPart, PartsBefore};
use crate::wire::state::{Lists, Segment};

/// The number of moves of a part. The last part of a segment may have fewer.
pub(super) const PLIES: usize = 6;

/// The parts of the states of one audience as they were published.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    game: u32,
    published: Vec<Published>,
    /// How many parts of this game were published at most: those that it has no more stay at the broker.
    most: u32,
}

#[derive(Clone, Debug)]
struct Published {
    sum: u32,
    /// The position after it.
    end: Chess,
}

/// What became of a part.
pub(super) enum Changed<Move> {
    /// It is to be published.
    Part(u32, MovesPart<Move>),
    /// It belongs to a game before this one.
    Gone(u32),
}

impl Parts {
    /// So many parts of a board are deleted when nothing of it may stay at the broker, whatever this start has published: no game is longer.
    pub(super) const WITHDRAWN: u32 = 100;

    /// Moves everything but the last moves of a state into parts. Returns the parts that have changed. The state is left as it is if its
    /// moves cannot be played, so that nothing is lost.
    pub(super) fn divide<Move: Copy + Hash>(
        &mut self,
        game: u32,
        lists: Lists<'_, Move>,
        uci: fn(&Move) -> UciMove,
    ) -> Vec<Changed<Move>> {
        let mut changed = Vec::new();
        if std::mem::replace(&mut self.game, game) != game {
            changed.extend((0..self.most).map(Changed::Gone));
            (self.most, self.published) = (0, Vec::new());
        }
        let kept = match lists.moves.len() {
            0 => 0,
            moves => (moves - 1) % PLIES + 1,
        };
        let settled = lists.moves.len() - kept;
        let (mut count, mut sum) = (0, 0);
        let present = (&*lists.initial_fen, &lists.moves[..settled], false);
        let earlier = lists.segments.iter().map(|Segment { initial_fen, moves }| (initial_fen, moves.as_slice(), true));
        for (start, moves, is_over) in earlier.chain([present]) {
            // A segment that is over has a part for its start, even if it has no moves.
            let none = (is_over && moves.is_empty()).then_some(moves);
            for (place, moves) in moves.chunks(PLIES).chain(none).enumerate() {
                let initial_fen = (place == 0).then_some(start);
                let after = sum;
                sum = checksum(after, initial_fen, moves);
                if self.published.get(count).is_none_or(|published| published.sum != sum) {
                    let begin = match initial_fen {
                        Some(fen) => position(fen),
                        None => count.checked_sub(1).map(|before| self.published[before].end.clone()),
                    };
                    let Some(end) = begin.and_then(|begin| play(begin, moves.iter().map(uci))) else {
                        self.published.clear();
                        changed.retain(|changed| matches!(changed, Changed::Gone(_)));
                        return changed;
                    };
                    // The checksums of all later parts are others too.
                    self.published.truncate(count);
                    self.published.push(Published { sum, end });
                    let part = MovesPart { initial_fen: initial_fen.cloned(), moves: moves.to_vec(), after, sum };
                    changed.push(Changed::Part(count as u32, part));
                }
                count += 1;
            }
        }
        self.published.truncate(count);
        self.most = self.most.max(count as u32);
        if count > 0 {
            *lists.parts = Some(PartsBefore { total: count as u32, sum });
            lists.segments.clear();
        }
        if let Some(last) = self.published.last().filter(|_| settled > 0) {
            lists.moves.drain(..settled);
            *lists.moves_from = Some(settled as u32 + 1);
            *lists.initial_fen = Fen::from_position(&last.end, EnPassantMode::Legal).to_string();
        }
        changed
    }

    /// Every part is published again with the next state: the broker may have lost them.
    pub(super) fn forget(&mut self) {
        self.published.clear();
    }
}

/// The checksum of all moves up to these; never 0.
fn checksum<Move: Hash>(after: u32, initial_fen: Option<&String>, moves: &[Move]) -> u32 {
    // Its keys are the same in each run of the program.
    let mut hasher = DefaultHasher::new();
    (after, initial_fen, moves).hash(&mut hasher);
    (hasher.finish() as u32).max(1)
}

fn position(fen: &str) -> Option<Chess> {
    let setup = Fen::from_ascii(fen.as_bytes()).ok()?.into_setup();
    let mode = CastlingMode::detect(&setup);
    setup.position(mode).or_else(PositionError::ignore_too_much_material).or_else(PositionError::ignore_impossible_check).ok()
}

fn play(mut position: Chess, moves: impl Iterator<Item = UciMove>) -> Option<Chess> {
    for uci in moves {
        let played = uci.to_move(&position).ok()?;
        position.play_unchecked(played);
    }
    Some(position)
}

#[cfg(test)]
mod tests;
