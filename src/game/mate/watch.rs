//! The dead-position watch: after every made move, can neither side checkmate any more (Article 5.2.2)?
//!
//! One line that mates is enough to say no, and the line of the move before often still holds or has only lost its first
//! move. So a search is rare, and it is small.

use alloc::vec::Vec;

use shakmaty::{Chess, Color, Move, Position};

use super::check::check;
use super::meter::Meter;
use super::probe::probe;
use super::reason::{Answer, Counters, Reason};
use super::solve::{Budget, at_once, counted};

/// Positions for each side where the moves before left it open; halved each time that they do.
const LEAST: u64 = 1_000;
/// Proofs of more positions than this are not looked at again here, and the position is not called dead by them.
const MOST_CHECKED: u32 = 20_000;

/// What the watch says of a position.
#[allow(clippy::large_enum_variant, reason = "made once for a move and looked at at once")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// This side can still checkmate; [`Watch::line`] has the moves.
    Alive(Color),
    /// Not settled within the cap; the game goes on. [`super::winnable`] has more time.
    Unknown,
    /// Neither side can checkmate: the game is drawn. Both proofs have been looked at again by [`check`].
    Dead {
        /// Why White cannot.
        white: Reason,
        /// Why Black cannot.
        black: Reason,
    },
}

/// What is kept from one made move to the next of a game: for each side the last line to a mate, and who is known to have none.
///
/// It may be thrown away and made anew at any time, and asked of any position in any order: that costs time, not truth.
#[derive(Clone, Debug)]
pub struct Watch {
    lines: [Vec<Move>; 2],
    /// The position that was asked of last.
    last: Option<Chess>,
    /// Sides that could not mate from there, and so cannot from any position that follows.
    lost: [bool; 2],
    /// Sides in the order in which they are asked.
    first: Color,
    /// What the next search may cost.
    cap: u64,
}

impl Default for Watch {
    fn default() -> Self {
        Self { lines: [Vec::new(), Vec::new()], last: None, lost: [false; 2], first: Color::White, cap: Budget::SMALL.nodes }
    }
}

impl Watch {
    /// Moves that end in mate by `side` from the position that was asked of last; empty if none is kept.
    pub fn line(&self, side: Color) -> &[Move] {
        &self.lines[side as usize]
    }

    /// Carries over what still holds in the new position.
    fn follow(&mut self, position: &Chess) {
        let came = self.last.as_ref().and_then(|last| came_by(last, position));
        if came.is_none() {
            self.lost = [false; 2];
        }
        if came.is_none_or(|step| step.is_zeroing()) {
            self.cap = Budget::SMALL.nodes;
        }
        for side in Color::ALL {
            let line = &mut self.lines[side as usize];
            match held(position, side, line) {
                Some(played) => {
                    line.drain(..played);
                }
                None => line.clear(),
            }
        }
        self.last = Some(position.clone());
    }
}

/// Is the position dead? Asked after every made move of a game, of the position then on the board.
///
/// It generates at most [`Budget::SMALL`] positions, a twentieth of that where the moves before were no clearer and nothing was
/// taken or moved for good since; commonly none at all or some dozens. Where the game is over, the answer says what is on
/// the board: alive for a mate, dead for a stalemate.
pub fn dead(position: &Chess, watch: &mut Watch) -> Life {
    watched(position, watch).0
}

/// As [`dead`], with what the answer has cost beside it.
pub fn watched(position: &Chess, watch: &mut Watch) -> (Life, Counters) {
    watch.follow(position);
    let mut cost = Counters::default();
    let order = [watch.first, !watch.first];
    // A line that still holds, then one that is easily found, of either side, before anything that takes time.
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
    // A side that is known to be lost is asked last: its proof is needed only if the other has one, too.
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
fn came_by(last: &Chess, position: &Chess) -> Option<Move> {
    if last.turn() == position.turn() {
        return None;
    }
    last.legal_moves().into_iter().find(|step| {
        // Most moves are told apart by what stands on their last square.
        let on = position.board().piece_at(step.to());
        let castles = step.is_castle();
        (castles || on.is_some_and(|piece| piece.color == last.turn())) && {
            let mut after = last.clone();
            after.play_unchecked(*step);
            after == *position
        }
    })
}

/// How many of the moves were played already, if the rest still ends in mate.
fn held(position: &Chess, side: Color, line: &[Move]) -> Option<usize> {
    // The line ends with a move of `side`, so its length says from where on it fits who is to move.
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
