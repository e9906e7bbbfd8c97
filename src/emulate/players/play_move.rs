//! Plays the moves one after the other, and determines when each begins, how it is made, and when it is pressed.

use std::time::Duration;

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingSide, Color, Move, Position, Role, Square};

use super::board_timeline::Change;
use super::clockwork::Hand;
use super::planned::{IrregularityKind, PlannedIrregularity};
use super::{AFTER_PRESS, Players, move_motions};
use crate::emulate::dice::seconds;
use crate::emulate::truth::{Ply, micros};

/// The shortest time from a release until the next hand comes near the board.
const AFTER_RELEASE: Duration = Duration::from_millis(150);

impl Players<'_> {
    /// Plays one move, and what goes wrong before it.
    pub(super) fn play_move(&mut self, mv: Move, own: Duration, pressed: bool, last: bool) {
        let here = self.planned.filter(|planned| planned.ply == self.truth.plies.len()).map(|planned| planned.kind);
        if let Some(kind) = here {
            let started = self.truth.plies.is_empty() || self.truth.plies.last().is_some_and(|before| before.lever);
            match kind {
                IrregularityKind::WrongClockRunning => self.start_wrong_clock(),
                IrregularityKind::ClockNotStarted => self.clockwork.not_started(),
                IrregularityKind::PromotionNotReplaced if started && self.promote_by_order(mv) => return,
                _ if started && self.do_before_move(kind) => {}
                // The irregularity does not fit here, but may fit the next ply.
                _ if !last && may_be_postponed(kind) => {
                    self.planned = self.planned.map(|planned| PlannedIrregularity { ply: planned.ply + 1, ..planned })
                }
                _ => {}
            }
        }
        self.play_ply(mv, own, pressed, last, here);
    }

    fn play_ply(&mut self, mv: Move, own: Duration, pressed: bool, last: bool, here: Option<IrregularityKind>) {
        let color = self.position.turn();
        let mut motions = move_motions::motions_of(self.dice, self.noise, self.slow, &self.position, mv);
        let mut odd = std::mem::take(&mut motions.odd);
        let lasts = motions.lasts();
        let median = if self.slow { self.noise.press_after_slow_s } else { self.noise.press_after_quick_s };
        let reach = self.dice.lognormal(median, self.noise.press_after_spread);
        let hurry = self.dice.span([0.0, 0.1]);
        let think = own.saturating_sub(lasts + reach).max(hurry);
        self.correct_clock(think, &mut odd);
        let begin = self.first_touch(own, think, &mut odd);
        if here == Some(IrregularityKind::PieceInHand) && !odd.contains(&"slide") && !odd.contains(&"neighbour") {
            self.hold_piece(begin, &mut motions);
        }
        let released = begin + motions.lasts();
        for &(after, square, man) in &motions.touches {
            self.timeline.change(Change { at: begin + after, square, man });
        }
        self.free = released + AFTER_RELEASE;
        let forgets = self.dice.chance(self.noise.press_forgotten) && !last && self.forgotten.is_none() && here.is_none();
        let notices = self.dice.chance(self.noise.forgotten_noticed);
        let noticed = self.dice.span(self.noise.forgotten_noticed_after_s);
        let press = match () {
            () if !pressed => None,
            () if here == Some(IrregularityKind::IncompleteMove) && self.forgotten.is_none() => Some(self.press_late(released)),
            () if forgets && notices => {
                odd.push("press_late");
                Some(released + noticed)
            }
            () if forgets => {
                odd.push("press_forgotten");
                None
            }
            () => Some(released + reach),
        };
        let first = motions.touches.first().map_or(begin, |(after, ..)| begin + *after);
        if here == Some(IrregularityKind::ClockNotStarted) {
            let run = self.start_clock_late(first, released + reach);
            (self.ready, self.free) = (run, run);
            return self.record_ply(mv, [first, released], Some(released + reach), false, odd);
        }
        self.press_clock(color, released, reach, press, forgets && !notices);
        let lever = press.is_some() && self.forgotten.is_none_or(|by| by == color);
        if lever {
            self.forgotten = None;
        }
        let pressed = self.clockwork.last_press().filter(|_| press.is_some());
        self.record_ply(mv, [first, released], pressed, lever, odd);
    }

    /// Records the move, which is now on the board.
    fn record_ply(
        &mut self,
        mv: Move,
        [first, released]: [Duration; 2],
        pressed: Option<Duration>,
        lever: bool,
        odd: Vec<&'static str>,
    ) {
        let (squares, king_to_centre) = (squares(mv), king_to_centre(mv));
        let uci = UciMove::from_standard(mv).to_string();
        let san = SanPlus::from_move_and_play_unchecked(&mut self.position, mv).to_string();
        let (lifted_us, released_us, pressed_us) = (micros(first), micros(released), pressed.map(micros));
        self.truth.plies.push(Ply { san, uci, lifted_us, released_us, pressed_us, lever, squares, king_to_centre, odd });
    }

    /// Plays a promotion in which the pawn is replaced only by the arbiter's order.
    fn promote_by_order(&mut self, mv: Move) -> bool {
        let Some([lifted, on, press]) = self.leave_pawn(mv) else { return false };
        // The press came long before the move was complete, so no latency may be measured from it.
        self.record_ply(mv, [lifted, on], Some(press), false, vec!["pawn_stays"]);
        self.forgotten = None;
        true
    }

    /// Records faults of the clock, when all presses are known.
    pub(super) fn note_clock_faults(&mut self, end: Duration) {
        let pressed = |ply: usize| self.truth.plies.get(ply).and_then(|ply| ply.pressed_us).map(Duration::from_micros);
        match self.planned {
            Some(PlannedIrregularity { kind: IrregularityKind::ClockSettingDiffers, .. }) => {
                let by = pressed(5).unwrap_or(end);
                self.note_clock_difference(IrregularityKind::ClockSettingDiffers, Duration::ZERO, by, end);
            }
            Some(PlannedIrregularity { kind: IrregularityKind::ClockCountDiffers, ply }) => {
                let [from, by] = [pressed(ply - 2), pressed(ply + 2)].map(|at| at.unwrap_or(end));
                self.note_clock_difference(IrregularityKind::ClockCountDiffers, from, by, end);
            }
            _ => {}
        }
    }

    /// Returns when the first man is touched.
    fn first_touch(&mut self, own: Duration, think: Duration, odd: &mut Vec<&'static str>) -> Duration {
        let early = self.dice.chance(self.noise.reply_before_press);
        let ahead = self.dice.span([0.0, 0.6]);
        let quick = own <= seconds(self.noise.reply_before_press_within_s);
        let waits = self.truth.plies.last().is_some_and(|before| before.pressed_us.is_some() && before.lever);
        if early && quick && waits && self.free < self.ready {
            odd.push("reply_before_press");
            return self.free.max(self.ready.saturating_sub(ahead));
        }
        self.free.max(self.ready + think)
    }

    /// Adds the press, and sets the time from which the opponent thinks.
    fn press_clock(&mut self, color: Color, released: Duration, reach: Duration, press: Option<Duration>, forgets: bool) {
        if let Some(at) = press {
            let at = at.max(self.clockwork.last_press().map_or(Duration::ZERO, |before| before + AFTER_PRESS));
            self.clockwork.add(at, Hand::Press(color));
            self.ready = at;
            // The opponent waits for a press that comes late.
            if at > released + reach * 2 {
                self.free = self.free.max(at + AFTER_RELEASE);
            }
            return;
        }
        self.ready = released + reach;
        if forgets {
            self.forgotten = Some(color);
        }
    }

    /// Lets the arbiter, by chance, correct the times while the player thinks.
    fn correct_clock(&mut self, think: Duration, odd: &mut Vec<&'static str>) {
        const LEAST: Duration = Duration::from_secs(20);
        let corrects = self.dice.chance(self.noise.clock_corrected);
        let [stops, sets, runs] = [self.dice.span([2.0, 10.0]), self.dice.span([4.0, 12.0]), self.dice.span([2.0, 6.0])];
        let gift = if self.dice.chance(0.5) { [60, 0] } else { [0, 60] };
        if !corrects || think < LEAST {
            return;
        }
        odd.push("clock_corrected");
        let at = self.ready + stops;
        self.clockwork.add(at, Hand::Stop);
        self.clockwork.add(at + sets, Hand::Give(gift));
        self.clockwork.add(at + sets + runs, Hand::Run);
        self.ready += sets + runs;
    }

    /// Lets an arbiter stop the clock after the last move, unless a flag is to fall.
    pub(super) fn finish(&mut self, ends_by_flag: bool) {
        let stop = self.ready.max(self.free) + self.dice.span([2.0, 9.0]);
        let forgets = self.planned.is_some_and(|planned| planned.kind == IrregularityKind::FlagAfterEnd);
        if !ends_by_flag && !forgets {
            self.clockwork.add(stop, Hand::Stop);
        }
    }
}

/// Whether this irregularity may also happen at another ply.
const fn may_be_postponed(kind: IrregularityKind) -> bool {
    matches!(
        kind,
        IrregularityKind::IllegalMove
            | IrregularityKind::PressedWithoutMove
            | IrregularityKind::MovedByWrongSide
            | IrregularityKind::PositionDiffers
            | IrregularityKind::PiecesDisplaced
            | IrregularityKind::LinkGap
    )
}

fn king_to_centre(mv: Move) -> bool {
    mv.role() == Role::King && [Square::D4, Square::D5, Square::E4, Square::E5].contains(&mv.to())
}

/// The squares that a move changes, bit 0 = a1.
fn squares(mv: Move) -> u64 {
    let bit = |square: Square| 1_u64 << u32::from(square);
    match mv {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
            let color = if king.rank() == shakmaty::Rank::First { Color::White } else { Color::Black };
            bit(king) | bit(rook) | bit(side.king_to(color)) | bit(side.rook_to(color))
        }
        Move::EnPassant { from, to } => bit(from) | bit(to) | bit(Square::from_coords(to.file(), from.rank())),
        _ => mv.from().map_or(0, bit) | bit(mv.to()),
    }
}
