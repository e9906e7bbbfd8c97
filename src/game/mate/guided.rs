//! Searches for a mate with the help of both players (a helpmate). Every position that the search reaches waits in several
//! queues, each with its own estimate of the distance to a mate. The queues take turns, so that one bad estimate does not delay
//! the others.
//!
//! Within a queue, positions that show something new come first: a man, or a pair of men, on squares where they have not yet
//! stood with the same pawns and material. This finds long manoeuvres, for which an estimate of the distance is useless.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use super::arena::Arena;
use super::key::pack;
use super::meter::Meter;
use super::near::{BUCKETS, Plan, QUEUES, ranks};
use super::news::News;
use super::probe::is_mate;

/// The result of the search.
pub(super) enum Guided {
    /// A line to a mate by the side in question.
    Mate(Vec<Move>),
    /// All positions were searched, and none is a mate by the side in question. The value is their number.
    Complete(u32),
    /// For long no man has come to a new square. The positions are probably few, and all of them can be generated.
    Still,
    /// The search reached its limit first.
    Cut,
}

/// The waiting positions, the most promising first, and among equals the oldest first.
struct Queue {
    buckets: Vec<VecDeque<u32>>,
    lowest: usize,
}

impl Queue {
    fn new() -> Self {
        Self { buckets: (0..BUCKETS).map(|_| VecDeque::new()).collect(), lowest: 0 }
    }

    fn push(&mut self, rank: usize, index: u32) {
        let rank = rank.min(BUCKETS - 1);
        self.lowest = self.lowest.min(rank);
        self.buckets[rank].push_back(index);
    }

    fn pop(&mut self) -> Option<u32> {
        while self.lowest < BUCKETS {
            if let Some(index) = self.buckets[self.lowest].pop_front() {
                return Some(index);
            }
            self.lowest += 1;
        }
        None
    }
}

/// A search of fewer positions than this is never called still.
const STILL: u32 = 2_000;

/// Visits up to `cap` positions. With `end_when_still` it also ends when the second half of them brought no man to a new square.
pub(super) fn guided(root: &Chess, side: Color, plan: Plan, cap: u32, end_when_still: bool, meter: &mut Meter) -> Guided {
    let mut arena = Arena::new(root);
    let mut news = News::new(cap);
    let mut queues: [Queue; QUEUES] = core::array::from_fn(|_| Queue::new());
    let mut done: Vec<bool> = vec![false];
    queues[0].push(0, 0);
    let mut turn = 0;
    let mut empty = 0;
    let mut newest = 0;
    loop {
        turn = (turn + 1) % QUEUES;
        let Some(index) = queues[turn].pop() else {
            empty += 1;
            if empty == QUEUES {
                return Guided::Complete(arena.len());
            }
            continue;
        };
        empty = 0;
        if core::mem::replace(&mut done[index as usize], true) {
            continue;
        }
        let Some(position) = arena.position(index) else {
            return Guided::Cut;
        };
        for step in &position.legal_moves() {
            let mut after = position.clone();
            after.play_unchecked(*step);
            if !meter.step() {
                return Guided::Cut;
            }
            if position.turn() == side && is_mate(&after) {
                return match arena.line(index) {
                    Some(mut line) => {
                        line.push(*step);
                        Guided::Mate(line)
                    }
                    None => Guided::Cut,
                };
            }
            let Some(new) = arena.insert(&pack(&after), index) else {
                continue;
            };
            let hopeless = after.has_insufficient_material(side);
            done.push(hopeless);
            if hopeless {
                continue;
            }
            let old = news.look(&after, step);
            if old == 0 {
                newest = new;
            }
            for (queue, rank) in ranks(&after, side, plan, old).into_iter().enumerate() {
                queues[queue].push(rank, new);
            }
        }
        if arena.len() > cap {
            return Guided::Cut;
        }
        if end_when_still && arena.len() > STILL.max(2 * newest) {
            return Guided::Still;
        }
    }
}
