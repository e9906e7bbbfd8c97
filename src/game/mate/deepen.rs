//! Searches in depth for a mate in which both players help. Moves that look like progress cost no depth, moves that look like the
//! opposite cost much, and the depth grows from round to round.
//!
//! The search finds long direct ways fast, and never shows that there is none.

use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role, Square, attacks};

use super::arena::spread;
use super::key::pack;
use super::meter::Meter;
use super::probe::is_mate;

/// The largest number of half-moves in a line.
const PLIES: usize = 120;
/// The depth that a move away from the goal costs.
const ASIDE: u32 = 4;

/// The limits of the search.
#[derive(Clone, Copy)]
pub(super) struct Tries {
    /// The depth of the first and of the last round.
    pub(super) depth: (u32, u32),
    /// The positions for each round, times its depth.
    pub(super) each: u64,
}

/// The depth left when a position was last entered, by a hash. A collision only makes a position look searched.
struct Table {
    entries: Vec<(u32, u32)>,
}

impl Table {
    fn new(tries: Tries) -> Self {
        let size = (tries.each * 2).next_power_of_two().clamp(1 << 8, 1 << 18);
        Self { entries: vec![(0, 0); usize::try_from(size).unwrap_or(1 << 8)] }
    }

    /// True if the position need not be entered with this depth left.
    fn entered(&mut self, at: &Chess, left: u32) -> bool {
        let sum = spread(&pack(at));
        let slot = sum as usize & (self.entries.len() - 1);
        let mark = (sum >> 32) as u32;
        let entry = &mut self.entries[slot];
        if entry.0 == mark && entry.1 > left {
            return true;
        }
        *entry = (mark, left + 1);
        false
    }
}

struct Frame {
    at: Chess,
    /// The index of its next move in the pool.
    next: usize,
    first: usize,
    cost: u32,
    progress: bool,
    goal: Goal,
}

/// A line to a mate by `side`, not always a short one.
pub(super) fn deepen(root: &Chess, side: Color, tries: Tries, meter: &mut Meter) -> Option<Vec<Move>> {
    let mut table = Table::new(tries);
    let mut frames = Vec::new();
    let mut pool = Vec::new();
    let corners = corners(root.board(), side);
    for depth in tries.depth.0..=tries.depth.1 {
        let corner = corners[depth as usize % corners.len()];
        let mut left = tries.each * u64::from(depth);
        if round(root, side, corner, depth, &mut left, &mut table, &mut frames, &mut pool, meter) {
            return Some(frames.iter().map(|frame: &Frame| pool[frame.next - 1]).collect());
        }
        if meter.spent() {
            return None;
        }
    }
    None
}

#[allow(clippy::too_many_arguments)]
fn round(
    root: &Chess,
    side: Color,
    corner: Square,
    depth: u32,
    nodes: &mut u64,
    table: &mut Table,
    frames: &mut Vec<Frame>,
    pool: &mut Vec<Move>,
    meter: &mut Meter,
) -> bool {
    frames.clear();
    pool.clear();
    pool.extend(root.legal_moves());
    frames.push(Frame { at: root.clone(), next: 0, first: 0, cost: 0, progress: false, goal: Goal::of(root, side, corner) });
    while let Some(frame) = frames.last_mut() {
        if frame.next == pool.len() {
            pool.truncate(frame.first);
            frames.pop();
            continue;
        }
        let step = pool[frame.next];
        frame.next += 1;
        if *nodes == 0 || !meter.step() {
            return false;
        }
        *nodes -= 1;
        let kind = frame.goal.judge(&step);
        let cost = frame.cost
            + match kind {
                Kind::Progress => 0,
                Kind::Plain => u32::from(!frame.progress),
                Kind::Aside => ASIDE,
            };
        let mut after = frame.at.clone();
        after.play_unchecked(step);
        if frame.at.turn() == side && is_mate(&after) {
            return true;
        }
        if cost >= depth || after.has_insufficient_material(side) || table.entered(&after, depth - cost) || frames.len() >= PLIES
        {
            continue;
        }
        let first = pool.len();
        pool.extend_from_slice(&after.legal_moves());
        let goal = Goal::of(&after, side, corner);
        frames.push(Frame { at: after, next: first, first, cost, progress: kind == Kind::Progress, goal });
    }
    false
}

/// The corners for the loser's king, the most promising first: corners of the colour that the winner's bishops attack,
/// otherwise corners where the loser's own bishops can stand beside the king.
fn corners(board: &Board, side: Color) -> [Square; 4] {
    let mut corners = [Square::A1, Square::H1, Square::A8, Square::H8];
    let bishops = board.bishops() & board.by_color(side);
    let dark = (bishops & Bitboard::DARK_SQUARES).any()
        || bishops.is_empty() && (board.bishops() & board.by_color(!side) & Bitboard::LIGHT_SQUARES).any();
    let home = side.fold_wb(7, 0);
    corners.sort_by_key(|corner| {
        let fits = Bitboard::DARK_SQUARES.contains(*corner) == dark;
        (!fits, u32::from(corner.rank()) != home)
    });
    corners
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Progress,
    Plain,
    Aside,
}

/// The aims of the side to move.
struct Goal {
    winner: bool,
    /// The aim of its king.
    king: Square,
    /// The aim of its knights.
    knights: Square,
    /// The squares on which the loser's men block their king.
    beside: Bitboard,
    /// True if the loser's pawns must become pieces that can block.
    lacks: bool,
}

impl Goal {
    fn of(at: &Chess, side: Color, corner: Square) -> Self {
        let winner = at.turn() == side;
        let toward = |steps: i32| {
            let file = if u32::from(corner.file()) == 0 { steps } else { -steps };
            let rank = if u32::from(corner.rank()) == 0 { steps * 8 } else { -steps * 8 };
            corner.offset(file + rank).unwrap_or(corner)
        };
        Self {
            winner,
            king: if winner { toward(1) } else { corner },
            knights: if winner { toward(3) } else { corner },
            beside: attacks::king_attacks(corner),
            lacks: !winner && lacks(at.board(), side),
        }
    }

    fn judge(&self, step: &Move) -> Kind {
        let to = step.to();
        let nearer = match step.role() {
            Role::King => step.from().is_some_and(|from| to.distance(self.king) < from.distance(self.king)),
            Role::Knight => step.from().is_some_and(|from| leaps(to, self.knights) < leaps(from, self.knights)),
            Role::Bishop => {
                !self.winner && self.beside.contains(to) && step.from().is_some_and(|from| !self.beside.contains(from))
            }
            _ => false,
        };
        let pawn = step.role() == Role::Pawn;
        let heavy = matches!(step.promotion(), Some(Role::Queen | Role::Rook));
        let good = if self.winner { pawn || step.is_capture() } else { self.lacks && pawn && !heavy };
        let bad = !self.winner && (step.is_capture() || self.lacks);
        if good || nearer {
            Kind::Progress
        } else if bad {
            Kind::Aside
        } else {
            Kind::Plain
        }
    }
}

/// True if the men of `side` cannot mate with the other men on the board unless a pawn of the opponent becomes a knight or
/// bishop.
fn lacks(board: &Board, side: Color) -> bool {
    let own = board.by_color(side) & !board.kings();
    let other = board.by_color(!side);
    if own.is_subset(board.bishops()) {
        let dark = own.is_subset(Bitboard::DARK_SQUARES);
        let crosswise = board.bishops() & if dark { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
        let mixed = !dark && !own.is_subset(Bitboard::LIGHT_SQUARES);
        !mixed && ((crosswise | board.knights()) & other).is_empty()
    } else {
        own.count() == 1
            && own.is_subset(board.knights())
            && (other & (board.knights() | board.bishops() | board.rooks())).is_empty()
    }
}

/// The approximate number of moves that a knight needs.
pub(super) fn leaps(from: Square, to: Square) -> u32 {
    if from == to {
        return 0;
    }
    let files = u32::from(from.file()).abs_diff(u32::from(to.file()));
    let ranks = u32::from(from.rank()).abs_diff(u32::from(to.rank()));
    let most = files.max(ranks).div_ceil(2).max((files + ranks).div_ceil(3));
    most + (most + files + ranks) % 2
}
