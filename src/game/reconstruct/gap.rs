//! After a time in which nothing was heard of the board: the moves that were made meanwhile (`reconstruct/README.md#3.6`).
//!
//! The board's own log tells them in their order, where there is one; else the shortest legal ways from the last sure position
//! to what stands now.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::{ClockSide, LogEntry};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::Move;

use crate::interval::Interval;
use crate::men::{self, Men};
use crate::pair::Pair;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::hypothesis::{Hypothesis, Scene};
use crate::reconstruct::line::{Line, Tentative};
use crate::reconstruct::log::{Known, LogDownload, Replay, Step, moves_of};
use crate::reconstruct::search::{self, Limits};
use crate::reconstruct::{ClockView, Conclusion, Decoder};

/// A log that was asked for is waited for so long: all of it takes 8.3 s at 9600 baud, and the driver gives it up by itself.
const LOG: Duration = Duration::from_secs(25);
/// Where one way is left the log is waited for only so long.
const ONE_WAY: Duration = Duration::from_millis(2500);
/// A log that was read and does not explain the board, because a man is in a hand, is kept so long.
const READ: Duration = Duration::from_secs(6);
/// Changes and presses that may follow a log.
const MOST_STEPS: usize = 8192;
/// A board that nothing leads to must have stood so long.
const MIN_STAND_TIME: Duration = Duration::from_secs(1);
/// The least that must be unexplained before ways are looked for.
const UNEXPLAINED: i32 = 45;
/// Work for one look: a board that changes again is looked at again.
const NODES: u32 = 20_000;
/// Ways that are kept as hypotheses.
const WAYS: usize = 12;

/// What is being mended.
#[derive(Clone, Debug)]
pub(super) struct Gap {
    /// Nothing was heard since then, until the board told all its squares.
    unheard: Interval,
    /// The log is waited for until then.
    log_until: Option<Instant>,
    download: LogDownload,
    /// What the log says and what came after it, and the board that it ends with.
    replay: Option<(Replay, Men)>,
    /// The change of the board that was looked at last.
    looked: Option<Instant>,
    /// Ways were looked for.
    searched: bool,
    unreachable: bool,
}

impl Decoder {
    /// The board has told all its squares after a time in which it was not heard. True if its log is to be asked for.
    pub(crate) fn begin_gap(&mut self, since: Instant, now: Instant, board: &PhysicalBoard, out: &mut Vec<Conclusion>) -> bool {
        if men::same(&self.line().top(self.record.node()).men, board.men()) {
            return false;
        }
        out.push(Conclusion::LinkGap);
        let log_until = self.tuning.log.then(|| now.after(LOG));
        self.gap = Some(Gap {
            unheard: Interval { earliest: since, latest: now },
            log_until,
            download: LogDownload::default(),
            replay: None,
            looked: None,
            searched: false,
            unreachable: false,
        });
        self.tuning.log
    }

    /// An entry of the board's log came.
    pub(crate) fn take_log_entry(&mut self, now: Instant, entry: LogEntry, board: &PhysicalBoard, white: ClockSide) {
        let Some(gap) = &mut self.gap else { return };
        if !gap.download.take(entry) {
            return;
        }
        let last = self.record.moves().last().filter(|last| last.pressed.is_some());
        let last_press = last.and_then(|last| Some((side_of(last.color, white), time_of(last.color, &last.clocks)?)));
        let known = Known { men: &self.record.node().men, rotated: board.rotated(), last_press };
        gap.replay = gap.download.replay(&known).map(|replay| (replay, *board.men()));
        gap.looked = None;
        // A man may be in a hand while the log is read: what follows is added to it.
        gap.log_until = gap.replay.is_some().then(|| now.after(READ));
    }

    /// What happens while a log is not understood yet follows it.
    pub(super) fn append_changes_to_log(&mut self, board: &PhysicalBoard) {
        let Some((replay, shown)) = self.gap.as_mut().and_then(|gap| gap.replay.as_mut()) else { return };
        let placement = men::placement(board.men());
        if replay.steps.len() < MOST_STEPS {
            for square in men::squares(men::difference(shown, board.men())) {
                replay.steps.push(Step::Square { square, reading: placement.get(square), quick: false });
            }
        }
        *shown = *board.men();
    }

    /// A press after the log was read.
    pub(super) fn append_press_to_log(&mut self, by: Color, clock: &ClockView) {
        let Some((replay, _)) = self.gap.as_mut().and_then(|gap| gap.replay.as_mut()) else { return };
        if let Some(time) = time_of(by, &clock.times).filter(|_| replay.steps.len() < MOST_STEPS) {
            replay.steps.push(Step::Press { side: side_of(by, clock.white), time });
        }
    }

    /// Moves are not sure while the log that may tell them is on its way: for a moment if there is one way only, else until it
    /// is given up.
    pub(super) fn waits_for_log(&self, now: Instant) -> bool {
        let only = self.beam.margin() >= self.tuning.weights.margin;
        let short = |gap: &Gap| only && gap.replay.is_none() && now >= gap.unheard.latest.after(ONE_WAY);
        self.gap.as_ref().is_some_and(|gap| gap.log_until.is_some_and(|until| now < until) && !short(gap))
    }

    /// Moves that nobody saw are not sure yet.
    pub(crate) fn has_gap(&self) -> bool {
        self.gap.is_some()
    }

    /// What the board showed first after a gap may be a man on its way: no presses are given to it yet.
    pub(super) fn is_settling_after_gap(&self, now: Instant, board: &PhysicalBoard) -> bool {
        let just = |gap: &Gap| now < board.last_change().after(self.scan).min(gap.unheard.latest.after(MIN_STAND_TIME));
        self.gap.as_ref().is_some_and(just) && !self.explains(board)
    }

    /// A press that may be one of moves nobody saw: whose turn it was then is not known.
    pub(super) fn is_in_gap(&self, press: Interval) -> bool {
        self.gap.as_ref().is_some_and(|gap| press.earliest <= gap.unheard.latest)
    }

    /// Mends the gap, if there is one; true if anything was found.
    pub(super) fn mend_gap(&mut self, clock: &ClockView, scene: &Scene<'_>, out: &mut Vec<Conclusion>) -> bool {
        let Some(gap) = &self.gap else { return false };
        let base = self.record.node();
        let changed = scene.board.last_change();
        if gap.looked == Some(changed) {
            return self.end_gap(scene, out);
        }
        let unheard = gap.unheard;
        let known = self.line().clone();
        let told = gap.replay.as_ref().and_then(|(replay, _)| {
            let men = scene.board.men();
            moves_of(replay, base, men, clock.white).or_else(|| self.replay_from_log(replay, men, *clock))
        });
        if let Some(moves) = told {
            // The last man may be on its way still.
            let shorter = moves.split_last().map(|(_, before)| self.hypothesis_from_log(before, &known, unheard, scene));
            let way = self.hypothesis_from_log(&moves, &known, unheard, scene);
            self.beam.replace_with_logged(way, shorter);
            if let Some(gap) = &mut self.gap {
                (gap.looked, gap.replay, gap.log_until) = (Some(changed), None, None);
            }
            return true;
        }
        let search = !gap.searched && self.beam.best().mismatch(base, scene) >= UNEXPLAINED;
        let mut ways = Vec::new();
        if search {
            find_shortest_ways(self, scene, &mut ways);
        }
        let ways: Vec<Hypothesis> = ways.iter().map(|moves| self.hypothesis_from_moves(moves, &known, unheard, scene)).collect();
        if let Some(gap) = &mut self.gap {
            gap.looked = Some(changed);
            gap.searched |= !ways.is_empty();
        }
        ways.into_iter().fold(false, |any, way| self.beam.add(way) | any)
    }

    /// A way that the log tells.
    fn hypothesis_from_log(&self, moves: &[Move], known: &Line, unheard: Interval, scene: &Scene<'_>) -> Hypothesis {
        let mut way = self.hypothesis_from_moves(moves, known, unheard, scene);
        way.line.plies_mut().iter_mut().for_each(|ply| ply.logged = true);
        way.judge(self.record.node(), scene);
        way
    }

    /// A way as a hypothesis; what is known of its first moves stays as it was.
    fn hypothesis_from_moves(&self, moves: &[Move], known: &Line, unheard: Interval, scene: &Scene<'_>) -> Hypothesis {
        let base = self.record.node();
        let mut way = Hypothesis { dead: self.beam.best().dead, ..Hypothesis::default() };
        for (ply, _) in known.plies().iter().zip(moves).take_while(|(ply, mv)| ply.mv == **mv) {
            way.line.push(ply.clone());
        }
        for &mv in &moves[way.line.plies().len()..] {
            let node = way.line.top(base);
            let Some(candidate) = node.table().iter().find(|candidate| candidate.mv == mv) else { break };
            let (color, after) = (men::turn(&node.position), node.after(mv));
            let mut ply = Tentative::unheard(candidate, color, unheard, after);
            let changed = scene.board.changed_at(candidate.mask);
            if changed > unheard.latest && way.line.plies().len() + 1 == moves.len() {
                (ply.made, ply.repaired) = (scene.board.done_within(changed, scene.scan), false);
            }
            way.line.push(ply);
        }
        way.take_presses_of(base, self.beam.best(), scene);
        way.judge(base, scene);
        way
    }

    /// The gap is over once a reading explains the board and its moves are sure.
    fn end_gap(&mut self, scene: &Scene<'_>, out: &mut Vec<Conclusion>) -> bool {
        let shown = men::same(&self.line().top(self.record.node()).men, scene.board.men());
        let mended = shown && !self.line().plies().iter().any(|ply| ply.repaired) && !self.waits_for_log(scene.now);
        let stands = scene.now >= scene.board.last_change().after(MIN_STAND_TIME);
        let explained = self.explains(scene.board);
        let Some(gap) = &mut self.gap else { return false };
        if mended {
            self.gap = None;
            out.push(Conclusion::InStep);
        } else if !explained && stands && (gap.log_until.is_none() || gap.replay.is_some()) && !gap.unreachable {
            gap.unreachable = true;
            out.push(Conclusion::Unreachable);
        }
        false
    }

    /// Several ways lead to the same position, and nothing tells them apart any more: the squares of the moves that differ.
    pub(super) fn squares_of_equal_orders(&self, margin: i32) -> Option<u64> {
        let best = self.beam.best();
        let base = self.record.node();
        let end = best.line.top(base);
        let rivals = || self.beam.iter().filter(|rival| rival.evidence_cost() < best.evidence_cost() + margin);
        let same = rivals().all(|rival| {
            let top = rival.line.top(base);
            top.men == end.men && men::turn(&top.position) == men::turn(&end.position)
        });
        same.then(|| self.first_move_squares(margin))
    }

    /// The squares of the first moves of all readings that are as good.
    pub(super) fn first_move_squares(&self, margin: i32) -> u64 {
        let most = self.beam.best().evidence_cost() + margin;
        let good = self.beam.iter().filter(|rival| rival.evidence_cost() < most);
        good.filter_map(|rival| rival.line.plies().first()).fold(0, |squares, ply| squares | ply.mask)
    }

    pub(super) fn add_gap_deadlines(&self, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        if let Some(gap) = &self.gap {
            at(board.last_change().after(MIN_STAND_TIME));
            at(gap.unheard.latest.after(ONE_WAY));
            if let Some(until) = gap.log_until {
                at(until);
            }
        }
    }
}

/// The shortest ways to the board as it stands, whoever is to move then.
fn find_shortest_ways(decoder: &Decoder, scene: &Scene<'_>, ways: &mut Vec<Vec<Move>>) {
    let base = decoder.record.node();
    for turn in [Color::White, Color::Black] {
        let limits = Limits { least: 1, most: search::MOST_PLIES, turn_after: Some(turn), nodes: NODES, paths: WAYS };
        let found = search::paths(&base.position, scene.board.men(), limits);
        ways.extend(found.paths);
    }
    // What takes one player more than the other is no likelier for it.
    if let Some(least) = ways.iter().map(Vec::len).min() {
        ways.retain(|way| way.len() <= least + 1);
    }
}

const fn side_of(color: Color, white: ClockSide) -> ClockSide {
    match color {
        Color::White => white,
        Color::Black => white.other(),
    }
}

fn time_of(color: Color, times: &Pair<Option<ClockTime>>) -> Option<ClockTime> {
    *times.get(color)
}
