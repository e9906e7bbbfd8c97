//! Runs the searches for a mate in their order, the cheapest first.

use alloc::vec::Vec;
use core::ops::Range;

use shakmaty::{Bitboard, Chess, Color, Move, Position};

use super::arena::BYTES_EACH;
use super::closure::{Closed, closure};
use super::deepen::{Tries, deepen};
use super::guided::{Guided, guided};
use super::meter::Meter;
use super::near::Plan;
use super::picture::pictured;
use super::probe::probe;
use super::reach::{Effort, wall_around};
use super::reason::{Answer, Reason};
use super::short::without_repeats;
use super::solve::Budget;

/// One search.
#[derive(Clone)]
enum Stage {
    /// Greedy walks with these numbers.
    Walks(Range<u32>),
    /// All positions, up to the first number. Walls are tried for at most the second number of them.
    Close(u32, u32),
    /// A wall around the first position.
    Wall,
    /// A search in depth.
    Deepen(Tries),
    /// A search towards the known mates of minor men, up to this number of positions.
    Pictured(u32),
    /// The same, only for a side that has bishops and nothing else.
    PicturedBishops(u32),
    /// A guided search by this number of plans, up to this number of positions each.
    Guided(usize, u32),
}

/// The sequence was measured on positions of real games first, and on composed positions second.
const FIRST: [Stage; 6] =
    [Stage::Walks(0..1), Stage::Close(16, 0), Stage::Wall, Stage::Close(64, 0), Stage::Walks(1..8), Stage::Pictured(2_000)];

/// After [`FIRST`], for a side that has a knight and otherwise at most bishops: a search in depth finds most of its mates.
const KNIGHTS: [Stage; 7] = [
    Stage::Deepen(Tries { depth: (1, 4), each: 1_000 }),
    Stage::Close(1_000, 1),
    Stage::Deepen(Tries { depth: (2, 6), each: 2_000 }),
    Stage::Guided(1, 1_000),
    Stage::Guided(2, 4_000),
    Stage::Close(4_000, 60),
    Stage::Guided(2, 10_000),
];

/// After [`FIRST`], for all other sides.
const OTHERS: [Stage; 8] = [
    Stage::Deepen(Tries { depth: (1, 4), each: 300 }),
    Stage::Close(500, 4),
    Stage::Guided(1, 2_000),
    Stage::PicturedBishops(15_000),
    Stage::Deepen(Tries { depth: (1, 4), each: 1_000 }),
    Stage::Guided(1, 30_000),
    Stage::Close(4_000, 60),
    Stage::Guided(2, 30_000),
];

/// The last stages of the list, for every side.
const LAST: [Stage; 10] = [
    Stage::Close(20_000, 300),
    Stage::Guided(2, 80_000),
    Stage::Close(60_000, 300),
    Stage::Deepen(Tries { depth: (5, 16), each: 2_000 }),
    Stage::Guided(3, 150_000),
    Stage::Close(300_000, 1_000),
    Stage::Guided(3, 400_000),
    Stage::Close(600_000, 4_000),
    Stage::Guided(3, 600_000),
    Stage::Close(1_000_000, 20_000),
];

/// The largest number of positions that are generated when a guided search is still.
const STILL: u32 = 60_000;

/// The stages after those of the list, without end. More positions than [`LAST`] keeps do not fit into the memory, so only the
/// searches that keep few positions go on, each time with about twice the nodes.
fn later() -> impl Iterator<Item = Stage> {
    (0_u32..).flat_map(|turn| {
        let first = 17 + 4 * turn.min(20);
        let each = 2_000 << turn.min(10);
        // The number of a walk is part of a seed of 32 bits.
        let walks = 1_000 << turn.min(14);
        [Stage::Deepen(Tries { depth: (first, first + 3), each }), Stage::Walks(walks..2 * walks)]
    })
}

/// The stages for the side, without end.
fn stages(position: &Chess, side: Color) -> impl Iterator<Item = Stage> {
    let board = position.board();
    let (own, knights) = (men(position, side), board.knights());
    let of_knights = (own & knights).any() && own.is_subset(knights | board.bishops());
    let second: &'static [Stage] = if of_knights { &KNIGHTS } else { &OTHERS };
    FIRST.iter().chain(second).chain(&LAST).cloned().chain(later())
}

/// The men of the side without its king.
fn men(position: &Chess, side: Color) -> Bitboard {
    position.board().by_color(side) & !position.board().kings()
}

/// Runs the stages until one has an answer or the budget is spent.
pub(super) fn search(position: &Chess, side: Color, budget: Budget, meter: &mut Meter) -> Option<Answer> {
    let room = u32::try_from(budget.memory / BYTES_EACH).unwrap_or(u32::MAX);
    let mut still = false;
    for stage in stages(position, side) {
        if meter.spent() {
            return None;
        }
        let answer = match &stage {
            Stage::Walks(walks) => probe(position, side, walks.clone(), meter).map(won),
            Stage::Close(cap, walls) => close(position, side, room.min(*cap), *walls, meter),
            Stage::Wall => {
                wall_around(position, side, Effort::Quick, meter).map(|wall| Answer::Unwinnable { reason: Reason::Wall(wall) })
            }
            Stage::Deepen(tries) => deepen(position, side, *tries, meter).map(won),
            Stage::Pictured(cap) => pictured(position, side, *cap, meter).map(won),
            Stage::PicturedBishops(cap) => {
                let only_bishops = men(position, side).is_subset(position.board().bishops());
                if only_bishops { pictured(position, side, *cap, meter).map(won) } else { None }
            }
            Stage::Guided(most, cap) => by_plans(position, side, *most, room, *cap, &mut still, meter),
        };
        match answer {
            Some(Answer::Winnable { line, shortest: false }) => return Some(won(without_repeats(position, line))),
            Some(_) => return answer,
            None => {}
        }
    }
    None
}

/// Once, when a search is still, all positions are generated, because they are probably few. `still` is true after that.
fn by_plans(
    position: &Chess,
    side: Color,
    most: usize,
    room: u32,
    cap: u32,
    still: &mut bool,
    meter: &mut Meter,
) -> Option<Answer> {
    let board = position.board();
    let minor = men(position, side).is_subset(board.knights() | board.bishops());
    let [first, second] = if minor { [Plan::Blockers, Plan::Material] } else { [Plan::Material, Plan::Blockers] };
    for plan in [first, second, Plan::Together].into_iter().take(most) {
        let cap = cap.min(room / 3 * 2);
        let mut found = guided(position, side, plan, cap, !*still, meter);
        if let Guided::Still = found {
            *still = true;
            if let Some(answer) = close(position, side, room.min(STILL), 0, meter) {
                return Some(answer);
            }
            found = guided(position, side, plan, cap, false, meter);
        }
        match found {
            Guided::Mate(line) => return Some(won(line)),
            Guided::Complete(positions) => {
                if let Some(answer) = close(position, side, positions.min(room), 0, meter) {
                    return Some(answer);
                }
            }
            Guided::Still | Guided::Cut => {}
        }
    }
    None
}

/// A line of one or two half-moves is always shortest, because the side to move decides whether the number is odd or even.
fn won(line: Vec<Move>) -> Answer {
    let shortest = line.len() <= 2;
    Answer::Winnable { line, shortest }
}

fn close(position: &Chess, side: Color, cap: u32, walls: u32, meter: &mut Meter) -> Option<Answer> {
    let mut tries = walls;
    let mut closed = closure(position, side, cap, &mut tries, meter, Vec::new());
    meter.counters.walls += walls - tries;
    // A wall may also hold positions that were followed before it was met, so all are counted again with every wall.
    if let Closed::Complete(sum) = &mut closed
        && !sum.walls.is_empty()
    {
        let known = core::mem::take(&mut sum.walls);
        closed = closure(position, side, cap, &mut 0, meter, known);
    }
    match closed {
        Closed::Mate(line) => Some(Answer::Winnable { line, shortest: true }),
        Closed::Complete(mut sum) => {
            let reason = if sum.positions == 1 && sum.walls.len() == 1 {
                Reason::Wall(sum.walls.remove(0))
            } else {
                Reason::Exhausted(sum)
            };
            Some(Answer::Unwinnable { reason })
        }
        Closed::Cut { .. } => None,
    }
}
