//! From sensor chatter and presses to moves (`reconstruction.md` section 3).
//!
//! A press is the anchor: it says that a move is complete, and the board, now or within the press's window, says which. Moves
//! that stand on the board without that proof are tentative and may still change.

pub(crate) mod board;
pub(crate) mod candidates;
pub(crate) mod gesture;
pub(crate) mod line;
#[cfg_attr(
    not(test),
    expect(dead_code, unused_imports, reason = "called by the repair of gaps, which comes with the beam of hypotheses")
)]
pub(crate) mod log;
pub(crate) mod press;
pub mod record;
#[cfg_attr(not(test), expect(dead_code, reason = "called by the repair of gaps, which comes with the beam of hypotheses"))]
pub(crate) mod search;
pub(crate) mod setup;

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::interval::Interval;
use crate::pair::Pair;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::line::Line;
use crate::reconstruct::press::{Match, Pressed, Question};
use crate::reconstruct::record::{How, Record};

/// After a press without any change the board has this long, plus a scan, to show one (`reconstruction.md` section 6).
const NOTHING_MOVED: Duration = Duration::from_millis(700);
/// After a press a pawn on the last rank has this long to be replaced.
const NOT_REPLACED: Duration = Duration::from_millis(1000);
/// After a press the board has this long to show a legal move.
const NO_LEGAL_MOVE: Duration = Duration::from_millis(1500);
/// A move that ends the game needs no press but must stand this long.
const ENDING_STANDS: Duration = Duration::from_secs(1);
/// Without a clock a move must stand this long.
pub(crate) const STANDS: Duration = Duration::from_secs(2);
/// The opponent's clock must have run this long to prove a press that was not seen.
const RUNNING_PROVES: Duration = Duration::from_secs(1);
/// Presses that may wait for their moves.
const MAX_PRESSES: usize = 4;

/// What the clock says, as far as it decides what was played.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClockView {
    pub(crate) present: bool,
    pub(crate) runs: Option<Color>,
    /// When a clock last began or ceased to run.
    pub(crate) changed_at: Instant,
    pub(crate) times: Pair<Option<ClockTime>>,
}

/// Something the decoder concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    /// The move with this index became sure.
    Sure { index: usize },
    /// A press by the side to move, and nothing was moved (7.5.3).
    PressedWithoutMove { by: Color, at: Interval },
    /// A press by the side to move, and the board shows no legal move (7.5.1) or a pawn on the last rank (7.5.2).
    PressedIllegal { by: Color, at: Interval, pawn_stays: bool },
    /// A press with nothing moved, taken back by the opponent's press before it could count.
    PressedBack { by: Color, at: Interval },
    /// A press by the side not to move, for which no move is known.
    PressedOutOfTurn { by: Color, at: Interval },
}

/// One hypothesis about what was played.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    pub(crate) record: Record,
    pub(crate) line: Line,
    presses: Vec<Pressed>,
    scan: Duration,
}

impl Decoder {
    pub(crate) fn new(record: Record, scan: Duration) -> Decoder {
        Decoder { record, line: Line::default(), presses: Vec::with_capacity(MAX_PRESSES), scan }
    }

    /// Forgets what is not sure.
    pub(crate) fn forget_tentative(&mut self) {
        self.line.clear();
        self.presses.clear();
    }

    /// Presses wait for their moves.
    pub(crate) fn press_pending(&self) -> bool {
        !self.presses.is_empty()
    }

    /// A press of `by`, heard until `until`, waits for its move.
    pub(crate) fn pressed_by(&self, by: Color, until: Instant) -> bool {
        self.presses.iter().any(|pressed| pressed.by == by && pressed.at.latest <= until)
    }

    /// When a press of `by` was made that waits for its move.
    pub(crate) fn waiting_press(&self, by: Color) -> Option<Interval> {
        self.presses.iter().find(|pressed| pressed.by == by).map(|pressed| pressed.at)
    }

    /// The board changed.
    pub(crate) fn board_changed(&mut self, at: Instant, board: &PhysicalBoard) {
        self.line.follow(self.record.node(), board.men(), board.done(at, self.scan));
    }

    /// A player pressed. While nobody knows what stands on the board, the press waits.
    pub(crate) fn press(&mut self, at: Interval, by: Color, board: &PhysicalBoard, clock: &ClockView, out: &mut Vec<Decoded>) {
        if board.blind(at.latest).is_some() {
            if self.presses.len() < MAX_PRESSES {
                self.presses.push(Pressed { by, at });
            }
            return;
        }
        // Nothing has moved yet since the press before: both wait, the board may be behind.
        let nothing_yet = self.presses.len() == 1 && *board.men() == self.record.node().men;
        self.resolve(at.latest, !nothing_yet, board, clock, out);
        let has_move = self.line.plies().iter().any(|ply| ply.color == by);
        if self.record.turn() != by && !has_move && !self.press_pending() {
            if self.record.press_after_end(by, at) {
                return;
            }
            out.push(Decoded::PressedOutOfTurn { by, at });
            return;
        }
        if self.presses.len() < MAX_PRESSES {
            self.presses.push(Pressed { by, at });
        }
        self.resolve(at.latest, false, board, clock, out);
    }

    /// Looks again at what waits, at `now`. A board that is not seen proves nothing: what it showed last may have been a piece on
    /// its way.
    pub(crate) fn review(&mut self, now: Instant, board: &PhysicalBoard, clock: &ClockView, out: &mut Vec<Decoded>) {
        if board.blind(now).is_some() {
            return;
        }
        self.resolve(now, false, board, clock, out);
        // What proves one move may prove the next as well.
        while self.settle_without_press(now, board, clock, out) {}
    }

    /// When [`Decoder::review`] may conclude something that it did not yet, after `now`.
    pub(crate) fn deadline(&self, now: Instant, board: &PhysicalBoard, clock: &ClockView) -> Option<Instant> {
        if let Some(until) = board.blind(now) {
            return (until.0 != u64::MAX).then_some(until);
        }
        let mut next: Option<Instant> = None;
        let mut at = |moment: Instant| {
            if moment > now && next.is_none_or(|earliest| moment < earliest) {
                next = Some(moment);
            }
        };
        let plies = self.line.plies();
        if let Some(pressed) = self.presses.first() {
            let heard = pressed.at.latest;
            at(board.last_change().max(heard).after(self.scan));
            for ply in plies {
                at(ply.made.latest.max(heard).after(self.scan));
            }
            at(heard.after(NOTHING_MOVED).after(self.scan));
            at(heard.after(NOT_REPLACED));
            at(heard.after(NO_LEGAL_MOVE));
            return next;
        }
        let mut stands = |index: usize, wait: Duration| {
            if let Some(ply) = plies.get(index) {
                at(ply.made.latest.after(wait));
            }
        };
        stands(plies.len().wrapping_sub(1), ENDING_STANDS);
        stands(2, self.scan);
        if !clock.present {
            stands(0, STANDS);
            stands(1, self.scan);
        }
        if let Some(first) = plies.first().filter(|first| clock.runs == Some(first.color.other())) {
            at(first.made.latest.after(self.scan).max(clock.changed_at.after(RUNNING_PROVES)));
        }
        next
    }

    fn resolve(&mut self, now: Instant, last_call: bool, board: &PhysicalBoard, clock: &ClockView, out: &mut Vec<Decoded>) {
        while let Some(&pressed) = self.presses.first() {
            let over = last_call || now >= pressed.at.latest.after(NO_LEGAL_MOVE);
            match self.find(pressed, now, over, board) {
                Some(Match::Line(count)) => self.sure_by_press(count, pressed, board, clock, out),
                Some(Match::Moves(plies)) => {
                    self.line.replace(plies);
                    let count = self.line.plies().iter().rposition(|ply| ply.color == pressed.by).map_or(0, |i| i + 1);
                    self.sure_by_press(count, pressed, board, clock, out);
                }
                None => match self.give_up(pressed, now, over, board) {
                    Some(Decoded::PressedWithoutMove { by, at }) if self.presses.len() > 1 => {
                        self.presses.drain(..2);
                        out.push(Decoded::PressedBack { by, at });
                    }
                    Some(decoded) => {
                        self.presses.remove(0);
                        out.push(decoded);
                    }
                    None => return,
                },
            }
        }
    }

    fn find(&self, pressed: Pressed, now: Instant, over: bool, board: &PhysicalBoard) -> Option<Match> {
        let base = self.record.node();
        let question = Question { base, line: &self.line, board, pressed, scan: self.scan };
        question.present(now, over).or_else(|| {
            // The past may speak as soon as the present can no longer become the move itself.
            let still = board.last_change().max(pressed.at.latest).after(self.scan) <= now;
            if !(over || still) {
                return None;
            }
            question.past(over).or_else(|| if over { question.two_plies() } else { None })
        })
    }

    fn give_up(&self, pressed: Pressed, now: Instant, over: bool, board: &PhysicalBoard) -> Option<Decoded> {
        let base = self.record.node();
        let (by, at) = (pressed.by, pressed.at);
        if *board.men() == base.men {
            let waited = now >= at.latest.after(NOTHING_MOVED).after(self.scan);
            return (over || waited).then_some(Decoded::PressedWithoutMove { by, at });
        }
        let pawn_stays = setup::pawn_on_last_rank(board.men(), by);
        let waited = pawn_stays && now >= at.latest.after(NOT_REPLACED);
        (over || waited).then_some(Decoded::PressedIllegal { by, at, pawn_stays })
    }

    fn sure_by_press(
        &mut self,
        count: usize,
        pressed: Pressed,
        board: &PhysicalBoard,
        clock: &ClockView,
        out: &mut Vec<Decoded>,
    ) {
        for index in 0..count {
            let (how, at) = match index + 1 == count {
                true => (How::Press, Some(pressed.at)),
                false => (How::NextMove, None),
            };
            self.sure(how, at, clock, out);
        }
        self.presses.remove(0);
        self.line.follow(self.record.node(), board.men(), board.done(board.last_change(), self.scan));
    }

    /// The first ply of the line becomes sure.
    fn sure(&mut self, how: How, pressed: Option<Interval>, clock: &ClockView, out: &mut Vec<Decoded>) {
        let Some(ply) = self.line.plies().first() else { return };
        let (mv, made) = (ply.mv, ply.made);
        self.line.settle(1);
        self.record.push(mv, made, pressed, how, clock.times);
        out.push(Decoded::Sure { index: self.record.moves().len() - 1 });
    }

    /// True if a move became sure: there is one less to look at.
    fn settle_without_press(&mut self, now: Instant, board: &PhysicalBoard, clock: &ClockView, out: &mut Vec<Decoded>) -> bool {
        if self.press_pending() {
            return false;
        }
        let stands = |index: usize, wait: Duration| {
            let ply = self.line.plies().get(index);
            ply.is_some_and(|ply| ply.made.latest.after(wait) <= now)
        };
        let top_shown = self.line.top(self.record.node()).men == *board.men();
        let last = self.line.plies().len().wrapping_sub(1);
        if stands(last, ENDING_STANDS) && top_shown && self.record.ending_of_line(self.line.plies()).is_some() {
            for _ in 0..last {
                self.sure(How::NextMove, None, clock, out);
            }
            self.sure(How::GameEnd, None, clock, out);
            return true;
        }
        if stands(2, self.scan) {
            // 6.2.1.2: the player has made his next move, so the first one is complete.
            let next = self.line.plies()[2].made;
            let color = self.line.plies()[0].color;
            self.sure(How::NextMove, None, clock, out);
            self.record.complete_last(color, next);
            return true;
        }
        let Some(first) = self.line.plies().first() else { return false };
        let opponent_runs = clock.runs == Some(first.color.other());
        let (how, found) = if !clock.present && (stands(0, STANDS) || stands(1, self.scan)) {
            (How::Settled, now)
        } else if opponent_runs
            && clock.changed_at >= first.made.earliest
            && now >= clock.changed_at.after(RUNNING_PROVES)
            && stands(0, self.scan)
        {
            (How::ClockRunning, clock.changed_at)
        } else {
            return false;
        };
        let earliest = first.made.earliest;
        self.sure(how, None, clock, out);
        self.record.completed_within(Interval { earliest, latest: found });
        true
    }
}
