//! Searches in depth for a mate in a fixed number of half-moves. A move is followed only if a picture of mate stays within reach.

use alloc::vec::Vec;
use core::ops::Range;

use shakmaty::{Chess, Color, File, Move, Position, Role, Square};

use super::failed::Failed;
use super::paths::{NEVER, Paths, Target};
use super::pictures::{Man, Picture};
use crate::mate::key::pack;
use crate::mate::meter::Meter;

/// The result of a search in depth.
pub(super) enum Searched {
    /// A line to a mate.
    Mate(Vec<Move>),
    /// There is no mate in this number of half-moves.
    Nothing,
    /// The budget was spent first.
    Cut,
}

/// A picture within reach, by its number, and the moves that winner and loser still need for it.
#[derive(Clone, Copy)]
struct Within {
    picture: u32,
    costs: [u8; 2],
}

pub(super) struct Search<'a> {
    pub(super) side: Color,
    /// The moves that winner and loser may save by castling.
    pub(super) spare: [u8; 2],
    pub(super) paths: &'a Paths,
    pub(super) pictures: &'a [Picture],
    pub(super) failed: &'a mut Failed,
    pub(super) meter: &'a mut Meter,
    /// True if the search shall go on. It is asked now and then.
    pub(super) go_on: &'a dyn Fn() -> bool,
    /// The number of moves looked at so far.
    pub(super) moves: u64,
}

/// A position with its men.
#[derive(Clone)]
struct Node {
    position: Chess,
    men: Vec<Man>,
}

/// A move that keeps a picture within reach.
struct Step {
    made: Move,
    /// The least sum of moves to a picture.
    far: u16,
    /// The pictures within reach after it.
    within: Range<usize>,
}

/// The largest number of pictures in the lists along a line: 16 MiB.
const MOST_WITHIN: usize = 2 << 20;
/// The search asks whether to go on after this number of moves.
const ASK_EVERY: u64 = 1024;

/// The moves that winner and loser make in so many half-moves, of which the winner makes the last.
pub(super) fn shares(plies: usize, spare: [u8; 2]) -> [u8; 2] {
    [plies.div_ceil(2).min(100) as u8 + spare[0], (plies / 2).min(100) as u8 + spare[1]]
}

impl Search<'_> {
    /// Looks for a mate in exactly `plies` half-moves, where it is known that no shorter one exists.
    pub(super) fn run(&mut self, position: &Chess, men: &[Man], plies: usize) -> Searched {
        let mut within = Vec::new();
        let far = |(number, picture): (usize, &Picture)| Within { picture: number as u32, costs: picture.costs };
        within.extend(self.pictures.iter().enumerate().map(far));
        let all = 0..within.len();
        let mut line = Vec::new();
        let node = Node { position: position.clone(), men: men.to_vec() };
        match self.descend(&node, plies, all, &mut within, &mut line) {
            None => Searched::Cut,
            Some(false) => Searched::Nothing,
            Some(true) => {
                line.reverse();
                Searched::Mate(line)
            }
        }
    }

    /// True if a mate was found, with its moves in `line`, the last one first. None if the budget is spent.
    fn descend(
        &mut self,
        node: &Node,
        left: usize,
        within: Range<usize>,
        lists: &mut Vec<Within>,
        line: &mut Vec<Move>,
    ) -> Option<bool> {
        let mut steps = Vec::new();
        for made in node.position.legal_moves() {
            if !self.meter.step() || self.moves.is_multiple_of(ASK_EVERY) && !(self.go_on)() {
                return None;
            }
            self.moves += 1;
            self.meter.work(within.len() as u64);
            let begin = lists.len();
            let far = self.filter(node, &made, shares(left - 1, self.spare), within.clone(), lists);
            if lists.len() > MOST_WITHIN {
                return None;
            }
            if let Some(far) = far {
                steps.push(Step { made, far, within: begin..lists.len() });
            }
        }
        steps.sort_by_key(|step| step.far);
        for Step { made, within, .. } in steps {
            let mut position = node.position.clone();
            position.play_unchecked(made);
            if left == 1 {
                if position.is_checkmate() {
                    line.push(made);
                    return Some(true);
                }
                continue;
            }
            let key = pack(&position);
            if self.failed.holds(&key, left as u64 - 1) {
                continue;
            }
            let mut next = Node { position, men: node.men.clone() };
            follow(&mut next.men, &made);
            let end = lists.len();
            let found = self.descend(&next, left - 1, within, lists, line)?;
            lists.truncate(end);
            if found {
                line.push(made);
                return Some(true);
            }
            self.failed.keep(&key, left as u64 - 1);
        }
        Some(false)
    }

    /// Lists the pictures within reach after a move, and returns the least sum of moves; none if no picture is within reach.
    fn filter(&self, node: &Node, made: &Move, most: [u8; 2], within: Range<usize>, lists: &mut Vec<Within>) -> Option<u16> {
        let captured = captured_on(made).and_then(|square| number_at(&node.men, square));
        let changes = changes(&node.men, made);
        let sum = usize::from(node.position.turn() != self.side);
        let mut least = None;
        for place in within {
            let Within { picture, mut costs } = lists[place];
            let named = &self.pictures[picture as usize];
            if captured.is_some_and(|captured| named.target(captured).is_some()) {
                continue;
            }
            for (index, now) in changes.iter().flatten() {
                if let Some(target) = named.target(*index) {
                    costs[sum] = (costs[sum] - self.cost(&node.men[*index], target)).saturating_add(self.cost(now, target));
                }
            }
            if costs[0] <= most[0] && costs[1] <= most[1] {
                let far = u16::from(costs[0]) + u16::from(costs[1]);
                least = Some(least.map_or(far, |least: u16| least.min(far)));
                lists.push(Within { picture, costs });
            }
        }
        least
    }

    fn cost(&self, man: &Man, target: Target) -> u8 {
        man.square.map_or(NEVER, |square| self.paths.cost(man.color, man.role, square, target))
    }
}

/// The number of the man on a square.
fn number_at(men: &[Man], square: Square) -> Option<usize> {
    men.iter().position(|man| man.square == Some(square))
}

/// The square of the man that a move captures.
fn captured_on(made: &Move) -> Option<Square> {
    match made {
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => made.capture().map(|_: Role| made.to()),
    }
}

/// The men that a move moves, by their numbers, as they are after it.
fn changes(men: &[Man], made: &Move) -> [Option<(usize, Man)>; 2] {
    let moved = |from, to, promotion: Option<Role>| {
        let index = number_at(men, from)?;
        let man = men[index];
        Some((index, Man { role: promotion.unwrap_or(man.role), square: Some(to), ..man }))
    };
    match *made {
        Move::Castle { king, rook } => {
            let short = king.file() < rook.file();
            let at = |file| Square::from_coords(file, king.rank());
            let [king_to, rook_to] = if short { [File::G, File::F] } else { [File::C, File::D] };
            [moved(king, at(king_to), None), moved(rook, at(rook_to), None)]
        }
        _ => [made.from().and_then(|from| moved(from, made.to(), made.promotion())), None],
    }
}

/// Moves the men.
fn follow(men: &mut [Man], made: &Move) {
    let changes = changes(men, made);
    if let Some(captured) = captured_on(made).and_then(|square| number_at(men, square)) {
        men[captured].square = None;
    }
    for (index, man) in changes.into_iter().flatten() {
        men[index] = man;
    }
}
