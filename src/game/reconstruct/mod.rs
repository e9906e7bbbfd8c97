//! Reconstructs moves from changes of squares and presses (`reconstruct/README.md#3`).
//!
//! The decoder keeps every game that may have been played since the last sure move as a reading (a `Hypothesis`). It judges each
//! reading by everything that is known: the men that the board shows and has shown, the presses, and whose clock runs. A move
//! becomes sure when a rule of completion is met and every reading without this move is much worse.

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
mod joined;
pub(crate) mod line;
pub(crate) mod log;
pub(crate) mod made;
pub(crate) mod moves;
pub(crate) mod notation;
pub(crate) mod occupancy;
mod press;
pub mod record;
mod repair;
mod replay_from_log;
mod route;
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
use crate::reconstruct::hypothesis::{Hypothesis, Pressed, Scene};
use crate::reconstruct::identified::Identified;
use crate::reconstruct::line::Line;
use crate::reconstruct::made::MadeMoves;
use crate::reconstruct::occupancy::Occupancy;
use crate::reconstruct::record::Record;
use crate::reconstruct::sensing::Sensing;
use crate::reconstruct::tuning::Tuning;

/// The time after the last change for which the cost of an unexplained square grows.
const AGES: Duration = Duration::from_secs(8);

/// The state of the clock, as far as the decoder uses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockView {
    pub(crate) present: bool,
    pub(crate) runs: Option<Color>,
    /// The side of the clock at which White sits.
    pub(crate) white: ClockSide,
    /// When a clock last started or stopped.
    pub(crate) changed_at: Instant,
    pub(crate) times: Pair<Option<ClockTime>>,
}

/// A conclusion of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    /// The move with this index became sure.
    Sure { index: usize },
    /// The side to move pressed, and no man was moved (7.5.3).
    PressedWithoutMove { by: Color, at: Interval },
    /// The side to move pressed, and the board shows no legal move (7.5.1) or a pawn on the last rank (7.5.2).
    PressedIllegal { by: Color, at: Interval, pawn_stays: bool },
    /// The side to move pressed, no man was moved, and the opponent pressed back before the press could count.
    PressedBack { by: Color, at: Interval },
    /// The side that does not have the move pressed, and no move of that side is known.
    PressedOutOfTurn { by: Color, at: Interval },
    /// The board is heard again, and moves were made in the meantime.
    LinkGap,
    /// Moves that may have been made in several orders became sure in one of them. `squares` are the squares of the moves that
    /// differ.
    Ambiguous { squares: u64 },
    /// After a gap, no legal path leads to the position on the board.
    Unreachable,
    /// The gap is mended: the game explains the board again.
    InStep,
}

/// The sure moves, and the readings of what was played since then.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    pub(crate) record: Record,
    made: MadeMoves,
    beam: Beam,
    /// Presses that were heard while the position on the board was not known.
    unheard: Vec<Pressed>,
    /// The last change of the board after which `find_unseen_moves` searched, and how many presses were known then.
    looked: Option<(Instant, usize)>,
    /// The last change of the board after which `reread_board` made readings anew, and when the last press was heard that was known then;
    /// the largest possible moment stands for all later presses.
    reread_at: Option<(Instant, Instant)>,
    /// The last change of the board after which `add_rivals` compared the best reading with others, and the last press that was
    /// known then.
    rivals_of: Option<(Instant, Option<Pressed>)>,
    /// The last presses that were heard, the latest one at the end.
    heard: Vec<Pressed>,
    gap: Option<Gap>,
    /// When the last move became sure that may have been only the visible part of a longer one.
    unchecked: Option<Instant>,
    /// Captures that explain the board equally well while a rule of completion is met.
    open: Vec<Move>,
    /// Captures that explained the board equally well when one of them had to be chosen.
    guessed: Vec<Move>,
    scan: Duration,
    tuning: Tuning,
    /// A clock is present, and presses are used as evidence.
    clocked: bool,
    /// The side whose clock runs.
    runs: Option<Color>,
    /// The record begins with a position in which a man may be missing, because it was in a hand.
    start_doubtful: bool,
}

/// How moves are read from the reports of this kind of board.
pub(crate) fn sensing_of(board: &PhysicalBoard) -> &'static dyn Sensing {
    if board.identifies() { &Identified } else { &Occupancy }
}

impl Decoder {
    pub(crate) fn new(record: Record, scan: Duration, tuning: Tuning) -> Decoder {
        Decoder {
            record,
            made: MadeMoves::default(),
            beam: Beam::new(0),
            unheard: Vec::new(),
            looked: None,
            reread_at: None,
            rivals_of: None,
            heard: Vec::new(),
            gap: None,
            unchecked: None,
            open: Vec::new(),
            guessed: Vec::new(),
            scan,
            tuning,
            clocked: false,
            runs: None,
            start_doubtful: false,
        }
    }

    /// A decoder of the same board that begins with another record after `pressed`. It has seen what the board has shown since then, and
    /// heard the later presses: several moves may have been made until `now`.
    pub(crate) fn begin_after(
        &self,
        pressed: Interval,
        record: Record,
        (now, board): (Instant, &PhysicalBoard),
        out: &mut Vec<Conclusion>,
    ) -> Decoder {
        let mut next = Decoder::new(record, self.scan, self.tuning);
        next.beam = Beam::new(self.beam.best().dead);
        (next.clocked, next.runs) = (self.clocked, self.runs);
        let (mut past, changes) = board.rewound(pressed.latest);
        next.board_changed(pressed.latest, &past);
        let mut presses = self.heard.iter().filter(|press| press.at.latest > pressed.latest).peekable();
        for together in changes.chunk_by(|one, other| one.0 == other.0) {
            let at = together[0].0;
            while let Some(press) = presses.next_if(|press| press.at.latest < at) {
                next.assign_press(*press, press.at.latest, &past, out);
            }
            together.iter().for_each(|change| past.repeat_change(*change));
            next.board_changed(at, &past);
        }
        presses.for_each(|press| next.assign_press(*press, now, board, out));
        next
    }

    /// The pending moves of the best reading.
    pub(crate) fn line(&self) -> &Line {
        &self.beam.best().line
    }

    /// Sets the time that the board needs for a scan.
    pub(crate) fn set_scan(&mut self, scan: Duration) {
        self.scan = scan;
    }

    /// True if the best reading explains the board so well that its moves are believed: the board can have become what it shows by legal
    /// moves and hands that move men. After an illegal move that nobody noticed no reading does, and the best one may have moves that
    /// nobody played.
    pub(crate) fn is_believed(&self, now: Instant, board: &PhysicalBoard) -> bool {
        let scene = self.scene(now, board);
        self.beam.best().mismatch(self.record.node(), &scene) <= scene.tuning.weights.viable
    }

    /// Forgets everything that is not sure.
    pub(crate) fn forget_tentative(&mut self) {
        self.made = MadeMoves::default();
        self.beam = Beam::new(self.beam.best().dead);
        self.unheard.clear();
        self.open.clear();
        self.guessed.clear();
        self.looked = None;
        self.rivals_of = None;
        self.heard.clear();
        self.gap = None;
    }

    /// True if at least one reading explains everything that the board shows.
    pub(crate) fn explains(&self, board: &PhysicalBoard) -> bool {
        let base = self.record.node();
        self.beam.iter().any(|reading| men::same(&reading.line.top(base).men, board.men()))
    }

    /// Adds the next moment at which the costs of unexplained squares may change which reading is the best one, or whether it is
    /// clearly the best.
    fn add_aging_deadline(&self, now: Instant, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        let differing =
            |reading: &Hypothesis| men::difference(&reading.line.top(self.record.node()).men, board.men()).count_ones() as i32;
        if now >= board.last_change().after(AGES) {
            return;
        }
        let (best, margin) = (self.beam.best(), self.tuning.weights.margin);
        let grows = differing(best) * self.tuning.weights.growth_in(explain::STEP);
        let steps = if grows > 0 && self.explains(board) {
            Some(1)
        } else if board.identifies() {
            let until_close = |other: &Hypothesis| {
                let far = other.cost - best.cost - margin;
                (grows > 0 || (far < 0 && differing(other) > 0)).then(|| (far / grows.max(1)).max(1))
            };
            self.beam.iter().skip(1).filter_map(until_close).min()
        } else {
            None
        };
        if let Some(steps) = steps {
            at(explain::last_step(now, board).after(explain::STEP * steps as u32));
        }
    }

    /// The position on the board now does not come from moves of this game: it is not used to find moves.
    pub(crate) fn disregard_board(&mut self, board: &PhysicalBoard) {
        self.forget_tentative();
        self.looked = Some((board.last_change(), self.beam.best().presses().count()));
        self.reread_at = Some((board.last_change(), Instant(u64::MAX)));
    }

    /// Drops the readings that end in a king move to a centre square that was not pressed: such a move does not count.
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

    /// True if at least one press waits for its move.
    pub(crate) fn press_pending(&self) -> bool {
        self.presses().next().is_some()
    }

    /// True if a press of `by` that was heard until `until` waits for its move.
    pub(crate) fn pressed_by(&self, by: Color, until: Instant) -> bool {
        self.presses().any(|pressed| pressed.by == by && pressed.at.latest <= until)
    }

    /// The first press of `by` that waits for its move.
    pub(crate) fn waiting_press(&self, by: Color) -> Option<Interval> {
        self.presses().find(|pressed| pressed.by == by).map(|pressed| pressed.at)
    }

    /// True if a press waits in the best reading for a move that the board has not shown.
    pub(crate) fn press_waits(&self) -> bool {
        !self.beam.best().waiting.is_empty()
    }

    /// True if no board has shown the first pending move, and a report of all squares may show another one.
    pub(crate) fn may_hide_another_move(&self, board: &PhysicalBoard) -> bool {
        completion::may_hide_another_move(self.line().plies(), board)
    }

    /// The latest press since the last sure move.
    pub(crate) fn last_press(&self) -> Option<Instant> {
        self.presses().map(|pressed| pressed.at.latest).max()
    }

    /// When the last move became sure that may have been only the visible part of a longer one: if the reports of the rest were
    /// lost, nothing else shows it.
    pub(crate) fn unchecked_since(&self) -> Option<Instant> {
        self.unchecked
    }

    /// The squares on which the board differs from the best reading, without those whose sensors are taken to be dead.
    pub(crate) fn unexplained_squares(&self, board: &PhysicalBoard) -> u64 {
        men::difference(&self.line().top(self.record.node()).men, board.men()) & !self.beam.best().dead
    }

    fn scene<'a>(&self, now: Instant, board: &'a PhysicalBoard) -> Scene<'a> {
        let sensing = sensing_of(board);
        let tuning = sensing.tuning(&self.tuning);
        Scene { now, board, clock: self.clocked, runs: self.runs, scan: self.scan, sensing, tuning }
    }

    /// Extends the readings after a change of the board.
    pub(crate) fn board_changed(&mut self, at: Instant, board: &PhysicalBoard) {
        self.append_changes_to_log(board);
        let scene = self.scene(at, board);
        self.beam.follow(self.record.node(), &scene);
    }

    /// Concludes everything that can be concluded at `now`. A board that is not heard proves nothing: when it was last heard, a
    /// man may have been on its way to another square.
    pub(crate) fn review(&mut self, now: Instant, board: &PhysicalBoard, clock: &ClockView, out: &mut Vec<Conclusion>) {
        self.clocked = clock.present && self.tuning.presses;
        self.runs = clock.runs.filter(|_| self.clocked);
        if board.blind(now).is_some() {
            return;
        }
        let scene = self.scene(now, board);
        // The moves of a gap come first, because the presses may belong to them.
        if !self.unheard.is_empty() && self.mend_gap(clock, &scene, out) {
            self.beam.rank(self.record.node(), &scene);
        }
        if !self.is_settling_after_gap(now, board) {
            for pressed in core::mem::take(&mut self.unheard) {
                self.assign_press(pressed, now, board, out);
            }
        }
        self.beam.rank(self.record.node(), &scene);
        // Evidence for one move may be evidence for the next move too.
        while self.mend_gap(clock, &scene, out)
            || self.settle_one(&scene, clock, out)
            || self.find_unseen_moves(&scene)
            || self.reread_board(&scene)
            || self.give_up_press(&scene, out)
        {
            self.beam.rank(self.record.node(), &scene);
        }
    }

    /// The next moment after `now` at which [`Decoder::review`] may conclude something new.
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
        board.frames.answer_due().into_iter().for_each(&mut at);
        next
    }
}
