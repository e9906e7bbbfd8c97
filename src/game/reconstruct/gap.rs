//! Recovers the moves that were made while the board was not heard (`reconstruct/README.md#3.6`).
//!
//! If the board has a log of its own, the log reports them in their order. Without a log, the shortest legal paths from the last
//! sure position to the position on the board are searched.

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

/// The longest time for which the decoder waits for a log. A whole log takes 8.3 s at 9600 baud, and the driver itself gives up
/// if it does not come.
const LOG: Duration = Duration::from_secs(25);
/// The longest time for which the decoder waits for the log if there is only one path.
const ONE_WAY: Duration = Duration::from_millis(2500);
/// The time for which a log is kept that was read and does not explain the board, because a man is in a hand.
const READ: Duration = Duration::from_secs(6);
/// The largest number of changes and presses that are kept after a log.
const MOST_STEPS: usize = 8192;
/// The time for which a position to which no path leads must have stood.
const MIN_STAND_TIME: Duration = Duration::from_secs(1);
/// The smallest unexplained cost at which paths are searched, in tenths of a nat.
const UNEXPLAINED: i32 = 45;
/// The largest number of positions that one search may visit. If the board changes again, the search is repeated.
const NODES: u32 = 20_000;
/// The largest number of paths that are kept as readings.
const WAYS: usize = 12;

/// A gap that is not mended yet.
#[derive(Clone, Debug)]
pub(super) struct Gap {
    /// From the last report before the gap to the first report of all squares after it.
    unheard: Interval,
    /// Until when the decoder waits for the log.
    log_until: Option<Instant>,
    download: LogDownload,
    /// The steps of the log and what came after it, and the board at their end.
    replay: Option<(Replay, Men)>,
    /// The change of the board for which the gap was last examined.
    looked: Option<Instant>,
    /// Paths were found by the search.
    searched: bool,
    /// The board shows the position before the gap, but moves were made.
    hidden: bool,
    unreachable: bool,
}

impl Gap {
    fn awaits_log(&self, now: Instant) -> bool {
        self.log_until.is_some_and(|until| now < until)
    }
}

impl Decoder {
    /// Begins a gap: the board has reported all its squares after a time in which it was not heard. True if the board should be
    /// asked for its log.
    pub(crate) fn begin_gap(&mut self, since: Instant, now: Instant, board: &PhysicalBoard, out: &mut Vec<Conclusion>) -> bool {
        let differs = !men::same(&self.line().top(self.record.node()).men, board.men());
        differs && self.open_gap(since, now, false, out)
    }

    /// Since when the board was not heard before the gap that is open, if one is.
    pub(crate) fn gap_began(&self) -> Option<Instant> {
        self.gap.as_ref().map(|gap| gap.unheard.earliest)
    }

    /// Begins a gap whose moves led back to the position before it, as the clock shows. True if the board should be asked for its log.
    pub(crate) fn begin_hidden_gap(&mut self, since: Instant, now: Instant, out: &mut Vec<Conclusion>) -> bool {
        self.open_gap(since, now, true, out)
    }

    fn open_gap(&mut self, since: Instant, now: Instant, hidden: bool, out: &mut Vec<Conclusion>) -> bool {
        out.push(Conclusion::LinkGap);
        let log_until = self.tuning.log.then(|| now.after(LOG));
        self.gap = Some(Gap {
            unheard: Interval { earliest: since, latest: now },
            log_until,
            download: LogDownload::default(),
            replay: None,
            looked: None,
            searched: false,
            hidden,
            unreachable: false,
        });
        self.tuning.log
    }

    /// Stores an entry of the board's log.
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
        // A man may be in a hand while the log is read: later changes are added to the log.
        gap.log_until = gap.replay.is_some().then(|| now.after(READ));
    }

    /// Adds a change of the board to a log that does not explain the board yet.
    pub(super) fn append_changes_to_log(&mut self, board: &PhysicalBoard) {
        let Some((replay, shown)) = self.gap.as_mut().and_then(|gap| gap.replay.as_mut()) else { return };
        let placement = men::placement(board.men());
        if replay.steps.len() < MOST_STEPS {
            for (index, square) in men::squares(men::difference(shown, board.men())).enumerate() {
                replay.steps.push(Step::Square { square, reading: placement.get(square), quick: index > 0 });
            }
        }
        *shown = *board.men();
    }

    /// Adds a press to a log that does not explain the board yet.
    pub(super) fn append_press_to_log(&mut self, by: Color, clock: &ClockView) {
        let Some((replay, _)) = self.gap.as_mut().and_then(|gap| gap.replay.as_mut()) else { return };
        if let Some(time) = time_of(by, &clock.times).filter(|_| replay.steps.len() < MOST_STEPS) {
            replay.steps.push(Step::Press { side: side_of(by, clock.white), time });
        }
    }

    /// True while moves cannot become sure because the log is awaited: for a short time if there is only one path, else until the
    /// wait for the log ends.
    pub(super) fn waits_for_log(&self, now: Instant) -> bool {
        let only = self.beam.margin() >= self.tuning.weights.margin;
        let short = |gap: &Gap| only && gap.replay.is_none() && now >= gap.unheard.latest.after(ONE_WAY);
        self.gap.as_ref().is_some_and(|gap| gap.awaits_log(now) && !short(gap))
    }

    /// True while the moves of a gap are not sure yet.
    pub(crate) fn has_gap(&self) -> bool {
        self.gap.is_some()
    }

    /// True if no path leads from the sure moves to the board after a gap, and no log is awaited that might show one.
    pub(crate) fn is_lost(&self, now: Instant) -> bool {
        self.gap.as_ref().is_some_and(|gap| gap.unreachable && !gap.awaits_log(now))
    }

    /// How many of the last presses were heard after the gap.
    pub(crate) fn presses_after_gap(&self) -> usize {
        let after = |gap: &Gap| self.heard.iter().filter(|press| press.at.latest > gap.unheard.latest).count();
        self.gap.as_ref().map_or(0, after)
    }

    /// The first position after a gap may show a man on its way: while this is true, no press is given to a move.
    pub(super) fn is_settling_after_gap(&self, now: Instant, board: &PhysicalBoard) -> bool {
        let just = |gap: &Gap| now < board.last_change().after(self.scan).min(gap.unheard.latest.after(MIN_STAND_TIME));
        self.gap.as_ref().is_some_and(just) && !self.explains(board)
    }

    /// True if the press may belong to a move of the gap: it is not known which side had the move then.
    pub(super) fn is_in_gap(&self, press: Interval) -> bool {
        self.gap.as_ref().is_some_and(|gap| press.earliest <= gap.unheard.latest)
    }

    /// Mends the gap, if there is one. True if a reading was added.
    pub(super) fn mend_gap(&mut self, clock: &ClockView, scene: &Scene<'_>, out: &mut Vec<Conclusion>) -> bool {
        let Some(gap) = &self.gap else { return false };
        let changed = scene.board.last_change();
        if gap.looked == Some(changed) {
            return self.end_gap(scene, out);
        }
        let added = self.add_ways(clock, scene);
        self.note_ends_in_gap();
        self.beam.rank(self.record.node(), scene);
        added
    }

    /// Adds readings with the moves that the log or the search finds. True if a reading was added.
    fn add_ways(&mut self, clock: &ClockView, scene: &Scene<'_>) -> bool {
        let Some(gap) = &self.gap else { return false };
        let (base, changed) = (self.record.node(), scene.board.last_change());
        let unheard = gap.unheard;
        let known = self.line().clone();
        let told = gap.replay.as_ref().and_then(|(replay, _)| {
            let men = scene.board.men();
            moves_of(replay, base, men, clock.white).or_else(|| self.replay_from_log(replay, men, *clock))
        });
        if let Some(moves) = told {
            // The man of the last move may still be on its way.
            let shorter = moves.split_last().map(|(_, before)| self.hypothesis_from_log(before, &known, unheard, scene));
            let way = self.hypothesis_from_log(&moves, &known, unheard, scene);
            self.beam.replace_with_logged(way, shorter);
            if let Some(gap) = &mut self.gap {
                (gap.looked, gap.replay, gap.log_until) = (Some(changed), None, None);
                gap.hidden &= moves.is_empty();
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

    /// Notes in each reading whether its last move, made in the gap, ends the game.
    fn note_ends_in_gap(&mut self) {
        for reading in self.beam.iter_mut() {
            let ends = reading.line.last().is_some_and(|last| last.repaired)
                && self.record.ending_of_line(reading.line.plies()).is_some();
            if let Some(last) = reading.line.plies_mut().last_mut() {
                last.ends_game = ends;
            }
        }
    }

    /// The reading with the moves of the log.
    fn hypothesis_from_log(&self, moves: &[Move], known: &Line, unheard: Interval, scene: &Scene<'_>) -> Hypothesis {
        let mut way = self.hypothesis_from_moves(moves, known, unheard, scene);
        way.line.plies_mut().iter_mut().for_each(|ply| ply.logged = true);
        way.judge(self.record.node(), scene);
        way
    }

    /// The reading with these moves. The first moves that the best reading has too keep their times and presses.
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

    /// Ends the gap: everything is explained.
    pub(crate) fn close_gap(&mut self, out: &mut Vec<Conclusion>) {
        if self.gap.take().is_some() {
            out.push(Conclusion::InStep);
        }
    }

    /// Ends the gap when a reading explains the board and the moves of the gap are sure.
    fn end_gap(&mut self, scene: &Scene<'_>, out: &mut Vec<Conclusion>) -> bool {
        let shown = men::same(&self.line().top(self.record.node()).men, scene.board.men());
        let mended = shown && !self.line().plies().iter().any(|ply| ply.repaired) && !self.waits_for_log(scene.now);
        let stands = scene.now >= scene.board.last_change().after(MIN_STAND_TIME);
        let explained = self.explains(scene.board);
        let Some(gap) = &mut self.gap else { return false };
        if mended && gap.hidden {
            // Nothing shows which moves they were: the alarms stay open until an arbiter has seen them.
            self.gap = None;
            out.push(Conclusion::Ambiguous { squares: 0 });
        } else if mended {
            self.close_gap(out);
        } else if !explained && stands && (!gap.awaits_log(scene.now) || gap.replay.is_some()) && !gap.unreachable {
            gap.unreachable = true;
            out.push(Conclusion::Unreachable);
        }
        false
    }

    /// If several paths lead to the same position, and no evidence can separate them any more: the squares of the moves that
    /// differ.
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

    /// The squares of the first moves of all readings that are as good as the best one, if no board has shown these moves and all
    /// these readings lead to the same position by their second move: nothing that is played later can show which first move was
    /// made. A pawn that went one square and was captured there looks like one that went two squares and was captured in passing.
    pub(super) fn squares_of_unseen_moves(&self, margin: i32) -> Option<u64> {
        let best = self.beam.best();
        let [first, second, ..] = best.line.plies() else { return None };
        let alike = |rival: &Hypothesis| match rival.line.plies() {
            [one, two, ..] => !one.seen && one.pressed == first.pressed && two.node.position == second.node.position,
            _ => false,
        };
        let mut rivals = self.beam.iter().filter(|rival| rival.evidence_cost() < best.evidence_cost() + margin);
        rivals.all(alike).then(|| self.first_move_squares(margin))
    }

    /// The squares of the first moves of all readings that are as good as the best one.
    pub(super) fn first_move_squares(&self, margin: i32) -> u64 {
        let most = self.beam.best().evidence_cost() + margin;
        let good = self.beam.iter().filter(|rival| rival.evidence_cost() < most);
        good.filter_map(|rival| rival.line.plies().first()).fold(0, |squares, ply| squares | ply.mask)
    }

    pub(super) fn add_gap_deadlines(&self, board: &PhysicalBoard, at: &mut impl FnMut(Instant)) {
        if let Some(gap) = &self.gap {
            at(board.last_change().after(self.scan));
            at(board.last_change().after(MIN_STAND_TIME));
            at(gap.unheard.latest.after(ONE_WAY));
            if let Some(until) = gap.log_until {
                at(until);
            }
        }
    }
}

/// The shortest paths to the position on the board, for each side to move at the end.
fn find_shortest_ways(decoder: &Decoder, scene: &Scene<'_>, ways: &mut Vec<Vec<Move>>) {
    let base = decoder.record.node();
    for turn in [Color::White, Color::Black] {
        let limits = Limits { least: 1, most: search::MOST_PLIES, turn_after: Some(turn), nodes: NODES, paths: WAYS };
        let found = search::paths(&base.position, scene.board.men(), limits);
        ways.extend(found.paths);
    }
    // A path that needs one move more because the other side must have the move is not less likely.
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
