//! What is wrong on the board or with the clock, and for how long it has been (`reconstruction.md` section 6).

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Position;

use crate::alarm::AlarmKind;
use crate::clock::control::Method;
use crate::game::Game;
use crate::men::{self, EMPTY, UNKNOWN};
use crate::message::Stage;
use crate::play::GESTURE_STANDS;
use crate::reconstruct::candidates::Node;

const IN_HAND: Duration = Duration::from_secs(5);
const DIFFERS: Duration = Duration::from_secs(5);
const DISPLACED: Duration = Duration::from_secs(2);
const MEN_WRONG: Duration = Duration::from_secs(3);
const WRONG_SIDE: Duration = Duration::from_secs(1);
const NOT_PRESSED: Duration = Duration::from_secs(10);
/// A clock started on the wrong side may be put right for so long without a word: Black starts White's clock by a press.
const WRONG_CLOCK: Duration = Duration::from_secs(2);
/// A display at zero has this long to show its flag sign.
const AT_ZERO: Duration = Duration::from_secs(2);
/// A running clock that is not heard for this long beyond its delay is asked.
const CLOCK_QUIET: Duration = Duration::from_secs(3);
/// The longest delay of a clock whose time control is not known.
const UNKNOWN_DELAY: Duration = Duration::from_secs(60);

impl Game {
    /// A piece is lifted or put elsewhere: the board shows neither the last made move nor the position before it.
    pub(crate) fn touched(&self) -> bool {
        !men::same(self.board.men(), &self.decoder.line().top(self.decoder.record.node()).men)
    }

    /// The board is watched for what is wrong: a game is on and its clocks were not stopped.
    fn watching(&self) -> bool {
        let stopped = self.clock.present() && self.clock.runs().is_none();
        match self.stage {
            Stage::Armed => self.clock.runs().is_some(),
            Stage::Playing => self.board.known() && !stopped,
            Stage::AwaitingSetUp | Stage::Over => false,
        }
    }

    pub(crate) fn what_is_wrong(&mut self) {
        let reading = matches!(self.stage, Stage::Armed | Stage::Playing);
        if reading && !self.touched() {
            self.board_is_right();
        } else if self.watching() {
            self.watch_board();
        }
        if reading {
            self.watch_open();
        }
        if self.watching() {
            self.watch_press();
        }
        self.watch_clock();
    }

    fn watch_board(&mut self) {
        let node = self.decoder.line().top(self.decoder.record.node());
        let board = *self.board.men();
        let differs = men::difference(&node.men, &board);
        let quiet = self.now.since(self.board.changed_at(differs));
        let turn = men::turn(&node.position);
        let lifted = men::squares(differs)
            .all(|square| board[square.index()] == EMPTY && men::color(node.men[square.index()]) == Some(turn));
        let part_of_move = node.table().iter().any(|candidate| differs & !candidate.mask == 0);
        let in_hand = lifted && differs.count_ones() <= 2;
        // A man that is off its square may have captured where no sensor noticed it.
        let may_be_right = !self.board.identifies() && self.decoder.explains(&self.board);
        let now = self.now;
        if quiet >= IN_HAND && in_hand && !may_be_right {
            self.alarms.raise(now, AlarmKind::PieceInHand, Some(turn), differs);
        }
        if quiet >= DIFFERS && !in_hand && !may_be_right {
            self.alarms.raise(now, AlarmKind::PositionDiffers, None, differs);
        }
        if quiet >= DISPLACED && differs.count_ones() >= 3 && !part_of_move && self.changed_together(differs) {
            self.alarms.raise(now, AlarmKind::PiecesDisplaced, None, differs);
        }
        if self.board.identifies() && quiet >= WRONG_SIDE && self.wrong_side_looked != self.board.last_change() {
            self.wrong_side_looked = self.board.last_change();
            if let Some(mover) = self.moved_out_of_turn() {
                self.alarms.raise(now, AlarmKind::MovedByWrongSide, Some(mover), differs);
            }
        }
        if quiet >= MEN_WRONG {
            self.count_men(turn);
        }
    }

    fn board_is_right(&mut self) {
        use AlarmKind::*;
        let now = self.now;
        for kind in [PieceInHand, PositionDiffers, PiecesDisplaced, MovedByWrongSide, KingMissing, TooManyMen, UnreadableSquare] {
            self.alarms.cure(now, kind);
        }
        if !self.decoder.press_pending() {
            self.alarms.cure(now, IllegalMove);
            self.alarms.cure(now, PromotionNotReplaced);
        }
    }

    fn changed_together(&self, mask: u64) -> bool {
        let last = self.board.changed_at(mask);
        men::squares(mask).all(|square| last.since(self.board.changed_at(square.bit())) <= DISPLACED)
    }

    /// The board shows a legal move of the side that does not have the move.
    fn moved_out_of_turn(&self) -> Option<Color> {
        let node = self.decoder.line().top(self.decoder.record.node());
        let other = Node::new(node.position.clone().swap_turn().ok()?);
        other.exact(self.board.men())?;
        Some(men::turn(&other.position))
    }

    fn count_men(&mut self, turn: Color) {
        let now = self.now;
        let board = *self.board.men();
        for color in [Color::White, Color::Black] {
            let king = if color == Color::White { 6 } else { 12 };
            let told = self.board.identifies();
            if told && color != turn && !board.contains(&king) {
                self.alarms.raise(now, AlarmKind::KingMissing, Some(color), 0);
            }
            if board.iter().filter(|&&man| men::color(man) == Some(color)).count() > 16 {
                self.alarms.raise(now, AlarmKind::TooManyMen, Some(color), 0);
            }
        }
        let unreadable = (0..64).fold(0, |mask, i| mask | (u64::from(board[i] == UNKNOWN) << i));
        if unreadable != 0 {
            self.alarms.raise(now, AlarmKind::UnreadableSquare, None, unreadable);
        }
    }

    /// Which of two captures was made, a board that does not identify men may not tell.
    fn watch_open(&mut self) {
        self.watch_promotions();
        match self.decoder.open().fold(0, |mask, mv| mask | (1 << mv.to().to_u32())) {
            0 => self.alarms.cure(self.now, AlarmKind::Ambiguous),
            targets => self.alarms.raise(self.now, AlarmKind::Ambiguous, None, targets),
        }
    }

    fn watch_press(&mut self) {
        let Some(ply) = self.decoder.line().last() else { return };
        let (color, made) = (ply.color, ply.made.latest);
        if self.clock.runs() == Some(color) && self.now >= made.after(NOT_PRESSED) && self.ending_on_board().is_none() {
            self.alarms.raise(self.now, AlarmKind::IncompleteMove, Some(color), 0);
        }
    }

    /// How long a running clock may be silent.
    fn clock_patience(&self) -> Duration {
        let Some(control) = &self.control else { return UNKNOWN_DELAY };
        let period = control.period(self.clock.period(self.clock.runs().unwrap_or(Color::White)));
        let delay = if period.method == Method::UsDelay { period.per_move_ms } else { 0 };
        CLOCK_QUIET + Duration::from_millis(u64::from(delay))
    }

    /// A display that stays at zero without a flag sign: nothing is declared, somebody must look.
    fn watch_zero(&mut self) {
        let Some((side, since)) = self.zero else { return };
        if self.clock.time(side).is_none_or(|time| time.millis() > 0) || self.clock.flags().of(side).is_some() {
            self.zero = None;
            self.alarms.cure(self.now, AlarmKind::ClockAtZero);
        } else if self.now >= since.after(AT_ZERO) {
            self.alarms.raise(self.now, AlarmKind::ClockAtZero, Some(side), 0);
        }
    }

    fn watch_clock(&mut self) {
        self.watch_zero();
        self.watch_default_time();
        let Some(runs) = self.clock.runs() else {
            self.clock_asked = None;
            return;
        };
        if self.wrong_clock_suspected(runs) && self.now >= self.clock.changed_at().after(WRONG_CLOCK) {
            self.alarms.raise(self.now, AlarmKind::WrongClockRunning, Some(runs), 0);
        }
        let Some((heard, _)) = self.clock.last_report() else { return };
        let due = heard.after(self.clock_patience());
        match self.clock_asked {
            None if self.now >= due => self.clock_asked = Some(self.now),
            Some(asked) if self.now >= asked.after(CLOCK_QUIET) => {
                self.alarms.raise(self.now, AlarmKind::ClockLost, None, 0);
            }
            _ => {}
        }
    }

    /// The clock of the side not to move was started, at the start of the game or after a pause.
    fn wrong_clock_suspected(&self, runs: Color) -> bool {
        self.clock.was_started() && matches!(self.stage, Stage::Armed | Stage::Playing) && !self.may_run(runs)
    }

    /// The next moment at which a watch may have something to say.
    pub(crate) fn next_watch(&self) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        let mut at = |moment: Instant| {
            if moment > self.now && next.is_none_or(|earliest| moment < earliest) {
                next = Some(moment);
            }
        };
        let changed = self.board.last_change();
        if self.watching() && self.touched() {
            for wait in [WRONG_SIDE, DISPLACED, MEN_WRONG, IN_HAND] {
                at(changed.after(wait));
            }
        }
        if self.watching()
            && let Some(made) = self.decoder.line().made_at()
        {
            at(made.after(NOT_PRESSED));
        }
        if self.stage == Stage::AwaitingSetUp && self.clock.runs().is_some() {
            at(changed.after(self.scan * 2));
            at(self.clock.changed_at().after(self.scan));
        }
        if let Some(over) = self.default_time_over() {
            at(over);
        }
        if let Some((_, since)) = self.zero {
            at(since.after(AT_ZERO));
        }
        if let Some(since) = self.next_set_up {
            at(since.after(self.next_game_wait()));
        }
        if let Some(since) = self.gesture.filter(|_| self.stage != Stage::Over) {
            at(since.after(GESTURE_STANDS));
        }
        if self.clock.runs().is_some_and(|runs| self.wrong_clock_suspected(runs)) {
            at(self.clock.changed_at().after(WRONG_CLOCK));
        }
        if self.clock.runs().is_some()
            && let Some((heard, _)) = self.clock.last_report()
        {
            at(self.clock_asked.map_or(heard.after(self.clock_patience()), |asked| asked.after(CLOCK_QUIET)));
        }
        for ply in self.decoder.line().plies() {
            at(ply.made.latest.after(crate::reconstruct::STANDS));
        }
        next
    }
}
