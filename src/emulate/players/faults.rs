//! Simulates irregularities of the link, of the clock and of one move: a piece stays in the hand, a move is not pressed, a
//! promotion is not completed.

use std::time::Duration;

use shakmaty::{Color, Move, Position};

use super::clockwork::Hand;
use super::irregular::{Case, MORE_S, SOONER};
use super::move_motions::Motions;
use super::planned::IrregularityKind;
use super::{Order, Players};
use crate::emulate::dice::seconds;
use crate::wire::command::Command;

impl Players<'_> {
    /// The cable or radio link is lost while play goes on.
    pub(super) fn lose_link(&mut self) -> bool {
        let down = self.free.max(self.ready) + self.dice.span([0.0, 5.0]);
        let up = down + self.dice.span(self.noise.link_gap_s);
        self.links.extend([(down, false), (up, true)]);
        let soon = down + seconds(MORE_S + 1.0);
        self.note_case(Case {
            kind: IrregularityKind::LinkGap,
            from: down.saturating_sub(SOONER),
            to: up,
            expected: &["board_lost"],
            within: [down.saturating_sub(SOONER), soon],
            allowed: &["link_gap", "clock_lost", "position_differs", "piece_in_hand", "incomplete_move"],
            in_step: true,
        });
        true
    }

    /// The piece to be moved stays in the hand.
    pub(super) fn hold_piece(&mut self, begin: Duration, motions: &mut Motions) {
        let lasts = self.dice.span([7.5, 15.0]);
        // The lift is the first touch; everything else comes later.
        for (after, ..) in motions.touches.iter_mut().skip(1) {
            *after += lasts;
        }
        let to = begin + motions.lasts();
        let bound = self.board_bound(5.0);
        self.note_case(Case {
            kind: IrregularityKind::PieceInHand,
            from: begin,
            to,
            expected: &["piece_in_hand"],
            within: [begin, begin + bound],
            allowed: &["position_differs"],
            in_step: false,
        });
    }

    /// The move is made and not pressed for a while. Returns the time of the press.
    pub(super) fn press_late(&mut self, released: Duration) -> Duration {
        let press = released + self.dice.span([13.0, 25.0]);
        let bound = self.board_bound(10.0);
        self.note_case(Case {
            kind: IrregularityKind::IncompleteMove,
            from: released,
            to: press,
            expected: &["incomplete_move"],
            within: [released, released + bound],
            allowed: &[],
            in_step: false,
        });
        press
    }

    /// The pawn is left on its last rank and the clock is pressed; the arbiter has it replaced (7.5.2). Returns when it was
    /// lifted, when it was replaced, and when the clock was pressed.
    pub(super) fn leave_pawn(&mut self, mv: Move) -> Option<[Duration; 3]> {
        let (Some(from), to, us) = (mv.from(), mv.to(), self.position.turn()) else { return None };
        let lifted = self.next_moment();
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
        let runs = self.restart_clock(on, !us, 0);
        let plies = self.truth.plies.len() as u32;
        let uci = shakmaty::uci::UciMove::from_standard(mv).to_string();
        self.orders.push((runs - seconds(0.5), Order::Give(Command::CorrectMove { plies, uci })));
        self.note_case(Case {
            kind: IrregularityKind::PromotionNotReplaced,
            from: lifted,
            to: runs,
            expected: &["promotion_not_replaced"],
            within: [press, press + self.press_bound(1.0)],
            allowed: &["position_differs", "piece_in_hand", "illegal_move"],
            in_step: true,
        });
        Some([lifted, on, press])
    }

    /// The clock is set otherwise than the daemon is configured, or counts otherwise. This is known when these plies are played.
    pub(super) fn note_clock_difference(&mut self, kind: IrregularityKind, from: Duration, by: Duration, end: Duration) {
        let by = by + self.press_bound(0.0);
        self.note_case(Case { kind, from, to: end, expected: &[kind.name()], within: [from, by], allowed: &[], in_step: false });
    }

    /// The wrong clock is started, stopped, and the right one started.
    pub(super) fn start_wrong_clock(&mut self) {
        let begin = self.ready;
        let stop = begin + self.dice.span([5.5, 9.0]);
        let run = stop + self.dice.span([2.0, 4.0]);
        self.clockwork.add(begin.saturating_sub(seconds(0.5)), Hand::Lever(Color::White));
        self.clockwork.add(stop, Hand::Stop);
        self.clockwork.add(run.saturating_sub(seconds(0.5)), Hand::Lever(Color::Black));
        self.clockwork.add(run, Hand::Run);
        (self.ready, self.free) = (run, run);
        let bound = self.press_bound(2.0);
        self.note_case(Case {
            kind: IrregularityKind::WrongClockRunning,
            from: begin,
            to: run,
            expected: &["wrong_clock_running"],
            within: [begin, begin + bound],
            allowed: &[],
            in_step: false,
        });
    }

    /// White's first move is made and pressed before the clock is started. Returns the time of the start.
    pub(super) fn start_clock_late(&mut self, lifted: Duration, lever: Duration) -> Duration {
        let run = lever + self.dice.span([4.0, 9.0]);
        self.clockwork.add(lever, Hand::Lever(Color::White));
        self.clockwork.add(run, Hand::Run);
        self.note_case(Case {
            kind: IrregularityKind::ClockNotStarted,
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
    pub(super) fn note_flag_after_end(&mut self, fell: Duration) {
        let bound = self.press_bound(1.0);
        self.note_case(Case {
            kind: IrregularityKind::FlagAfterEnd,
            from: fell.saturating_sub(seconds(0.7)),
            to: fell,
            expected: &["flag_after_end"],
            within: [fell.saturating_sub(seconds(0.7)), fell + bound],
            allowed: &["clock_at_zero"],
            in_step: false,
        });
    }
}
