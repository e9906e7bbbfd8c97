//! Simulates irregularities as people cause and correct them: with hands, at the clock, and by orders of the arbiter.

use std::time::Duration;

use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use super::board_timeline::Change;
use super::clockwork::Hand;
use super::planned::IrregularityKind;
use super::{AFTER_PRESS, Order, Players};
use crate::emulate::dice::seconds;
use crate::emulate::truth::{Irregularity, micros};

/// The time that an alarm may need beyond its own limit, in seconds (the requirement allows one second).
pub(super) const MORE_S: f64 = 1.0;
/// The time after the correction in which an alarm may still be raised.
const AFTERMATH: Duration = Duration::from_secs(6);
/// How much earlier an alarm may be raised than its cause is complete.
pub(super) const SOONER: Duration = Duration::from_millis(1);

/// One irregularity to be recorded.
pub(super) struct Case<'a> {
    pub(super) kind: IrregularityKind,
    pub(super) from: Duration,
    pub(super) to: Duration,
    pub(super) expected: &'a [&'static str],
    pub(super) within: [Duration; 2],
    /// Other alarms that it may cause.
    pub(super) allowed: &'a [&'static str],
    pub(super) in_step: bool,
}

impl Players<'_> {
    /// Makes something go wrong before this ply begins. Returns whether it happened.
    pub(super) fn do_before_move(&mut self, kind: IrregularityKind) -> bool {
        match kind {
            IrregularityKind::IllegalMove => self.make_illegal_move(),
            IrregularityKind::PressedWithoutMove => self.press_without_move(),
            IrregularityKind::MovedByWrongSide => self.move_wrong_side(),
            IrregularityKind::PositionDiffers => self.displace_man(),
            IrregularityKind::PiecesDisplaced => self.knock_men_over(),
            IrregularityKind::LinkGap => self.lose_link(),
            _ => false,
        }
    }

    /// The longest time from a press to its arrival at the daemon.
    fn clock_lag(&self) -> f64 {
        let asked = self.noise.clock_asked_s[1];
        asked * if self.noise.clock_skipped > 0.0 { 3.0 } else { 1.0 } + self.noise.clock_delay_s[1]
    }

    fn scan(&self) -> f64 {
        self.noise.scan_s[1]
    }

    /// The time after which an alarm about a press is late: its bound counts from the arrival of the press.
    pub(super) fn press_bound(&self, bound: f64) -> Duration {
        seconds(bound + self.clock_lag() + self.scan() + MORE_S)
    }

    /// The time after which an alarm about the position is late.
    pub(super) fn board_bound(&self, bound: f64) -> Duration {
        seconds(bound + 2.0 * self.scan() + MORE_S)
    }

    /// Draws the time at which the player to move does something unusual.
    pub(super) fn next_moment(&mut self) -> Duration {
        self.free.max(self.ready) + self.dice.span([1.0, 4.0])
    }

    pub(super) fn note_case(&mut self, case: Case<'_>) {
        let Case { kind, from, to, expected, within, allowed, in_step } = case;
        self.truth.explain(kind.name(), expected, from, to + AFTERMATH);
        self.truth.explain(kind.name(), allowed, from, to + AFTERMATH);
        self.truth.irregularities.push(Irregularity {
            kind: kind.name(),
            ply: self.truth.plies.len() + 1,
            from_us: micros(from),
            to_us: micros(to),
            expected: expected.to_vec(),
            expected_us: within.map(micros),
            in_step_from_us: in_step.then(|| micros(to)),
        });
    }

    pub(super) fn change(&mut self, at: Duration, square: Square, man: Option<Piece>) {
        self.timeline.change(Change { at, square, man });
    }

    /// The arbiter presses the lever of a stopped clock back to `runs`, corrects the times and starts it. Returns the time of the
    /// start.
    pub(super) fn restart_clock(&mut self, from: Duration, runs: Color, gift_s: i64) -> Duration {
        let [lever, give, run] = [[1.0, 2.0], [2.0, 5.0], [1.0, 3.0]].map(|range| self.dice.span(range));
        let (lever, give) = (from + lever, from + lever + give);
        self.clockwork.add(lever, Hand::Lever(!runs));
        let gift = if runs == Color::White { [0, gift_s] } else { [gift_s, 0] };
        self.clockwork.add(give, Hand::Give(gift));
        self.clockwork.add(give + run, Hand::Run);
        self.ready = give + run;
        self.free = give + run;
        give + run
    }

    /// The time that the opponent gets (7.5.5, B.2).
    fn penalty_s(&self) -> i64 {
        if self.slow { 120 } else { 60 }
    }

    fn make_illegal_move(&mut self) -> bool {
        let Some((from, to)) = draw_illegal_move(&self.position, self.dice) else { return false };
        let us = self.position.turn();
        let board = self.position.board().clone();
        let (man, taken) = (board.piece_at(from), board.piece_at(to));
        let lifted = self.next_moment();
        let [travel, reach] = [[0.4, 1.0], [0.25, 0.7]].map(|range| self.dice.span(range));
        let released = lifted + travel;
        self.change(lifted, from, None);
        self.change(released, to, man);
        let press = (released + reach).max(self.clockwork.last_press().unwrap_or_default() + AFTER_PRESS);
        self.clockwork.add(press, Hand::Press(us));
        let stop = press + self.dice.span([5.0, 11.0]);
        self.clockwork.add(stop, Hand::Stop);
        let back = stop + self.dice.span([2.0, 6.0]);
        self.change(back, to, None);
        self.change(back + seconds(0.6), from, man);
        if taken.is_some() {
            self.change(back + seconds(1.4), to, taken);
        }
        let runs = self.restart_clock(back + seconds(2.0), us, self.penalty_s());
        self.orders.push((runs - seconds(0.5), Order::Acknowledge("illegal_move")));
        self.note_case(Case {
            kind: IrregularityKind::IllegalMove,
            from: lifted,
            to: runs,
            expected: &["illegal_move"],
            within: [press, press + self.press_bound(1.5)],
            allowed: &["position_differs", "piece_in_hand", "pieces_displaced", "king_missing"],
            in_step: true,
        });
        true
    }

    fn press_without_move(&mut self) -> bool {
        let us = self.position.turn();
        let press = self.next_moment();
        self.clockwork.add(press, Hand::Press(us));
        let stop = press + self.dice.span([5.0, 11.0]);
        self.clockwork.add(stop, Hand::Stop);
        let runs = self.restart_clock(stop, us, self.penalty_s());
        self.orders.push((runs - seconds(0.5), Order::Acknowledge("pressed_without_move")));
        self.note_case(Case {
            kind: IrregularityKind::PressedWithoutMove,
            from: press,
            to: runs,
            expected: &["pressed_without_move"],
            within: [press, press + self.press_bound(0.7 + self.scan())],
            allowed: &[],
            in_step: true,
        });
        true
    }

    /// The player whose clock does not run moves, and takes the move back.
    fn move_wrong_side(&mut self) -> bool {
        let Ok(turned) = self.position.clone().swap_turn() else { return false };
        let quiet: Vec<Move> = turned
            .legal_moves()
            .into_iter()
            .filter(|mv| !mv.is_capture() && !mv.is_castle() && !mv.is_promotion() && mv.role() != Role::King)
            .collect();
        let Some(mv) = self.dice.pick(&quiet) else { return false };
        let Some(from) = mv.from() else { return false };
        let man = self.position.board().piece_at(from);
        let lifted = self.next_moment();
        let released = lifted + self.dice.span([0.4, 1.0]);
        let back = released + self.dice.span([4.0, 8.0]);
        let home = back + self.dice.span([0.4, 1.0]);
        for (at, square, man) in [(lifted, from, None), (released, mv.to(), man), (back, mv.to(), None), (home, from, man)] {
            self.change(at, square, man);
        }
        self.think_on(home);
        self.note_case(Case {
            kind: IrregularityKind::MovedByWrongSide,
            from: lifted,
            to: home,
            expected: &["moved_by_wrong_side"],
            within: [released, released + self.board_bound(1.0 + self.scan())],
            allowed: &["position_differs", "piece_in_hand"],
            in_step: true,
        });
        true
    }

    /// The player to move continues to think after `at`.
    fn think_on(&mut self, at: Duration) {
        self.ready = self.ready.max(at);
        self.free = self.free.max(at) + AFTER_PRESS;
    }

    /// A man stands beside its square for a while, and no move is made.
    fn displace_man(&mut self) -> bool {
        let board = self.position.board().clone();
        let other = self.position.clone().swap_turn().ok();
        let free = |from: Square, to: Square| {
            let plays = |position: &Chess| position.legal_moves().iter().any(|mv| mv.from() == Some(from) && mv.to() == to);
            !plays(&self.position) && !other.as_ref().is_some_and(plays)
        };
        let mut places = Vec::new();
        for (from, man) in board.clone() {
            let near = attacks::king_attacks(from) & !board.occupied();
            places.extend(near.into_iter().filter(|&to| free(from, to)).map(|to| (from, to, man)));
        }
        let Some((from, to, man)) = self.dice.pick(&places) else { return false };
        let begin = self.next_moment();
        let there = begin + seconds(0.3);
        let back = there + self.dice.span([8.0, 15.0]);
        let home = back + seconds(0.5);
        for (at, square, man) in [(begin, from, None), (there, to, Some(man)), (back, to, None), (home, from, Some(man))] {
            self.change(at, square, man);
        }
        self.think_on(home);
        self.note_case(Case {
            kind: IrregularityKind::PositionDiffers,
            from: begin,
            to: home,
            expected: &["position_differs"],
            within: [there, there + self.board_bound(5.0)],
            allowed: &["piece_in_hand", "moved_by_wrong_side"],
            in_step: true,
        });
        true
    }

    /// Several men fall; the clock is stopped and they are put back.
    fn knock_men_over(&mut self) -> bool {
        let standing: Vec<(Square, Piece)> = self.position.board().clone().into_iter().collect();
        let Some((centre, _)) = self.dice.pick(&standing) else { return false };
        let near = attacks::king_attacks(centre) | Bitboard::from_square(centre);
        let fallen: Vec<(Square, Piece)> = standing.into_iter().filter(|(square, _)| near.contains(*square)).take(5).collect();
        if fallen.len() < 3 {
            return false;
        }
        let begin = self.next_moment();
        for &(square, _) in &fallen {
            let at = begin + self.dice.span([0.0, 0.4]);
            self.change(at, square, None);
        }
        let stop = begin + self.dice.span([5.0, 9.0]);
        self.clockwork.add(stop, Hand::Stop);
        let mut at = stop + seconds(2.0);
        for &(square, man) in &fallen {
            at += self.dice.span([0.6, 2.0]);
            self.change(at, square, Some(man));
        }
        let runs = at + self.dice.span([1.0, 3.0]);
        self.clockwork.add(runs, Hand::Run);
        (self.ready, self.free) = (runs, runs);
        let fell = begin + seconds(0.4);
        self.note_case(Case {
            kind: IrregularityKind::PiecesDisplaced,
            from: begin,
            to: runs,
            expected: &["pieces_displaced"],
            within: [begin, fell + self.board_bound(2.0)],
            allowed: &["position_differs", "king_missing", "piece_in_hand"],
            in_step: true,
        });
        true
    }
}

/// Draws an illegal move of a man of the side to move: from and to.
fn draw_illegal_move(position: &Chess, dice: &mut crate::emulate::dice::Dice) -> Option<(Square, Square)> {
    let us = position.turn();
    let board = position.board();
    let legal = position.legal_moves();
    let mut found = Vec::new();
    for (from, man) in board.clone().into_iter().filter(|(_, man)| man.color == us && man.role != Role::King) {
        let near = attacks::queen_attacks(from, board.occupied()) | attacks::knight_attacks(from);
        let wrong = near & !board.by_color(us) & !board.kings();
        let ends =
            |to: Square| man.role == Role::Pawn && (to.rank() == shakmaty::Rank::First || to.rank() == shakmaty::Rank::Eighth);
        let is_legal = |to: Square| legal.iter().any(|mv| mv.from() == Some(from) && mv.to() == to);
        found.extend(wrong.into_iter().filter(|&to| !ends(to) && !is_legal(to)).map(|to| (from, to)));
    }
    dice.pick(&found)
}
