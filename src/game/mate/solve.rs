//! The order of the questions.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use super::arena::BYTES_EACH;
use super::closure::{Closed, closure};
use super::guided::{Guided, guided};
use super::key::MOST_MEN;
use super::meter::Meter;
use super::near::Plan;
use super::probe::probe;
use super::reason::{Answer, Counters, ForcedEnd, Reason};

/// The only moves that are followed before the search begins.
const MOST_FORCED: usize = 32;

/// What a question may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Positions generated, together.
    pub nodes: u64,
    /// Bytes of memory for the search.
    pub memory: usize,
}

impl Budget {
    /// For a question that was asked: up to 64 MiB.
    pub const FULL: Self = Self { nodes: 40_000_000, memory: 64 << 20 };
    /// After every move: up to 8 MiB, and short.
    pub const SMALL: Self = Self { nodes: 20_000, memory: 8 << 20 };
}

impl Default for Budget {
    fn default() -> Self {
        Self::FULL
    }
}

/// One round: positions of the closure, walls tried in it, positions of the guided search.
const ROUNDS: [(u32, u32, u32); 7] = [
    (64, 0, 0),
    (1_000, 1, 1_000),
    (4_000, 60, 10_000),
    (20_000, 300, 40_000),
    (60_000, 1_000, 150_000),
    (300_000, 4_000, 400_000),
    (1_000_000, 20_000, 600_000),
];

/// Can `side` checkmate by any series of legal moves from the position?
///
/// Positions of more than 32 men are `Undecided`.
pub fn winnable(position: &Chess, side: Color, budget: Budget) -> Answer {
    counted(position, side, budget).0
}

/// As [`winnable`], with what the answer has cost beside it.
pub fn counted(position: &Chess, side: Color, budget: Budget) -> (Answer, Counters) {
    let mut meter = Meter::new(budget.nodes);
    let mut answer = at_once(position, side);
    if answer.is_none() && position.board().occupied().count() <= MOST_MEN {
        answer = forced(position, side).or_else(|| search(position, side, budget, &mut meter));
    }
    let counters = meter.counters;
    (answer.unwrap_or(Answer::Undecided { counters }), counters)
}

/// What the position says by itself, without a search: the game is over, then the material.
pub fn at_once(position: &Chess, side: Color) -> Option<Answer> {
    let over = position.legal_moves().is_empty();
    let reason = if over && position.is_check() {
        if position.turn() != side {
            return Some(Answer::Winnable { line: Vec::new(), shortest: true });
        }
        Reason::Mated
    } else if over {
        Reason::Stalemate
    } else if position.board().by_color(side).count() == 1 {
        Reason::BareKing
    } else if position.has_insufficient_material(side) {
        Reason::Material
    } else {
        return None;
    };
    Some(Answer::Unwinnable { reason })
}

/// Follows the only moves to an end of the game, to hopeless material, or to a position that comes back.
fn forced(position: &Chess, side: Color) -> Option<Answer> {
    let mut at = position.clone();
    let mut line = Vec::new();
    let mut seen = Vec::new();
    loop {
        let moves = at.legal_moves();
        let [only] = moves.as_slice() else { return None };
        if line.len() == MOST_FORCED {
            return None;
        }
        seen.push(at.clone());
        line.push(*only);
        at.play_unchecked(*only);
        let end = match at_once(&at, side) {
            Some(Answer::Winnable { .. }) => {
                return Some(Answer::Winnable { line, shortest: true });
            }
            Some(Answer::Unwinnable { reason }) => match reason {
                Reason::Mated => ForcedEnd::Mated,
                Reason::Stalemate => ForcedEnd::Stalemate,
                _ => ForcedEnd::Material,
            },
            _ if seen.contains(&at) => ForcedEnd::Circle,
            _ => continue,
        };
        let reason = Reason::Forced { line, end };
        return Some(Answer::Unwinnable { reason });
    }
}

fn search(position: &Chess, side: Color, budget: Budget, meter: &mut Meter) -> Option<Answer> {
    let room = u32::try_from(budget.memory / BYTES_EACH).unwrap_or(u32::MAX);
    let men = position.board().by_color(side) & !position.board().kings();
    let minor = men.is_subset(position.board().knights() | position.board().bishops());
    let [first, second] = if minor { [Plan::Blockers, Plan::Material] } else { [Plan::Material, Plan::Blockers] };
    let plans = [first, second, Plan::Together];
    for (round, (all, walls, some)) in ROUNDS.into_iter().enumerate() {
        if let Some(answer) = close(position, side, all.min(room), walls, meter) {
            return Some(answer);
        }
        if round == 0
            && let Some(line) = probe(position, side, meter)
        {
            return Some(won(line, false));
        }
        // The first round is for the walks alone; the third plan is for what the others have failed at.
        let tried = if round < 4 { round.min(2) } else { 3 };
        for plan in plans.into_iter().take(tried) {
            match guided(position, side, plan, some.min(room / 3 * 2), meter) {
                Guided::Mate(line) => return Some(won(line, false)),
                Guided::Complete(positions) => {
                    let all = positions.min(room);
                    if let Some(answer) = close(position, side, all, 0, meter) {
                        return Some(answer);
                    }
                }
                Guided::Cut => {}
            }
        }
        if meter.spent() {
            break;
        }
    }
    None
}

fn won(line: Vec<Move>, shortest: bool) -> Answer {
    Answer::Winnable { line, shortest }
}

fn close(position: &Chess, side: Color, cap: u32, walls: u32, meter: &mut Meter) -> Option<Answer> {
    let mut tries = walls;
    let mut closed = closure(position, side, cap, &mut tries, meter, Vec::new());
    meter.counters.walls += walls - tries;
    // A wall may also hold positions that were followed before it was met: count again with all of them.
    if let Closed::Complete(sum) = &mut closed
        && !sum.walls.is_empty()
    {
        let known = core::mem::take(&mut sum.walls);
        closed = closure(position, side, cap, &mut 0, meter, known);
    }
    match closed {
        Closed::Mate(line) => Some(won(line, true)),
        Closed::Complete(mut sum) => {
            let reason = if sum.positions == 1 && sum.walls.len() == 1 {
                Reason::Wall(sum.walls.remove(0))
            } else {
                Reason::Exhausted(sum)
            };
            Some(Answer::Unwinnable { reason })
        }
        Closed::Cut => None,
    }
}
