//! Keeps the state of the physical board: the men that the sensors show, since when, and the changes of the last half minute.

pub(crate) mod dropouts;
mod first_change;
mod frames;
mod past;

use alloc::collections::VecDeque;
use core::time::Duration;

use flagfall_protocols::square::{Color, Placement, Reading, Square};
use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::board::dropouts::{Dropouts, may_be_by_hand};
use crate::reconstruct::board::frames::FrameHistory;
use crate::reconstruct::scan_time::ScanTimeEstimator;

/// The time for which past boards are kept.
const RING_AGE: Duration = Duration::from_secs(30);
/// The time after its link is up again within which a board reports all its squares. It does so within one or two seconds, or
/// never.
const REPORTS_WITHIN: Duration = Duration::from_secs(10);
/// The largest number of changes kept.
const RING_LEN: usize = 512;

/// The number of scans that a dropout of a man does not reach. After a longer time, the man was in a hand.
const DROPOUT_SCANS: u32 = 3;
/// The time that a dropout does not reach, also on a slow board. After a longer time, the man had fallen over.
const LONGEST_DROPOUT: Duration = Duration::from_millis(1500);
/// The longest time for which a player usually holds a man before capturing with it.
const IN_THE_HAND: Duration = Duration::from_secs(5);
/// The time of a scan until it is known.
const SCAN: Duration = Duration::from_millis(250);

/// One change of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// When the change was reported.
    pub(crate) at: Instant,
    /// The square, a1 = 0.
    pub(crate) square: u8,
    /// What the square showed before.
    pub(crate) before: u8,
}

/// The men that the sensors show, turned so that a1 is White's left-hand corner.
#[derive(Clone, Debug)]
pub(crate) struct PhysicalBoard {
    men: Men,
    changed_at: [Instant; 64],
    /// When each square changed before its last change.
    changed_before: [Instant; 64],
    last_change: Instant,
    rotated: bool,
    known: bool,
    /// A pawn on its last rank counts as the queen that will replace it (club points 26 to 28).
    pawns_promote: bool,
    /// Since when changes of the board may have been missed; none while all reports arrive.
    unseen_since: Option<Instant>,
    /// The link was lost: until all squares are reported, or until this moment, the position on the board is not known.
    blind_until: Option<Instant>,
    /// The board reports each square when it changes.
    reports_changes: bool,
    /// What the reports of all squares have shown.
    pub(crate) frames: FrameHistory,
    ring: VecDeque<Change>,
    /// Squares that have shown a man since the board was first seen.
    occupied: u64,
    /// The board reports which man stands on a square.
    identifies: bool,
    scan_time: ScanTimeEstimator,
    dropouts: Dropouts,
    /// The side whose clock runs.
    on_move: Option<Color>,
    /// A game is on. Before and after a game hands move men everywhere.
    playing: bool,
    scan: Duration,
}

impl PhysicalBoard {
    /// A board of which nothing is known. With `pawns_promote`, a pawn on its last rank counts as a queen.
    pub(crate) fn new(pawns_promote: bool) -> PhysicalBoard {
        PhysicalBoard {
            pawns_promote,
            men: [EMPTY; 64],
            changed_at: [Instant::ZERO; 64],
            changed_before: [Instant::ZERO; 64],
            last_change: Instant::ZERO,
            rotated: false,
            known: false,
            unseen_since: Some(Instant::ZERO),
            blind_until: None,
            reports_changes: false,
            frames: FrameHistory::default(),
            ring: VecDeque::with_capacity(RING_LEN),
            occupied: 0,
            identifies: true,
            scan_time: ScanTimeEstimator::new(),
            dropouts: Dropouts::new(),
            on_move: None,
            playing: false,
            scan: SCAN,
        }
    }

    /// A board that shows these men and has shown nothing else.
    pub(crate) fn showing(men: &Men) -> PhysicalBoard {
        PhysicalBoard { men: *men, known: true, unseen_since: None, ..PhysicalBoard::new(false) }
    }

    /// The man on each square now.
    pub(crate) fn men(&self) -> &Men {
        &self.men
    }

    /// True if the board reports which man stands on a square; false if it only reports that a square is occupied.
    pub(crate) const fn identifies(&self) -> bool {
        self.identifies
    }

    /// True after the first report of all squares.
    pub(crate) fn known(&self) -> bool {
        self.known
    }

    /// True if White sits at the right-hand side, seen from the connector of the board.
    pub(crate) fn rotated(&self) -> bool {
        self.rotated
    }

    /// When any square last changed.
    pub(crate) fn last_change(&self) -> Instant {
        self.last_change
    }

    /// When any square of `mask` last changed.
    pub(crate) fn changed_at(&self, mask: u64) -> Instant {
        men::squares(mask).map(|square| self.changed_at[square.index()]).max().unwrap_or(Instant::ZERO)
    }

    /// When any square of `mask` changed before its last change.
    pub(crate) fn changed_before(&self, mask: u64) -> Instant {
        men::squares(mask).map(|square| self.changed_before[square.index()]).max().unwrap_or(Instant::ZERO)
    }

    /// When the first of the squares of `mask` changed, counting the last change of each square.
    pub(crate) fn changed_first(&self, mask: u64) -> Instant {
        men::squares(mask).map(|square| self.changed_at[square.index()]).min().unwrap_or(Instant::ZERO)
    }

    /// Stores the report of one square. True if the square changed.
    pub(crate) fn square(&mut self, at: Instant, square: Square, reading: Reading) -> bool {
        self.reports_changes = true;
        let changed = self.show_square(at, square, reading);
        if changed {
            self.scan_time.report(at, square);
        }
        changed
    }

    fn show_square(&mut self, at: Instant, square: Square, reading: Reading) -> bool {
        self.set_square(at, self.as_white_sees(square).index(), men::of_reading(reading))
    }

    /// Translates a square of the device to the square that White sees.
    fn as_white_sees(&self, square: Square) -> Square {
        if self.rotated { square.rotated() } else { square }
    }

    /// The longest time from a change to its report, if it was learnt from the reports.
    pub(crate) fn learnt_scan(&self) -> Option<Duration> {
        self.scan_time.scan()
    }

    /// The longest time from a change to its report: first the time of the device family, later the time of this board.
    pub(crate) fn scan(&self) -> Duration {
        self.scan
    }

    /// Sets the time of a scan.
    pub(crate) fn set_scan(&mut self, scan: Duration) {
        self.scan = scan;
    }

    /// Sets whose clock runs while the next reports come, and whether a game is on.
    pub(crate) fn set_on_move(&mut self, side: Option<Color>, playing: bool) {
        (self.on_move, self.playing) = (side, playing);
    }

    /// The dropouts of every square and every man.
    pub(crate) fn dropouts(&self) -> &Dropouts {
        &self.dropouts
    }

    /// True if this square has had too many dropouts. The cause may be its sensor or the chip of the man on it.
    pub(crate) fn weak(&self, square: usize, now: Instant) -> bool {
        self.dropouts.weak(square, self.standing(), now)
    }

    /// The number of men on the board.
    pub(crate) fn standing(&self) -> usize {
        standing(&self.men)
    }

    /// Stores a report of all squares. True if a square changed or if this is the first such report.
    pub(crate) fn frame(&mut self, at: Instant, frame: &Placement) -> bool {
        let mut changed = !self.known;
        self.known = true;
        self.blind_until = None;
        let unchanged = self.frames.begin(at, self.unseen_since.take(), self.scan);
        for square in Square::all() {
            let before = self.changed_at(self.as_white_sees(square).bit());
            let shows = self.show_square(at, square, frame.get(square));
            changed |= shows;
            if shows && self.reports_changes {
                self.frames.note_change(at, before.max(unchanged));
            }
        }
        changed
    }

    /// True if this square has ever shown a man, so that its sensor works.
    pub(crate) fn has_shown_a_man(&self, square: u8) -> bool {
        self.occupied & (1 << square) != 0
    }

    /// Notes that the board is not heard any more.
    pub(crate) fn lose(&mut self, at: Instant) {
        self.frames.set_answer_due(None);
        self.unseen_since.get_or_insert(at);
    }

    /// Notes that the link to the board is down, or up again.
    pub(crate) fn link(&mut self, at: Instant, up: bool) {
        if !up {
            self.blind_until = Some(Instant(u64::MAX));
        } else if self.blind_until.is_some() {
            self.blind_until = Some(at.after(REPORTS_WITHIN));
        }
    }

    /// Until when the position on the board stays unknown if no report comes; none if the position is known.
    pub(crate) fn blind(&self, now: Instant) -> Option<Instant> {
        self.blind_until.filter(|&until| now < until)
    }

    /// Until when the board has certainly shown what it shows now. While it does not answer, only its last change proves that it was heard,
    /// and its first report of all squares after that says nothing of the time between.
    pub(crate) fn shown_until(&self, now: Instant) -> Instant {
        match (self.unseen_since, self.frames.gap) {
            (Some(since), _) => since.max(self.last_change),
            (None, Some((since, told))) if told == now => since,
            _ => now,
        }
    }

    /// Since when changes may have been missed; none while the board is heard.
    pub(crate) fn unseen_since(&self) -> Option<Instant> {
        self.unseen_since
    }

    /// True if the board was heard all the time since `at`.
    pub(crate) fn seen_since(&self, at: Instant) -> bool {
        self.unseen_since.is_none() && self.frames.gap.is_none_or(|(_, seen)| seen <= at)
    }

    /// The interval in which a change was made that the board showed at `at`.
    pub(crate) fn done_within(&self, at: Instant, scan: Duration) -> Interval {
        let told = [self.frames.gap, self.frames.lost].into_iter().flatten().find(|(_, told)| *told == at);
        told.map_or(Interval::seen(at, scan), |(since, at)| Interval { earliest: since, latest: at })
    }

    /// When a movement that changed these squares was made. If a report was lost: after the first of these changes.
    pub(crate) fn moved_within(&self, mask: u64, scan: Duration) -> Interval {
        let at = self.changed_at(mask);
        let made = self.done_within(at, scan);
        let begun = if self.is_first_after_gap(at) { Instant::ZERO } else { self.changed_first(mask).before(scan) };
        Interval { earliest: made.earliest.max(begun).min(made.latest), ..made }
    }

    /// Turns the board by 180 degrees: the same men are seen from the other side.
    pub(crate) fn turn_round(&mut self) {
        self.rotated = !self.rotated;
        self.men.reverse();
        self.changed_at.reverse();
        self.changed_before.reverse();
        self.occupied = self.occupied.reverse_bits();
        self.dropouts.turn_round();
        self.ring.clear();
    }

    fn set_square(&mut self, at: Instant, index: usize, man: u8) -> bool {
        let man = if self.pawns_promote && men::on_last_rank(man, index) { man + men::PAWN_TO_QUEEN } else { man };
        self.occupied |= u64::from(man != EMPTY) << index;
        self.identifies &= man != men::OCCUPIED;
        if self.men[index] == man {
            return false;
        }
        while self.ring.front().is_some_and(|oldest| at.since(oldest.at) > RING_AGE) || self.ring.len() >= RING_LEN {
            self.ring.pop_front();
        }
        if self.playing && man != EMPTY && self.is_dropout(at, index, man) {
            self.dropouts.note(at, index);
        }
        self.ring.push_back(Change { at, square: index as u8, before: self.men[index] });
        self.men[index] = man;
        self.changed_before[index] = core::mem::replace(&mut self.changed_at[index], at);
        self.last_change = at;
        true
    }

    /// True if the square lost `man`, which it shows again at `at`, because of a sensor and not because of a hand.
    fn is_dropout(&self, at: Instant, index: usize, man: u8) -> bool {
        let (gone, lasted) = (self.changed_at[index], at.since(self.changed_at[index]));
        if lasted >= (self.scan * DROPOUT_SCANS).min(LONGEST_DROPOUT)
            || self.last_change_of(index).is_none_or(|last| last.before != man)
        {
            return false;
        }
        // The player who has the move may adjust men. If it is not known whose time or whose man it is, both players may.
        let own_time = self.on_move.is_none() || men::color(man).is_none_or(|color| Some(color) == self.on_move);
        if self.men[index] == EMPTY && own_time && may_be_by_hand(lasted, self.scan) {
            return false;
        }
        // A real man that was shown for a moment, or another man that looks the same, must have left another square or come to
        // it.
        let like_a_man = !matches!(self.men[index], EMPTY | UNKNOWN) || man == men::OCCUPIED;
        let alone = || {
            self.ring
                .iter()
                .rev()
                .take_while(|change| change.at >= gone.before(self.scan))
                .all(|change| usize::from(change.square) == index)
        };
        !like_a_man || (alone() && !self.may_replace_another(gone, man))
    }

    /// True if a man that was in a hand may now stand where another man did. This matters where all men look the same: the board
    /// then has fewer men than before.
    fn may_replace_another(&self, gone: Instant, man: u8) -> bool {
        let most = || self.past(gone.before(IN_THE_HAND)).map(|(_, men)| standing(&men)).max().unwrap_or(0);
        man == men::OCCUPIED && self.standing() + 1 < most()
    }

    fn last_change_of(&self, index: usize) -> Option<&Change> {
        self.ring.iter().rev().find(|change| usize::from(change.square) == index)
    }

    /// The changes of one square that are kept, the latest one first.
    pub(crate) fn changes_of(&self, square: u8) -> impl Iterator<Item = Change> {
        self.ring.iter().rev().copied().filter(move |change| change.square == square)
    }

    /// True if this man stands on any square, or has stood on one since `from`.
    pub(crate) fn showed(&self, man: u8, from: Instant) -> bool {
        self.men.contains(&man) || self.ring.iter().rev().take_while(|change| change.at > from).any(|change| change.before == man)
    }

    /// The squares that changed at this moment.
    pub(crate) fn changed_then(&self, at: Instant) -> u64 {
        self.ring.iter().rev().take_while(|change| change.at == at).fold(0, |mask, change| mask | 1 << change.square)
    }
}

fn standing(men: &Men) -> usize {
    men.iter().filter(|&&man| man != EMPTY).count()
}
