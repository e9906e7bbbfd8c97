//! Evaluates one reading of the moves since the last sure move, and of the presses that belong to them.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::men;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::candidates::{Candidate, Node};
use crate::reconstruct::explain::{self, LastMove, unexplained};
use crate::reconstruct::line::{Line, Tentative, man_of};
use crate::reconstruct::occupancy::plausible::Doubt;
use crate::reconstruct::route;
use crate::reconstruct::sensing::{Sensing, ShownMove};
use crate::reconstruct::tuning::Tuning;

/// The time after a press without a change in which the board, with a scan more, must show a change
/// (`reconstruct/README.md#6.1`).
pub(crate) const NOTHING_MOVED: Duration = Duration::from_millis(700);
/// The time after a press in which the board must show a legal move.
pub(crate) const NO_LEGAL_MOVE: Duration = Duration::from_millis(1500);
/// The largest number of presses that may wait for their moves.
pub(crate) const MAX_PRESSES: usize = 4;
/// The time for which a man must stand on another square to show that it only passed the one on which it seemed to end the game. While
/// the men are set up anew, they rest for a shorter time.
pub(crate) const STANDS_ELSEWHERE: Duration = Duration::from_secs(2);
/// The longest delay of a report after its scan, because the line is slow.
pub(crate) const ON_THE_LINE: Duration = Duration::from_millis(50);

/// A press and the side that pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pressed {
    pub(crate) by: Color,
    pub(crate) at: Interval,
}

/// The facts by which all readings are judged at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) now: Instant,
    pub(crate) board: &'a PhysicalBoard,
    /// A clock is present, and presses are used as evidence.
    pub(crate) clock: bool,
    /// The side whose clock runs.
    pub(crate) runs: Option<Color>,
    pub(crate) scan: Duration,
    /// How moves are read from this kind of board.
    pub(crate) sensing: &'static dyn Sensing,
    /// The weights for this kind of board.
    pub(crate) tuning: Tuning,
}

/// One reading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hypothesis {
    pub(crate) line: Line,
    /// Presses for which the reading has no move yet, in their order.
    pub(crate) waiting: Vec<Pressed>,
    /// The cost that the reading keeps for good.
    pub(crate) penalty: i32,
    /// The highest cost of what was unexplained since the last move of the reading. What was unexplained for less than a scan
    /// counts only beyond [`Weights::transient`](crate::reconstruct::tuning::Weights::transient).
    pub(crate) worst: i32,
    /// The squares that were unexplained at that cost.
    pub(crate) worst_squares: u64,
    /// The part of the cost before the last move that came up shortly before that move, where men are not identified.
    pub(crate) inherited: i32,
    /// Since when the board shows more than the moves of the reading. While the only difference is a man of the side to move in a
    /// hand, this is the largest possible moment.
    pub(crate) unexplained_since: Option<Instant>,
    /// The value of `worst` before that moment.
    pub(crate) worst_before: i32,
    /// Squares whose sensors are taken to be dead.
    pub(crate) dead: u64,
    /// The whole cost, as of the last time that the reading was judged.
    pub(crate) cost: i32,
    /// The part of the cost that comes only from the preferences of players.
    pub(crate) doubted: i32,
}

impl Hypothesis {
    /// The cost of the evidence alone, without the preferences of players.
    pub(crate) fn evidence_cost(&self) -> i32 {
        self.cost - self.doubted
    }

    /// True if the cost of what is or was unexplained is at least `least`.
    pub(crate) fn leaves_unexplained(&self, least: i32) -> bool {
        self.penalty + self.worst >= least
    }

    /// Computes the cost of the reading anew.
    pub(crate) fn judge(&mut self, base: &Node, scene: &Scene<'_>) {
        let weights = &scene.tuning.weights;
        let mismatch = self.mismatch(base, scene);
        let wait = scene.sensing.settle_after(scene.scan, scene.clock);
        let settled = wait.is_some_and(|wait| scene.now >= scene.board.last_change().after(wait));
        scene.sensing.note_unexplained(self, base, mismatch, settled, scene);
        // Hands and scans leave squares unexplained for moments, but only up to a limit.
        let unexplained = if settled { mismatch } else { mismatch - weights.transient };
        if unexplained > self.worst {
            self.worst = unexplained;
            self.worst_squares = men::difference(&self.line.top(base).men, scene.board.men()) & !self.dead;
        }
        scene.sensing.note_last_move(self, mismatch, scene);
        let mut cost = self.penalty + self.worst.max(mismatch);
        let mut doubted = 0;
        let plies = self.line.plies();
        let mut owed = false;
        for (index, ply) in plies.iter().enumerate() {
            let reply = plies.get(index + 1).filter(|next| next.made.latest.after(Duration::from_secs(1)) <= scene.now);
            match ply.pressed {
                Some(_) => cost -= weights.pressed,
                // Presses cannot be heard in a gap. The running clock shows which side pressed last.
                None if ply.repaired => {
                    let last = index + 1 == plies.len();
                    cost += if ply.logged { 0 } else { weights.unheard };
                    cost += match () {
                        // The end of the game proves such a move as well as a press.
                        () if last && ply.ends_game => -weights.pressed,
                        () if last && scene.runs == Some(ply.color) => weights.not_pressed_yet,
                        () => 0,
                    };
                }
                // If the press of the move before was missed, the lever cannot show the press of this move.
                None if owed || !scene.clock => {}
                None => cost += reply.map_or(0, |reply| route::cost_without_press(ply, reply, scene)),
            }
            // No press shows that the man made two moves.
            if scene.clock && self.may_be_one_move(base, index, scene) {
                cost += weights.not_pressed;
            }
            owed = ply.pressed.is_none() && !owed;
            cost += if ply.seen { 0 } else { weights.unseen };
            // The man that was believed to stand on a dead square is back on a square on which it was seen.
            let back = ply.inferred && route::came_back(ply, &plies[index + 1..], scene.board);
            cost += if back { weights.went_on } else { 0 };
            cost += ply.captured(index + 1 < plies.len(), weights);
            // Until the opponent replies the man may still be in a hand: only the difference between two captures counts.
            doubted += if index + 1 < plies.len() { ply.doubt.move_played } else { ply.doubt.capture_chosen };
        }
        for pressed in &self.waiting {
            let over = scene.now >= pressed.at.latest.after(NOTHING_MOVED).after(scene.scan);
            cost += if over { weights.press_without_move } else { weights.press_waits };
        }
        (self.cost, self.doubted) = (cost + doubted, doubted);
    }

    /// True if the man of the move with this index went on from the square of its player's last move, if one move could have led
    /// there, and if the presses of both players were not heard before it went on, or if it left that square before the reply and
    /// the report of its next square was lost and no press follows. The man may only have paused on that square.
    fn may_be_one_move(&self, base: &Node, index: usize, scene: &Scene<'_>) -> bool {
        let Some(plies @ [first, reply, next]) = index.checked_sub(2).and_then(|from| self.line.plies().get(from..=index)) else {
            return false;
        };
        let one = |candidate: &Candidate| candidate.mv.from() == first.mv.from() && candidate.mv.to() == next.mv.to();
        let heard = |ply: &Tentative| ply.pressed.is_some_and(|pressed| pressed.latest <= next.made.latest);
        let board = scene.board;
        let early = || {
            let lost = board.was_reported_late(board.changed_at(next.mask)) && route::may_be_one_move(plies, board);
            lost && scene.now >= next.made.latest.after(route::ORDER_KNOWN_AFTER)
        };
        next.mv.from() == Some(first.mv.to())
            && (!(heard(first) && heard(reply)) || early())
            && !next.repaired
            && self.line.node(base, index - 2).table().iter().any(one)
    }

    /// The cost of what the board shows beyond the moves of the reading.
    pub(crate) fn mismatch(&self, base: &Node, scene: &Scene<'_>) -> i32 {
        let node = self.line.top(base);
        let last = self.line.last().map(|ply| LastMove::of(ply.mv, ply.color, ply.made.latest));
        let turn = men::turn(&node.position);
        let rest = unexplained(&node.men, turn, last, self.dead, scene.board, scene.now, &scene.tuning.weights);
        let rest = rest + scene.sensing.unexplained_extra(self, node, scene);
        // After mate and stalemate the men need not follow any move. But the man of the last move may only have passed its square:
        // a reading with the move that goes on costs less.
        let most = scene.tuning.weights.explained;
        if rest > most && self.stood_as_end(scene) && !self.has_passed_end(base, scene) { most } else { rest }
    }

    /// True if the man of the last move only paused on the square on which it seemed to end the game: it stands on another square to
    /// which it could have moved, and nothing has changed for a while, or it slid on to a square on which it ended the game too.
    fn has_passed_end(&self, base: &Node, scene: &Scene<'_>) -> bool {
        let Some((last, before)) = self.line.plies().split_last() else { return false };
        let node = self.line.node(base, before.len());
        let other = || node.exact(scene.board.men()).is_some_and(|mv| mv.from() == last.mv.from());
        let stands = scene.now >= scene.board.last_change().after(STANDS_ELSEWHERE) && other();
        stands || route::slid_to_another_end(node, last, scene)
    }

    /// True if the last move is mate or stalemate and has stood on the board for a scan, where men are identified. Elsewhere a man
    /// that is only lifted looks like a capture.
    pub(crate) fn stood_as_end(&self, scene: &Scene<'_>) -> bool {
        let shown = |last: &Tentative| last.seen && !last.repaired && route::has_come(scene.board, last, Instant::ZERO);
        let ends = |last: &&Tentative| last.node.is_end() && !scene.sensing.hides_captures() && shown(last);
        let Some(last) = self.line.last().filter(ends) else { return false };
        let left = scene.board.changed_after(last.mask, last.made.latest).unwrap_or(scene.now);
        left >= last.made.latest.after(scene.scan)
    }

    /// The reading with one more move, if the rest of the board can still be explained.
    pub(crate) fn extended(&self, base: &Node, candidate: &Candidate, scene: &Scene<'_>) -> Option<Hypothesis> {
        let node = self.line.top(base);
        let after = candidate.men_after(&node.men);
        let color = men::turn(&node.position);
        let weights = &scene.tuning.weights;
        let seen = candidate.seen_mask(scene.board.men()) & !route::passed_since(node, candidate, scene.board);
        let made = scene.board.moved_within(seen, scene.scan);
        let last = LastMove::of(candidate.mv, color, made.latest);
        let left = unexplained(&after, color.other(), Some(last), self.dead, scene.board, scene.now, weights);
        // If the report of the move was lost, other moves may have been made since.
        let held = || explain::are_in_hands(&after, self.dead, scene.board) && !scene.sensing.hides_captures();
        if left > weights.viable && !scene.board.was_reported_late(made.latest) && !held() {
            return None;
        }
        let before = self.line.node(base, self.line.plies().len().saturating_sub(1));
        let next = ShownMove { before, node, candidate, to: last.to, made, begun: scene.board.changed_first(seen), left };
        let mut longer = scene.sensing.extended(self, &next, scene)?;
        if let Some(last) = longer.line.plies_mut().last_mut() {
            last.repaired = scene.board.is_first_after_gap(made.latest);
        }
        Some(longer)
    }

    /// Adds a move that was begun and made at these times. The move gets the press that waits for it. A move that was begun
    /// before the press may be finished after it, until an illegal move is reported.
    pub(crate) fn add(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        made: Interval,
        begun: Instant,
        seen: bool,
        scene: &Scene<'_>,
    ) {
        let scan = scene.scan;
        let color = men::turn(&node.position);
        let begun = if was_unheard(made, scan) { made } else { Interval { earliest: begun.before(scan), latest: begun } };
        let fits = |pressed: &Pressed| {
            let finished = was_unheard(made, scan) || made.latest <= pressed.at.latest.after(NO_LEGAL_MOVE);
            pressed.by == color && is_in_time(begun, pressed.at, scan) && finished
        };
        let pressed = self.waiting.first().copied().filter(fits).map(|_| self.waiting.remove(0).at);
        // Moves are made one after the other.
        let made = self.line.last().map_or(made, |before| made.not_before(&before.made));
        scene.sensing.forgive_taken_off(self, candidate, scene);
        self.penalty += core::mem::take(&mut self.worst);
        self.line.push(Tentative {
            mv: candidate.mv,
            color,
            made,
            pressed,
            seen,
            inferred: false,
            repaired: false,
            ends_game: false,
            logged: false,
            mask: candidate.mask,
            untouched: 0,
            touch: 0,
            doubt: Doubt::default(),
            paid: self.penalty,
            node: Arc::new(node.after(candidate.mv)),
        });
    }

    /// Takes over what `anew`, a reading with the same moves that was made anew, leaves unexplained. The cost is that of the last
    /// judgement.
    pub(crate) fn forget_unexplained(&mut self, anew: &Hypothesis) {
        (self.penalty, self.worst, self.worst_squares) = (anew.penalty, anew.worst, anew.worst_squares);
        self.limit_penalty(anew.penalty);
    }

    /// Keeps at most this penalty for the moves of the reading.
    pub(crate) fn limit_penalty(&mut self, most: i32) {
        self.penalty = self.penalty.min(most);
        self.line.plies_mut().iter_mut().for_each(|ply| ply.paid = ply.paid.min(most));
    }

    /// True if the man of the last move is not on its square and a man like it stands where this reading has none: the move
    /// was not made, because its man went elsewhere.
    pub(crate) fn last_man_stands_elsewhere(&self, shown: &men::Men) -> bool {
        let Some(last) = self.line.last() else { return false };
        let (man, to) = man_of(last.mv, last.color);
        !men::fits(man, shown[usize::from(to)]) && men::stands_elsewhere(man, &last.node.men, shown)
    }

    /// Marks the last move as made although nothing shows it: the press of a later move must prove it.
    pub(crate) fn infer_last(&mut self) {
        if let Some(last) = self.line.plies_mut().last_mut() {
            last.inferred = true;
        }
    }

    /// Gives a press to the reading. False if the reading cannot use it.
    pub(crate) fn press(&mut self, base: &Node, pressed: Pressed, scene: &Scene<'_>) -> bool {
        let expected = self.waiting.last().map_or(men::turn(&self.line.top(base).position), |last| last.by.other());
        let open = self.line.plies().iter().rposition(|ply| ply.color == pressed.by);
        let stands = open.filter(|_| self.waiting.is_empty()).filter(|&index| {
            let ply = &self.line.plies()[index];
            let whole = index + 2 >= self.line.plies().len();
            // The lever goes to and fro: a player can press for a reply only after the press for the move before it.
            let first = self.line.plies()[index..].iter().all(|ply| ply.pressed.is_none());
            whole && first && is_in_time(ply.made, pressed.at, scene.scan) && self.may_have_stood(index, pressed.at, scene)
        });
        if let Some(index) = stands {
            self.line.plies_mut()[index].pressed = Some(pressed.at);
            return true;
        }
        // After mate and stalemate a press belongs to no move.
        if self.stood_as_end(scene) {
            return true;
        }
        if self.waiting.is_empty() && self.give_both_presses(pressed, scene) {
            return true;
        }
        if expected == pressed.by && self.waiting.len() < MAX_PRESSES {
            self.waiting.push(pressed);
            return true;
        }
        self.penalty += scene.tuning.weights.out_of_turn;
        false
    }

    /// If the clock has told in one report that both players pressed, and the first press was given to the last move, which its
    /// opponent has not answered yet: gives both presses to the two moves before, if they were not pressed and were made in time. Only
    /// the second press shows this. False if the press belongs to no such move.
    fn give_both_presses(&mut self, second: Pressed, scene: &Scene<'_>) -> bool {
        let [.., first, reply, last] = self.line.plies_mut() else { return false };
        let both = last.pressed == Some(second.at) && last.color != second.by;
        let open = |ply: &Tentative| ply.pressed.is_none() && is_in_time(ply.made, second.at, scene.scan);
        let gives = both && open(first) && open(reply);
        if gives {
            (first.pressed, reply.pressed) = (last.pressed.take(), Some(second.at));
        }
        gives
    }

    /// Gives these presses to the last moves of the players who pressed, if the moves were made in time. The latest press comes
    /// first.
    pub(crate) fn assign_presses(&mut self, presses: impl Iterator<Item = Pressed>, scan: Duration) {
        let mut open = self.line.plies_mut();
        for press in presses {
            let Some(index) = open.iter().rposition(|ply| ply.color == press.by) else { return };
            if is_in_time(open[index].made, press.at, scan) {
                open[index].pressed = Some(press.at);
                open = &mut open[..index];
            }
        }
    }

    /// Copies the presses of another reading of the same time. The last press waits if no move of this reading was made in time
    /// for it.
    pub(crate) fn take_presses_of(&mut self, base: &Node, other: &Hypothesis, scene: &Scene<'_>) {
        let taken = |own: &Hypothesis, press: &Pressed| own.line.plies().iter().any(|ply| ply.pressed == Some(press.at));
        let presses: Vec<Pressed> = other.presses().filter(|press| !taken(self, press)).collect();
        self.assign_presses(presses.iter().rev().copied(), scene.scan);
        let turn = men::turn(&self.line.top(base).position);
        self.waiting.extend(presses.last().filter(|last| last.by == turn && !taken(self, last)));
    }

    /// Every press since the last sure move, in order.
    pub(crate) fn presses(&self) -> impl Iterator<Item = Pressed> {
        let used = self.line.plies().iter().filter_map(|ply| Some(Pressed { by: ply.color, at: ply.pressed? }));
        used.chain(self.waiting.iter().copied())
    }

    /// True if the move with this index may have stood on the board when the press was made.
    fn may_have_stood(&self, index: usize, at: Interval, scene: &Scene<'_>) -> bool {
        // A reply changes the squares again.
        if index + 1 < self.line.plies().len() {
            return true;
        }
        let ply = &self.line.plies()[index];
        let shows = |men: &men::Men| men::difference(men, &ply.node.men) & ply.mask & !self.dead == 0;
        if !scene.tuning.ring {
            return shows(scene.board.men());
        }
        let told = at.latest.after(scene.scan);
        scene.board.past(at.earliest).any(|(since, men)| since <= told && shows(&men))
    }
}

/// True if a move that was made in `made` may have been completed by this press.
pub(crate) fn is_in_time(made: Interval, pressed: Interval, scan: Duration) -> bool {
    let told = was_unheard(made, scan) || made.latest <= pressed.latest.after(scan).after(ON_THE_LINE);
    told && made.earliest <= pressed.latest.after(ON_THE_LINE)
}

/// True if the move was made while the board was not heard, so that its time is not known.
fn was_unheard(made: Interval, scan: Duration) -> bool {
    made.latest.since(made.earliest) > scan * 2
}
