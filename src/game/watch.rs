//! What is wrong on the board or with the clock, and for how long it has been (`reconstruct/README.md#6`).

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Position;

use crate::alarm::{Alarm, AlarmKind, AlarmStatus};
use crate::clock::control::Method;
use crate::effect::Effect;
use crate::game::Game;
use crate::lifecycle::{GESTURE_STANDS, INCOMPLETE_STANDS};
use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::message::Stage;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::gesture;
use crate::reconstruct::line::Tentative;

const IN_HAND: Duration = Duration::from_secs(5);
const DIFFERS: Duration = Duration::from_secs(5);
const DISPLACED: Duration = Duration::from_secs(2);
/// So many squares are more than an accident with one man.
const DISPLACED_SQUARES: u32 = 3;
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
    /// The board is watched for what is wrong: a game is on and its clocks were not stopped.
    fn watching(&self) -> bool {
        let stopped = self.seen.clock.chessclock.present() && self.seen.clock.chessclock.runs().is_none();
        match self.seen.phase.stage {
            Stage::Armed => self.seen.clock.chessclock.runs().is_some(),
            Stage::Playing => self.seen.board.known() && !stopped,
            Stage::AwaitingSetUp | Stage::Over => false,
        }
    }

    /// Squares that differ from what was played last, but for those of which an arbiter knows and that have not changed since.
    pub(crate) fn differs(&self) -> u64 {
        let node = self.seen.play.decoder.line().top(self.seen.play.decoder.record.node());
        let differs = men::difference(&node.men, self.seen.board.men());
        if differs == 0 {
            return 0;
        }
        let known = self.alarms.acknowledged(AlarmKind::PositionDiffers).fold(0, |known, (squares, opened)| {
            let still = men::squares(squares).filter(|square| self.seen.board.changed_at(square.bit()) <= opened);
            still.fold(known, |known, square| known | square.bit())
        });
        differs & !known
    }

    /// Since when these squares differ as they do.
    pub(crate) fn differs_since(&self, differs: u64) -> Instant {
        self.monitor.differing.since(differs).max(self.seen.board.changed_at(differs))
    }

    /// Since when kings may be on their way to show the result, if they may still be.
    fn gesture_since(&self) -> Option<Instant> {
        let line = self.seen.play.decoder.line();
        let half = |ply: &&Tentative| ply.pressed.is_none() && gesture::is_half(ply.mv);
        let before = line.plies().len() - line.plies().iter().rev().take_while(half).count();
        let squares = gesture::under_way(self.seen.board.men(), &line.node(self.seen.play.decoder.record.node(), before).men)?;
        Some(self.seen.board.changed_at(squares)).filter(|since| self.now < since.after(GESTURE_STANDS))
    }

    pub(crate) fn what_is_wrong(&mut self, out: &mut Vec<Effect>) {
        let reading = matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing);
        let mut differs = self.differs();
        self.monitor.differing.note(self.now, differs);
        if self.players_take_back(out) {
            differs = self.differs();
            self.monitor.differing.note(self.now, differs);
        }
        if reading && differs == 0 {
            self.board_is_right();
        } else if self.watching() && self.gesture_since().is_none() && self.seen.board.unseen_since().is_none() {
            self.watch_board(differs);
        }
        if reading {
            self.watch_open();
        }
        if self.watching() {
            self.watch_press();
        }
        self.watch_clock();
    }

    fn watch_board(&mut self, differs: u64) {
        let node = self.seen.play.decoder.line().top(self.seen.play.decoder.record.node());
        let board = *self.seen.board.men();
        // What is taken for played may have changed since the board did.
        let quiet = self.now.since(self.differs_since(differs));
        let turn = men::turn(&node.position);
        // What a square never showed was not lifted from it.
        let lifted = men::squares(differs).all(|square| {
            board[square.index()] == EMPTY
                && men::color(node.men[square.index()]) == Some(turn)
                && self.seen.board.has_shown_a_man(square.index() as u8)
        });
        let part_of_move =
            node.table().iter().any(|candidate| differs & !candidate.mask == 0) || self.is_explained(node, differs);
        let in_hand = lifted && differs.count_ones() <= 2;
        // A man that is off its square may have captured where no sensor noticed it.
        let may_be_right = !self.seen.board.identifies() && self.seen.play.decoder.explains(&self.seen.board);
        let now = self.now;
        if quiet >= IN_HAND && in_hand && !may_be_right {
            self.alarms.raise(now, AlarmKind::PieceInHand, Some(turn), differs);
        }
        if quiet >= DIFFERS && !in_hand && !self.seen.play.decoder.explains(&self.seen.board) {
            self.alarms.raise(now, AlarmKind::PositionDiffers, None, differs);
        }
        if quiet >= DISPLACED && differs.count_ones() >= DISPLACED_SQUARES && !part_of_move && self.changed_together(differs) {
            self.alarms.raise(now, AlarmKind::PiecesDisplaced, None, differs);
        }
        if self.seen.board.identifies() && quiet >= WRONG_SIDE && self.monitor.wrong_side_looked != self.seen.board.last_change()
        {
            self.monitor.wrong_side_looked = self.seen.board.last_change();
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
        if !self.seen.play.decoder.press_pending() {
            self.alarms.cure(now, IllegalMove);
            self.alarms.cure(now, PromotionNotReplaced);
        }
    }

    /// Something else is told of these squares, or will be: a press of a move that is not legal, the shape of a castling, a legal move
    /// and fewer than three squares beside it.
    fn is_explained(&self, node: &Node, differs: u64) -> bool {
        let illegal = |alarm: &Alarm| alarm.kind == AlarmKind::IllegalMove && alarm.status == AlarmStatus::Open;
        self.seen.play.decoder.press_pending()
            || self.alarms.open().any(|alarm| illegal(alarm) && differs & !alarm.squares == 0)
            || castling_by_hand(&node.men, self.seen.board.men(), differs)
            || node.table().iter().any(|candidate| {
                let whole = candidate.mask & !differs == 0 && candidate.shown_by(self.seen.board.men(), 0);
                whole && (differs & !candidate.mask).count_ones() < DISPLACED_SQUARES
            })
    }

    fn changed_together(&self, mask: u64) -> bool {
        let last = self.seen.board.changed_at(mask);
        men::squares(mask).all(|square| last.since(self.seen.board.changed_at(square.bit())) <= DISPLACED)
    }

    /// The board shows a legal move of the side that does not have the move.
    fn moved_out_of_turn(&self) -> Option<Color> {
        let node = self.seen.play.decoder.line().top(self.seen.play.decoder.record.node());
        let other = Node::new(node.position.clone().swap_turn().ok()?);
        other.exact(self.seen.board.men())?;
        Some(men::turn(&other.position))
    }

    fn count_men(&mut self, turn: Color) {
        let now = self.now;
        let board = *self.seen.board.men();
        for color in [Color::White, Color::Black] {
            let king = if color == Color::White { 6 } else { 12 };
            let told = self.seen.board.identifies();
            // He may have been lifted just now, while something else has differed for long.
            if told && color != turn && !self.seen.board.showed(king, now.before(MEN_WRONG)) {
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
        if self.seen.board.identifies() {
            return;
        }
        self.watch_promotions();
        match self.seen.play.decoder.open().fold(0, |mask, mv| mask | (1 << mv.to().to_u32())) {
            0 => self.alarms.cure(self.now, AlarmKind::Ambiguous),
            targets => self.alarms.raise(self.now, AlarmKind::Ambiguous, None, targets),
        }
    }

    fn watch_press(&mut self) {
        let Some(ply) = self.seen.play.decoder.line().last() else { return };
        let (color, made) = (ply.color, ply.made.latest);
        if self.gesture_since().is_some() {
            return;
        }
        let waits = self.seen.clock.chessclock.runs() == Some(color) && self.now >= self.waits_since(made).after(NOT_PRESSED);
        // A wait is told once, whatever is pressed and thought of in between.
        if waits && self.monitor.incomplete_told != Some(made) && self.case().ending_on_board().is_none() {
            self.monitor.incomplete_told = Some(made);
            self.alarms.raise(self.now, AlarmKind::IncompleteMove, Some(color), 0);
        }
    }

    /// Since when a press is waited for after a move: since the player's clock has run.
    fn waits_since(&self, made: Instant) -> Instant {
        made.max(self.seen.clock.chessclock.changed_at())
    }

    /// How long a running clock may be silent.
    fn clock_patience(&self) -> Duration {
        let Some(control) = &self.seen.clock.control else { return UNKNOWN_DELAY };
        let period = control.period(self.seen.clock.chessclock.period(self.seen.clock.chessclock.runs().unwrap_or(Color::White)));
        let delay = if period.method == Method::UsDelay { period.per_move_ms } else { 0 };
        CLOCK_QUIET + Duration::from_millis(u64::from(delay))
    }

    /// A display that stays at zero without a flag sign: nothing is declared, somebody must look.
    fn watch_zero(&mut self) {
        let Some((side, since)) = self.seen.clock.zero else { return };
        if self.seen.clock.chessclock.time(side).is_none_or(|time| time.millis() > 0)
            || self.seen.clock.chessclock.flags().of(side).is_some()
        {
            self.seen.clock.zero = None;
            self.alarms.cure(self.now, AlarmKind::ClockAtZero);
        } else if self.now >= since.after(AT_ZERO) {
            self.alarms.raise(self.now, AlarmKind::ClockAtZero, Some(side), 0);
        }
    }

    fn watch_clock(&mut self) {
        self.watch_zero();
        self.watch_default_time();
        let Some(runs) = self.seen.clock.chessclock.runs() else {
            self.seen.clock.asked = None;
            return;
        };
        if self.wrong_clock_suspected(runs) && self.now >= self.seen.clock.chessclock.changed_at().after(WRONG_CLOCK) {
            self.alarms.raise(self.now, AlarmKind::WrongClockRunning, Some(runs), 0);
        }
        let Some((heard, _)) = self.seen.clock.chessclock.last_report() else { return };
        let due = heard.after(self.clock_patience());
        match self.seen.clock.asked {
            None if self.now >= due => self.seen.clock.asked = Some(self.now),
            Some(asked) if self.now >= asked.after(CLOCK_QUIET) => {
                self.alarms.raise(self.now, AlarmKind::ClockLost, None, 0);
            }
            _ => {}
        }
    }

    /// The clock of the side not to move was started, at the start of the game or after a pause.
    fn wrong_clock_suspected(&self, runs: Color) -> bool {
        self.seen.clock.chessclock.was_started()
            && matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing)
            && !self.may_run(runs)
    }

    /// The next moment at which a watch may have something to say.
    pub(crate) fn next_watch(&self) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        let mut at = |moment: Instant| {
            if moment > self.now && next.is_none_or(|earliest| moment < earliest) {
                next = Some(moment);
            }
        };
        let changed = self.seen.board.last_change();
        if self.watching() && self.case().touched() {
            let since = self.differs_since(self.differs());
            for wait in [WRONG_SIDE, DISPLACED, MEN_WRONG, IN_HAND] {
                at(since.after(wait));
            }
            at(changed.after(MEN_WRONG));
        }
        if let Some(stands) = self.take_back_stands() {
            at(stands);
        }
        if self.watching()
            && let Some(since) = self.gesture_since()
        {
            at(since.after(GESTURE_STANDS));
        }
        if self.watching()
            && let Some(made) = self.seen.play.decoder.line().made_at()
        {
            at(self.waits_since(made).after(NOT_PRESSED));
        }
        if let Some(over) = self.gesture_means_a_result() {
            at(over);
        }
        if self.seen.phase.stage == Stage::AwaitingSetUp && self.seen.clock.chessclock.runs().is_some() {
            at(changed.after(self.seen.board.scan() * 2));
            at(self.seen.clock.chessclock.changed_at().after(self.seen.board.scan()));
        }
        if let Some(over) = self.default_time_over() {
            at(over);
        }
        if let Some((_, since)) = self.seen.clock.zero {
            at(since.after(AT_ZERO));
        }
        if let Some(since) = self.seen.phase.next_set_up {
            at(since.after(self.next_game_wait()));
        }
        if let Some((since, _)) = &self.seen.phase.incomplete_set_up {
            at(since.after(INCOMPLETE_STANDS));
        }
        if let Some(since) = self.seen.phase.gesture.filter(|_| self.seen.phase.stage != Stage::Over) {
            at(since.after(GESTURE_STANDS));
        }
        if self.seen.clock.chessclock.runs().is_some_and(|runs| self.wrong_clock_suspected(runs)) {
            at(self.seen.clock.chessclock.changed_at().after(WRONG_CLOCK));
        }
        if self.seen.clock.chessclock.runs().is_some()
            && let Some((heard, _)) = self.seen.clock.chessclock.last_report()
        {
            at(self.seen.clock.asked.map_or(heard.after(self.clock_patience()), |asked| asked.after(CLOCK_QUIET)));
        }
        for ply in self.seen.play.decoder.line().plies() {
            at(ply.made.latest.after(crate::reconstruct::STANDS));
        }
        next
    }
}

/// King and rook of one side have left their squares on its first rank for those of a castling, whether it may castle or not.
fn castling_by_hand(men: &Men, board: &Men, differs: u64) -> bool {
    [(0, 6, 4), (56, 12, 10)].into_iter().any(|(rank, king, rook)| {
        [(7, 6, 5), (0, 2, 3)].into_iter().any(|(home, king_to, rook_to)| {
            let places = [(rank + 4, king), (rank + home, rook), (rank + king_to, EMPTY), (rank + rook_to, EMPTY)];
            let began = places.iter().all(|&(square, man)| men[square] == man);
            let shown = [(rank + 4, EMPTY), (rank + home, EMPTY), (rank + king_to, king), (rank + rook_to, rook)];
            began && shown.iter().all(|&(square, man)| board[square] == man) && differs.count_ones() == 4
        })
    })
}
