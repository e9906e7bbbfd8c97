//! From sensor chatter and presses to moves (`reconstruct/README.md#3`).
//!
//! Everything that may have been played since the last sure move is kept as a hypothesis and judged by all that is known: what
//! the board shows and has shown, the presses, whose clock runs. A move is sure when a rule of completion is met and every
//! reading without it is much worse.

pub(crate) mod beam;
pub(crate) mod board;
pub(crate) mod candidates;
mod completion;
mod dead;
mod explain;
mod gap;
pub(crate) mod gesture;
mod hypothesis;
mod identified;
pub(crate) mod line;
pub(crate) mod log;
pub(crate) mod moves;
pub(crate) mod notation;
pub(crate) mod occupancy;
mod press;
pub mod record;
mod repair;
mod replay_from_log;
pub(crate) mod scan_time;
pub(crate) mod search;
mod sensing;
pub(crate) mod setup;
pub mod tuning;

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::Move;

use crate::interval::Interval;
use crate::men;
use crate::pair::Pair;
use crate::reconstruct::beam::Beam;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::gap::Gap;
use crate::reconstruct::hypothesis::{Pressed, Scene};
use crate::reconstruct::identified::Identified;
use crate::reconstruct::line::Line;
use crate::reconstruct::occupancy::Occupancy;
use crate::reconstruct::record::Record;
use crate::reconstruct::sensing::Sensing;
use crate::reconstruct::tuning::Tuning;

/// Without a clock a move must stand this long.
pub(crate) const SETTLE_TIME: Duration = Duration::from_secs(2);

/// What a square leaves unexplained grows for so long.
const AGES: Duration = Duration::from_secs(8);

/// What the clock says, as far as it decides what was played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockView {
    pub(crate) present: bool,
    pub(crate) runs: Option<Color>,
    /// The side of the clock that is White's.
    pub(crate) white: ClockSide,
    /// When a clock last began or ceased to run.
    pub(crate) changed_at: Instant,
    pub(crate) times: Pair<Option<ClockTime>>,
}

/// Something the decoder concluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
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
    /// The board is heard again, and moves were made meanwhile.
    LinkGap,
    /// Moves that came in several orders became sure in one of them: the squares of those that differ.
    Ambiguous { squares: u64 },
    /// No legal way leads to what stands on the board after a gap.
    Unreachable,
    /// The gap is mended.
    InStep,
}

/// The sure moves, and what may have been played since.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    pub(crate) record: Record,
    beam: Beam,
    /// Presses heard while nobody knew what stood on the board.
    unheard: Vec<Pressed>,
    /// The last change of the board for which moves were looked for that it never showed, and how many presses waited then.
    looked: Option<(Instant, usize)>,
    /// The one that was looked at without what was odd before.
    reread_at: Option<Instant>,
    /// The last change of the board for which rivals of the best reading were looked for.
    rivals_of: Option<Instant>,
    /// The last presses that were heard, the latest at the end.
    heard: Vec<Pressed>,
    gap: Option<Gap>,
    /// Captures that explain the board equally well, where a rule of completion is met.
    open: Vec<Move>,
    /// Those of which one was chosen in the end, because nothing told which.
    guessed: Vec<Move>,
    scan: Duration,
    tuning: Tuning,
    /// A clock tells presses.
    clocked: bool,
    /// Whose clock runs.
    runs: Option<Color>,
}

/// How moves are read from what this board tells.
pub(crate) fn sensing_of(board: &PhysicalBoard) -> &'static dyn Sensing {
    if board.identifies() { &Identified } else { &Occupancy }
}

impl Decoder {
    pub(crate) fn new(record: Record, scan: Duration, tuning: Tuning) -> Decoder {
        Decoder {
            record,
            beam: Beam::new(0),
            unheard: Vec::new(),
            looked: None,
            reread_at: None,
            rivals_of: None,
            heard: Vec::new(),
            gap: None,
            open: Vec::new(),
            guessed: Vec::new(),
            scan,
            tuning,
            clocked: false,
            runs: None,
        }
    }

    /// The moves that stand on the board and are not sure yet, as far as can be told.
    pub(crate) fn line(&self) -> &Line {
        &self.beam.best().line
    }

    /// The board's own time of a scan is known.
    pub(crate) fn set_scan(&mut self, scan: Duration) {
        self.scan = scan;
    }

    /// Forgets what is not sure.
    pub(crate) fn forget_tentative(&mut self) {
        self.beam = Beam::new(self.beam.best().dead);
        self.unheard.clear();
        self.open.clear();
        self.guessed.clear();
        self.looked = None;
        self.rivals_of = None;
        self.heard.clear();
        self.gap = None;
    }

    /// Some reading, the best one or another, explains all that the board shows.
    pub(crate) fn explains(&self, board: &PhysicalBoard) -> bool {
        let base = self.record.node();
        self.beam.iter().any(|reading| men::same(&reading.line.top(base).men, board.men()))
    }

    /// While the best reading leaves unexplained what another one explains, it grows worse step by step.
    fn add_aging_deadline(&self, now: Instant, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        let differs = men::difference(&self.line().top(self.record.node()).men, board.men());
        if differs == 0 || now >= board.last_change().after(AGES) || !self.explains(board) {
            return;
        }
        at(explain::last_step(now, board).after(explain::STEP));
    }

    /// What stands on the board now is none of this game's moves.
    pub(crate) fn disregard_board(&mut self, board: &PhysicalBoard) {
        self.forget_tentative();
        self.looked = Some((board.last_change(), self.beam.best().waiting.len()));
        self.reread_at = Some(board.last_change());
    }

    /// A king on a centre square that nobody pressed is no move.
    pub(crate) fn drop_half_gestures(&mut self) {
        self.beam.drop_half_gestures();
    }

    /// Captures that explain the board equally well (`reconstruct/README.md#3.5`).
    pub(crate) fn open(&self) -> impl Iterator<Item = Move> {
        self.guessed.iter().chain(&self.open).copied()
    }

    fn presses(&self) -> impl Iterator<Item = Pressed> {
        self.beam.best().presses().chain(self.unheard.iter().copied())
    }

    /// Presses wait for their moves.
    pub(crate) fn press_pending(&self) -> bool {
        self.presses().next().is_some()
    }

    /// A press of `by`, heard until `until`, waits for its move.
    pub(crate) fn pressed_by(&self, by: Color, until: Instant) -> bool {
        self.presses().any(|pressed| pressed.by == by && pressed.at.latest <= until)
    }

    /// When a press of `by` was made that waits for its move.
    pub(crate) fn waiting_press(&self, by: Color) -> Option<Interval> {
        self.presses().find(|pressed| pressed.by == by).map(|pressed| pressed.at)
    }

    fn scene<'a>(&self, now: Instant, board: &'a PhysicalBoard) -> Scene<'a> {
        let sensing = sensing_of(board);
        let tuning = sensing.tuning(&self.tuning);
        Scene { now, board, clock: self.clocked, runs: self.runs, scan: self.scan, sensing, tuning }
    }

    /// The board changed.
    pub(crate) fn board_changed(&mut self, at: Instant, board: &PhysicalBoard) {
        self.append_changes_to_log(board);
        let scene = self.scene(at, board);
        self.beam.follow(self.record.node(), &scene);
    }

    /// Looks again at what waits, at `now`. A board that is not seen proves nothing: what it showed last may have been a piece on
    /// its way.
    pub(crate) fn review(&mut self, now: Instant, board: &PhysicalBoard, clock: &ClockView, out: &mut Vec<Conclusion>) {
        self.clocked = clock.present && self.tuning.presses;
        self.runs = clock.runs.filter(|_| self.clocked);
        if board.blind(now).is_some() {
            return;
        }
        let scene = self.scene(now, board);
        // The moves that nobody saw first, then the presses that may be theirs.
        if !self.unheard.is_empty() && self.mend_gap(clock, &scene, out) {
            self.beam.rank(self.record.node(), &scene);
        }
        if !self.is_settling_after_gap(now, board) {
            for pressed in core::mem::take(&mut self.unheard) {
                self.assign_press(pressed, now, board, out);
            }
        }
        self.beam.rank(self.record.node(), &scene);
        // What proves one move may prove the next as well.
        while self.mend_gap(clock, &scene, out)
            || self.settle_one(&scene, clock, out)
            || self.find_unseen_moves(&scene)
            || self.reread_board(&scene)
            || self.give_up_press(&scene, out)
        {
            self.beam.rank(self.record.node(), &scene);
        }
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
        if !men::same(&self.line().top(self.record.node()).men, board.men()) {
            at(board.last_change().after(self.scan));
        }
        self.add_aging_deadline(now, board, &mut at);
        self.add_completion_deadlines(now, board, clock, &mut at);
        self.add_press_deadlines(board, &mut at);
        self.add_repair_deadlines(now, board, &mut at);
        self.add_gap_deadlines(board, &mut at);
        next
    }
}
