//! Checks after every made move whether neither side can checkmate any more: the dead-position watch (Article 5.2.2).
//!
//! One line that mates is enough for a no, and the line of the move before often still holds, has only lost its first move, or can
//! be played after the men have gone back to their squares. So a search is rare and small.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position, Role};

use super::check::check;
use super::meter::Meter;
use super::probe::probe;
use super::reason::{Answer, Counters, Reason};
use super::solve::{Budget, at_once, counted};

/// The smallest budget for each side, in positions. The budget is halved after each search that left the question open.
const LEAST: u64 = 1_000;
/// The largest number of positions in a proof that is checked again here. The position is not called dead by a larger proof.
const MOST_CHECKED: u32 = 20_000;
/// The longest line that is kept, in half-moves.
const LONGEST: usize = 120;
/// The largest number of moves to and fro that are tried on the way back to the position before.
const TRIED: usize = 8;

/// The answer of the watch on a position.
#[allow(clippy::large_enum_variant, reason = "made once for a move and looked at at once")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// This side can still checkmate; [`Watch::line`] has the moves.
    Alive(Color),
    /// It was not settled within the cap, and the game goes on. [`super::winnable`] has more time.
    Unknown,
    /// Neither side can checkmate, so the game is drawn. [`check`] has accepted both proofs.
    Dead {
        /// The reason why White cannot.
        white: Reason,
        /// The reason why Black cannot.
        black: Reason,
    },
}

/// The data kept from one made move to the next: for each side the last line to a mate, and whether the side is known to have
/// none.
///
/// It may be dropped and made again at any time, and asked about any position in any order. This costs time, but the answers
/// stay right.
#[derive(Clone, Debug)]
pub struct Watch {
    lines: [Vec<Move>; 2],
    /// The last position that was asked about.
    last: Option<Chess>,
    /// The sides that could not mate from there, and so cannot from any position that follows.
    lost: [bool; 2],
    /// The side that is asked about first.
    first: Color,
    /// The limit of the next search.
    cap: u64,
}

impl Default for Watch {
    fn default() -> Self {
        Self { lines: [Vec::new(), Vec::new()], last: None, lost: [false; 2], first: Color::White, cap: Budget::SMALL.nodes }
    }
}

impl Watch {
    /// Moves that end in mate by `side` from the last position asked about; empty if none is kept.
    pub fn line(&self, side: Color) -> &[Move] {
        &self.lines[side as usize]
    }

    /// Keeps the data that still hold in the new position.
    fn follow(&mut self, position: &Chess) {
        let last = self.last.replace(position.clone());
        let came = last.and_then(|last| Some((move_between(&last, position)?, last)));
        if came.is_none() {
            self.lost = [false; 2];
        }
        if came.as_ref().is_none_or(|(step, _)| step.is_zeroing()) {
            self.cap = Budget::SMALL.nodes;
        }
        for side in Color::ALL {
            let line = &mut self.lines[side as usize];
            if let Some(played) = plies_already_played(position, side, line) {
                line.drain(..played);
                continue;
            }
            let kept = !line.is_empty() && line.len() < LONGEST;
            match came.as_ref().filter(|_| kept).and_then(|(step, last)| way_back(position, *step, last)) {
                Some(way) => drop(line.splice(..0, way)),
                None => line.clear(),
            }
        }
    }
}

/// Tells whether the position is dead. It is called after every made move of a game, for the position then on the board.
///
/// It generates at most [`Budget::SMALL`] positions, or a twentieth of that if the moves before were no clearer and no
/// capture or pawn move came since. Usually it generates none or some dozens. If the game is over, the answer is for the
/// board: alive for a mate, dead for a stalemate.
pub fn dead(position: &Chess, watch: &mut Watch) -> Life {
    watched(position, watch).0
}

/// The same as [`dead`], with the cost of the answer.
pub fn watched(position: &Chess, watch: &mut Watch) -> (Life, Counters) {
    watch.follow(position);
    let mut cost = Counters::default();
    let order = [watch.first, !watch.first];
    // First a line that still holds, then one that is easily found, of either side, before anything that takes time.
    if let Some(side) = order.into_iter().find(|side| !watch.line(*side).is_empty()) {
        watch.first = side;
        return (Life::Alive(side), cost);
    }
    for side in order {
        if watch.lost[side as usize] || matches!(at_once(position, side), Some(Answer::Unwinnable { .. })) {
            continue;
        }
        let mut meter = Meter::new(watch.cap / 4);
        let line = probe(position, side, 0..2, &mut meter);
        cost.nodes += meter.counters.nodes;
        if let Some(line) = line {
            watch.lines[side as usize] = line;
            watch.first = side;
            return (Life::Alive(side), cost);
        }
    }
    let life = search(position, watch, order, &mut cost);
    watch.cap = if life == Life::Unknown { (watch.cap / 2).max(LEAST) } else { Budget::SMALL.nodes };
    (life, cost)
}

fn search(position: &Chess, watch: &mut Watch, order: [Color; 2], cost: &mut Counters) -> Life {
    let mut reasons = [None, None];
    // A side that is known to have no mate comes last: its proof is needed only if the other side has one, too.
    let order = if watch.lost[order[0] as usize] { [order[1], order[0]] } else { order };
    for side in order {
        let left = watch.cap.saturating_sub(cost.nodes);
        let (answer, counters) = counted(position, side, Budget { nodes: left, ..Budget::SMALL });
        cost.nodes += counters.nodes;
        cost.walls += counters.walls;
        match answer {
            Answer::Winnable { line, .. } => {
                watch.lines[side as usize] = line;
                watch.first = side;
                return Life::Alive(side);
            }
            Answer::Unwinnable { reason } => {
                watch.lost[side as usize] = true;
                reasons[side as usize] = Some(reason);
            }
            Answer::Undecided { .. } => return Life::Unknown,
        }
    }
    match reasons {
        [Some(black), Some(white)] if proved(position, Color::White, &white) && proved(position, Color::Black, &black) => {
            Life::Dead { white, black }
        }
        _ => Life::Unknown,
    }
}

fn proved(position: &Chess, side: Color, reason: &Reason) -> bool {
    let short = !matches!(reason, Reason::Exhausted(closure) if closure.positions > MOST_CHECKED);
    short && check(position, side, &Answer::Unwinnable { reason: reason.clone() }).is_ok()
}

/// The move that leads from one position to the other.
fn move_between(last: &Chess, position: &Chess) -> Option<Move> {
    if last.turn() == position.turn() {
        return None;
    }
    last.legal_moves().into_iter().find(|step| {
        // Most moves differ in the man on their last square.
        let on = position.board().piece_at(step.to());
        let castles = step.is_castle();
        (castles || on.is_some_and(|piece| piece.color == last.turn())) && {
            let mut after = last.clone();
            after.play_unchecked(*step);
            after == *position
        }
    })
}

/// Moves that lead back to the position from which `step` was played, if men can go back there: the other side moves one to and fro.
fn way_back(position: &Chess, step: Move, last: &Chess) -> Option<[Move; 3]> {
    let back = undone(step)?;
    let to_and_fro = position.legal_moves().into_iter().filter_map(|to| Some((to, undone(to)?)));
    to_and_fro.take(TRIED).map(|(to, fro)| [to, back, fro]).find(|way| {
        let mut at = position.clone();
        let legal = way.iter().all(|step| {
            let legal = at.is_legal(*step);
            if legal {
                at.play_unchecked(*step);
            }
            legal
        });
        legal && at == *last
    })
}

/// The move by which the man goes back; none for a pawn, a capture and castling.
fn undone(step: Move) -> Option<Move> {
    match step {
        Move::Normal { role, from, capture: None, to, promotion: None } if role != Role::Pawn => {
            Some(Move::Normal { role, from: to, capture: None, to: from, promotion: None })
        }
        _ => None,
    }
}

/// The number of moves already played, if the rest still ends in mate.
fn plies_already_played(position: &Chess, side: Color, line: &[Move]) -> Option<usize> {
    // The line ends with a move of `side`, so its length decides from which move on it fits the side to move.
    let own = position.turn() == side;
    let first = usize::from((line.len() % 2 == 1) != own);
    let rest = line.get(first..)?;
    let mut at = position.clone();
    for step in rest {
        if !at.is_legal(*step) {
            return None;
        }
        at.play_unchecked(*step);
    }
    (at.is_checkmate() && at.turn() != side).then_some(first)
}
