//! Irregularities as people make them and put them right: hands, clock, arbiter.

use std::time::Duration;

use flagfall_game::input::Command;
use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use super::clockwork::Hand;
use super::moves::Motions;
use super::plan::Kind;
use super::table::Change;
use super::{AFTER_PRESS, Order, Players};
use crate::emulate::dice::seconds;
use crate::emulate::truth::{Irregularity, micros};

/// What an alarm may take beyond its bound (the requirement's own second).
const MORE_S: f64 = 1.0;
/// After everything is put right an alarm about it may still come for so long.
const AFTERMATH: Duration = Duration::from_secs(6);
/// An alarm may be raised so much before what it is about is complete.
const SOONER: Duration = Duration::from_millis(1);

/// One irregularity to be written down.
struct Case<'a> {
    kind: Kind,
    from: Duration,
    to: Duration,
    expected: &'a [&'static str],
    within: [Duration; 2],
    /// Other alarms that may be raised about it.
    allowed: &'a [&'static str],
    in_step: bool,
}

impl Players<'_> {
    /// What goes wrong before this ply begins. Gives whether it happened.
    pub(super) fn before(&mut self, kind: Kind) -> bool {
        match kind {
            Kind::IllegalMove => self.illegal_move(),
            Kind::PressedWithoutMove => self.pressed_without_move(),
            Kind::MovedByWrongSide => self.wrong_side(),
            Kind::PositionDiffers => self.displaced(),
            Kind::PiecesDisplaced => self.knocked_about(),
            Kind::LinkGap => self.link_gap(),
            _ => false,
        }
    }

    /// The longest that a press is on its way to the daemon.
    fn clock_lag(&self) -> f64 {
        let asked = self.noise.clock_asked_s[1];
        asked * if self.noise.clock_skipped > 0.0 { 3.0 } else { 1.0 } + self.noise.clock_delay_s[1]
    }

    fn scan(&self) -> f64 {
        self.noise.scan_s[1]
    }

    /// Until an alarm on a press is late: its bound counts from when the press is heard.
    fn press_bound(&self, bound: f64) -> Duration {
        seconds(bound + self.clock_lag() + self.scan() + MORE_S)
    }

    /// Until an alarm on what the board shows is late.
    fn board_bound(&self, bound: f64) -> Duration {
        seconds(bound + 2.0 * self.scan() + MORE_S)
    }

    /// When the player to move does something out of the ordinary.
    fn moment(&mut self) -> Duration {
        self.free.max(self.ready) + self.dice.span([1.0, 4.0])
    }

    fn note(&mut self, case: Case<'_>) {
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

    fn change(&mut self, at: Duration, square: Square, man: Option<Piece>) {
        self.table.change(Change { at, square, man });
    }

    /// The arbiter flips the lever of a standing clock back to `runs`, corrects the times and starts it: when it runs.
    fn restart(&mut self, from: Duration, runs: Color, gift_s: i64) -> Duration {
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

    /// Time that the opponent is given (7.5.5, B.2).
    fn penalty_s(&self) -> i64 {
        if self.slow { 120 } else { 60 }
    }

    fn illegal_move(&mut self) -> bool {
        let Some((from, to)) = illegal(&self.position, self.dice) else { return false };
        let us = self.position.turn();
        let board = self.position.board().clone();
        let (man, taken) = (board.piece_at(from), board.piece_at(to));
        let lifted = self.moment();
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
        let runs = self.restart(back + seconds(2.0), us, self.penalty_s());
        self.orders.push((runs - seconds(0.5), Order::Acknowledge("illegal_move")));
        self.note(Case {
            kind: Kind::IllegalMove,
            from: lifted,
            to: runs,
            expected: &["illegal_move"],
            within: [press, press + self.press_bound(1.5)],
            allowed: &["position_differs", "piece_in_hand", "pieces_displaced", "king_missing"],
            in_step: true,
        });
        true
    }

    fn pressed_without_move(&mut self) -> bool {
        let us = self.position.turn();
        let press = self.moment();
        self.clockwork.add(press, Hand::Press(us));
        let stop = press + self.dice.span([5.0, 11.0]);
        self.clockwork.add(stop, Hand::Stop);
        let runs = self.restart(stop, us, self.penalty_s());
        self.orders.push((runs - seconds(0.5), Order::Acknowledge("pressed_without_move")));
        self.note(Case {
            kind: Kind::PressedWithoutMove,
            from: press,
            to: runs,
            expected: &["pressed_without_move"],
            within: [press, press + self.press_bound(0.7 + self.scan())],
            allowed: &[],
            in_step: true,
        });
        true
    }

    /// The player whose clock stands moves, and takes it back.
    fn wrong_side(&mut self) -> bool {
        let Ok(turned) = self.position.clone().swap_turn() else { return false };
        let quiet: Vec<Move> = turned
            .legal_moves()
            .into_iter()
            .filter(|mv| !mv.is_capture() && !mv.is_castle() && !mv.is_promotion() && mv.role() != Role::King)
            .collect();
        let Some(mv) = self.dice.pick(&quiet) else { return false };
        let Some(from) = mv.from() else { return false };
        let man = self.position.board().piece_at(from);
        let lifted = self.moment();
        let released = lifted + self.dice.span([0.4, 1.0]);
        let back = released + self.dice.span([4.0, 8.0]);
        let home = back + self.dice.span([0.4, 1.0]);
        for (at, square, man) in [(lifted, from, None), (released, mv.to(), man), (back, mv.to(), None), (home, from, man)] {
            self.change(at, square, man);
        }
        self.goes_on(home);
        self.note(Case {
            kind: Kind::MovedByWrongSide,
            from: lifted,
            to: home,
            expected: &["moved_by_wrong_side"],
            within: [released, released + self.board_bound(1.0 + self.scan())],
            allowed: &["position_differs", "piece_in_hand"],
            in_step: true,
        });
        true
    }

    /// The player to move thinks on after what happened until `at`.
    fn goes_on(&mut self, at: Duration) {
        self.ready = self.ready.max(at);
        self.free = self.free.max(at) + AFTER_PRESS;
    }

    /// A man stands beside its square for a while, and nobody moves.
    fn displaced(&mut self) -> bool {
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
        let begin = self.moment();
        let there = begin + seconds(0.3);
        let back = there + self.dice.span([8.0, 15.0]);
        let home = back + seconds(0.5);
        for (at, square, man) in [(begin, from, None), (there, to, Some(man)), (back, to, None), (home, from, Some(man))] {
            self.change(at, square, man);
        }
        self.goes_on(home);
        self.note(Case {
            kind: Kind::PositionDiffers,
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
    fn knocked_about(&mut self) -> bool {
        let standing: Vec<(Square, Piece)> = self.position.board().clone().into_iter().collect();
        let Some((centre, _)) = self.dice.pick(&standing) else { return false };
        let near = attacks::king_attacks(centre) | Bitboard::from_square(centre);
        let fallen: Vec<(Square, Piece)> = standing.into_iter().filter(|(square, _)| near.contains(*square)).take(5).collect();
        if fallen.len() < 3 {
            return false;
        }
        let begin = self.moment();
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
        self.note(Case {
            kind: Kind::PiecesDisplaced,
            from: begin,
            to: runs,
            expected: &["pieces_displaced"],
            within: [begin, fell + self.board_bound(2.0)],
            allowed: &["position_differs", "king_missing", "piece_in_hand"],
            in_step: true,
        });
        true
    }

    /// The cable or radio link is lost while play goes on.
    fn link_gap(&mut self) -> bool {
        let down = self.free.max(self.ready) + self.dice.span([0.0, 5.0]);
        let up = down + self.dice.span(self.noise.link_gap_s);
        self.links.extend([(down, false), (up, true)]);
        let soon = down + seconds(MORE_S + 1.0);
        self.note(Case {
            kind: Kind::LinkGap,
            from: down.saturating_sub(SOONER),
            to: up,
            expected: &["board_lost"],
            within: [down.saturating_sub(SOONER), soon],
            allowed: &["clock_lost", "position_differs", "piece_in_hand", "incomplete_move"],
            in_step: true,
        });
        true
    }

    /// The piece to be moved stays in the hand.
    pub(super) fn holds(&mut self, begin: Duration, motions: &mut Motions) {
        let lasts = self.dice.span([7.5, 15.0]);
        // The lift is its first touch; everything else comes later.
        for (after, ..) in motions.touches.iter_mut().skip(1) {
            *after += lasts;
        }
        let to = begin + motions.lasts();
        let bound = self.board_bound(5.0);
        self.note(Case {
            kind: Kind::PieceInHand,
            from: begin,
            to,
            expected: &["piece_in_hand"],
            within: [begin, begin + bound],
            allowed: &["position_differs"],
            in_step: false,
        });
    }

    /// The move is made and for a while nobody presses: when the player does.
    pub(super) fn waits_to_press(&mut self, released: Duration) -> Duration {
        let press = released + self.dice.span([13.0, 25.0]);
        let bound = self.board_bound(10.0);
        self.note(Case {
            kind: Kind::IncompleteMove,
            from: released,
            to: press,
            expected: &["incomplete_move"],
            within: [released, released + bound],
            allowed: &[],
            in_step: false,
        });
        press
    }

    /// The pawn is left on its last rank and the clock pressed; the arbiter has it replaced (7.5.2). Gives when it is, and
    /// when the clock was pressed.
    pub(super) fn pawn_stays(&mut self, mv: Move) -> Option<[Duration; 3]> {
        let (Some(from), to, us) = (mv.from(), mv.to(), self.position.turn()) else { return None };
        let lifted = self.moment();
        let released = lifted + self.dice.span([0.4, 1.0]);
        self.change(lifted, from, None);
        self.change(released, to, Some(us.pawn()));
        let press = released + self.dice.span([0.25, 0.7]);
        self.clockwork.add(press, Hand::Press(us));
        let stop = press + self.dice.span([5.0, 10.0]);
        self.clockwork.add(stop, Hand::Stop);
        let off = stop + self.dice.span([2.0, 5.0]);
        let on = off + self.dice.span([0.8, 2.0]);
        self.change(off, to, None);
        self.change(on, to, Some(us.queen()));
        let runs = self.restart(on, !us, 0);
        let plies = self.truth.plies.len() as u32;
        let uci = shakmaty::uci::UciMove::from_standard(mv).to_string();
        self.orders.push((runs - seconds(0.5), Order::Give(Command::CorrectMove { plies, uci })));
        self.note(Case {
            kind: Kind::PromotionNotReplaced,
            from: lifted,
            to: runs,
            expected: &["promotion_not_replaced"],
            within: [press, press + self.press_bound(1.0)],
            allowed: &["position_differs", "piece_in_hand", "illegal_move"],
            in_step: true,
        });
        Some([lifted, on, press])
    }

    /// The clock is set otherwise than the daemon was told, or counts otherwise: known when these plies are played.
    pub(super) fn clock_differs(&mut self, kind: Kind, from: Duration, by: Duration, end: Duration) {
        let by = by + self.press_bound(0.0);
        self.note(Case { kind, from, to: end, expected: &[kind.name()], within: [from, by], allowed: &[], in_step: false });
    }

    /// The wrong clock is started, stopped, and the right one started.
    pub(super) fn wrong_clock(&mut self) {
        let begin = self.ready;
        let stop = begin + self.dice.span([5.5, 9.0]);
        let run = stop + self.dice.span([2.0, 4.0]);
        self.clockwork.add(begin.saturating_sub(seconds(0.5)), Hand::Lever(Color::White));
        self.clockwork.add(stop, Hand::Stop);
        self.clockwork.add(run.saturating_sub(seconds(0.5)), Hand::Lever(Color::Black));
        self.clockwork.add(run, Hand::Run);
        (self.ready, self.free) = (run, run);
        let bound = self.press_bound(2.0);
        self.note(Case {
            kind: Kind::WrongClockRunning,
            from: begin,
            to: run,
            expected: &["wrong_clock_running"],
            within: [begin, begin + bound],
            allowed: &[],
            in_step: false,
        });
    }

    /// White's first move is made and pressed before anybody has started the clock: when it is started.
    pub(super) fn starts_late(&mut self, lifted: Duration, lever: Duration) -> Duration {
        let run = lever + self.dice.span([4.0, 9.0]);
        self.clockwork.add(lever, Hand::Lever(Color::White));
        self.clockwork.add(run, Hand::Run);
        self.note(Case {
            kind: Kind::ClockNotStarted,
            from: lifted,
            to: run,
            expected: &["clock_not_started"],
            within: [lifted, run],
            allowed: &["incomplete_move"],
            in_step: false,
        });
        run
    }

    /// The game has ended and the clock was left running.
    pub(super) fn flag_after_end(&mut self, fell: Duration) {
        let bound = self.press_bound(1.0);
        self.note(Case {
            kind: Kind::FlagAfterEnd,
            from: fell.saturating_sub(seconds(0.7)),
            to: fell,
            expected: &["flag_after_end"],
            within: [fell.saturating_sub(seconds(0.7)), fell + bound],
            allowed: &["clock_at_zero"],
            in_step: false,
        });
    }
}

/// A move that is none: of a man of the side to move, from and to.
fn illegal(position: &Chess, dice: &mut crate::emulate::dice::Dice) -> Option<(Square, Square)> {
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
