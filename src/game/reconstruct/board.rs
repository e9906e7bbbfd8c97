//! The physical board: what the sensors show, since when, and what they showed during the last half minute.

pub(crate) mod dropouts;

use alloc::collections::VecDeque;
use core::time::Duration;

use flagfall_protocols::square::{Color, Placement, Reading, Square};
use flagfall_protocols::time::Instant;

use crate::interval::Interval;
use crate::men::{self, EMPTY, Men, UNKNOWN};
use crate::reconstruct::board::dropouts::{Dropouts, may_be_by_hand};
use crate::reconstruct::scan_time::ScanTimeEstimator;

/// How long past boards are kept.
const RING_AGE: Duration = Duration::from_secs(30);
/// A board whose link is there again tells all its squares within a second or two, or never.
const REPORTS_WITHIN: Duration = Duration::from_secs(10);
/// How many changes are kept at most.
const RING_LEN: usize = 512;

/// Most scans that a square may show nothing where its man was read no better than before: a longer time is a hand's.
const DROPOUT_SCANS: u32 = 3;
/// Longer than this no sensor of a slow board misses a man: he was knocked over.
const LONGEST_DROPOUT: Duration = Duration::from_millis(1500);
/// Longer than this hardly anybody holds a man before he captures with him.
const IN_THE_HAND: Duration = Duration::from_secs(5);
/// The time of a scan until it is known.
const SCAN: Duration = Duration::from_millis(250);

/// One change of one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// When it was told.
    pub(crate) at: Instant,
    /// The square, a1 = 0.
    pub(crate) square: u8,
    /// What it showed before.
    pub(crate) before: u8,
}

/// What the sensors show, turned so that a1 is White's left-hand corner.
#[derive(Clone, Debug)]
pub(crate) struct PhysicalBoard {
    men: Men,
    changed_at: [Instant; 64],
    /// When the change before was.
    changed_before: [Instant; 64],
    last_change: Instant,
    rotated: bool,
    known: bool,
    /// A pawn on its last rank is the queen for which it will be exchanged (club points 26 to 28).
    pawns_promote: bool,
    /// Nobody knows what happened on the board since then.
    unseen_since: Option<Instant>,
    /// The link was lost: until the squares are told, or for so long, nobody knows what stands on the board now.
    blind_until: Option<Instant>,
    /// The first report of all squares after such a time: since when nothing was seen, and when it came.
    gap: Option<(Instant, Instant)>,
    /// Squares are told one by one as they change.
    reports_changes: bool,
    /// The last report of all squares that told a change of which no report had come: since when that may have been, and when it
    /// came.
    lost: Option<(Instant, Instant)>,
    ring: VecDeque<Change>,
    /// Squares that have shown a man since the board was first seen.
    occupied: u64,
    /// It tells which man stands where.
    identifies: bool,
    scan_time: ScanTimeEstimator,
    dropouts: Dropouts,
    /// Whose clock runs.
    on_move: Option<Color>,
    /// A game is on: before and after it hands are everywhere.
    playing: bool,
    scan: Duration,
}

impl PhysicalBoard {
    /// A board of which nothing is known; `pawns_promote`: a pawn on its last rank is read as a queen.
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
            gap: None,
            reports_changes: false,
            lost: None,
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

    /// What stands on each square now.
    pub(crate) fn men(&self) -> &Men {
        &self.men
    }

    /// It tells which man stands where, and not only that one does.
    pub(crate) const fn identifies(&self) -> bool {
        self.identifies
    }

    /// A full report of all squares has been seen.
    pub(crate) fn known(&self) -> bool {
        self.known
    }

    /// White sits at the board's right-hand side of the connector.
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

    /// When the first of the last changes of the squares of `mask` was.
    pub(crate) fn changed_first(&self, mask: u64) -> Instant {
        men::squares(mask).map(|square| self.changed_at[square.index()]).min().unwrap_or(Instant::ZERO)
    }

    /// Takes the report of one square; true if it changed anything.
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

    /// A square of the device, as White sees it.
    fn as_white_sees(&self, square: Square) -> Square {
        if self.rotated { square.rotated() } else { square }
    }

    /// The longest time from a change to its report, if that was learnt.
    pub(crate) fn learnt_scan(&self) -> Option<Duration> {
        self.scan_time.scan()
    }

    /// The longest time from a change to its report: the device family's, then the board's own.
    pub(crate) fn scan(&self) -> Duration {
        self.scan
    }

    /// The time of a scan is known.
    pub(crate) fn set_scan(&mut self, scan: Duration) {
        self.scan = scan;
    }

    /// Whose clock runs while the next reports come, and whether a game is on.
    pub(crate) fn set_on_move(&mut self, side: Option<Color>, playing: bool) {
        (self.on_move, self.playing) = (side, playing);
    }

    /// How often each square lost its man for moments and had it again.
    pub(crate) fn dropouts(&self) -> &Dropouts {
        &self.dropouts
    }

    /// The sensor of this square, or the chip of its man, loses him again and again.
    pub(crate) fn weak(&self, square: usize, now: Instant) -> bool {
        self.dropouts.weak(square, self.standing(), now)
    }

    /// How many men stand on it.
    pub(crate) fn standing(&self) -> usize {
        standing(&self.men)
    }

    /// Takes a report of all squares; true if it changed anything or is the first.
    pub(crate) fn frame(&mut self, at: Instant, frame: &Placement) -> bool {
        let mut changed = !self.known;
        self.known = true;
        self.blind_until = None;
        if let Some(since) = self.unseen_since.take() {
            self.gap = Some((since, at));
        }
        let after_gap = self.gap.is_some_and(|(_, seen)| seen == at);
        for square in Square::all() {
            let before = self.changed_at(self.as_white_sees(square).bit());
            let shows = self.show_square(at, square, frame.get(square));
            changed |= shows;
            if shows && !after_gap && self.reports_changes {
                let since = self.lost.filter(|(_, told)| *told == at).map_or(before, |(since, _)| since.min(before));
                self.lost = Some((since, at));
            }
        }
        changed
    }

    /// The sensor of this square works: it has shown a man.
    pub(crate) fn has_shown_a_man(&self, square: u8) -> bool {
        self.occupied & (1 << square) != 0
    }

    /// The board is not heard any more.
    pub(crate) fn lose(&mut self, at: Instant) {
        self.unseen_since.get_or_insert(at);
    }

    /// Its link is gone, or is there again.
    pub(crate) fn link(&mut self, at: Instant, up: bool) {
        if !up {
            self.blind_until = Some(Instant(u64::MAX));
        } else if self.blind_until.is_some() {
            self.blind_until = Some(at.after(REPORTS_WITHIN));
        }
    }

    /// Nobody knows what stands on it now; until when, if nothing comes.
    pub(crate) fn blind(&self, now: Instant) -> Option<Instant> {
        self.blind_until.filter(|&until| now < until)
    }

    /// Since when nobody knows what happened on it; none while it is seen.
    pub(crate) fn unseen_since(&self) -> Option<Instant> {
        self.unseen_since
    }

    /// Everything since `at` was seen.
    pub(crate) fn seen_since(&self, at: Instant) -> bool {
        self.unseen_since.is_none() && self.gap.is_none_or(|(_, seen)| seen <= at)
    }

    /// When something was done that the board showed at `at`.
    pub(crate) fn done_within(&self, at: Instant, scan: Duration) -> Interval {
        let told = [self.gap, self.lost].into_iter().flatten().find(|(_, told)| *told == at);
        told.map_or(Interval::seen(at, scan), |(since, at)| Interval { earliest: since, latest: at })
    }

    /// When a movement that changed these squares was made: where the report of one was lost, after the first of them changed.
    pub(crate) fn moved_within(&self, mask: u64, scan: Duration) -> Interval {
        let at = self.changed_at(mask);
        let made = self.done_within(at, scan);
        let begun = if self.is_first_after_gap(at) { Instant::ZERO } else { self.changed_first(mask).before(scan) };
        Interval { earliest: made.earliest.max(begun).min(made.latest), ..made }
    }

    /// What was shown first at `at` may have been done at any time while nothing was seen.
    pub(crate) fn is_first_after_gap(&self, at: Instant) -> bool {
        self.gap.is_some_and(|(since, seen)| seen == at && since > Instant::ZERO)
    }

    /// A report of what was shown first at `at` was lost.
    pub(crate) fn was_reported_late(&self, at: Instant) -> bool {
        self.lost.is_some_and(|(_, told)| told == at)
    }

    /// Turns the board by 180 degrees: the same men, seen from the other side.
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

    /// `man`, whom the square shows again at `at`, was lost by a sensor and not by a hand.
    fn is_dropout(&self, at: Instant, index: usize, man: u8) -> bool {
        let (gone, lasted) = (self.changed_at[index], at.since(self.changed_at[index]));
        if lasted >= (self.scan * DROPOUT_SCANS).min(LONGEST_DROPOUT)
            || self.last_change_of(index).is_none_or(|last| last.before != man)
        {
            return false;
        }
        // The player who has the move adjusts his men, and where nobody knows whose time or man it is, anyone may.
        let own_time = self.on_move.is_none() || men::color(man).is_none_or(|color| Some(color) == self.on_move);
        if self.men[index] == EMPTY && own_time && may_be_by_hand(lasted, self.scan) {
            return false;
        }
        // A man that came and went between, or one that took his place where all look alike, left another square or came to it.
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

    /// Where all look alike, a man who was in the hand may stand where another one did: there are fewer men than before.
    fn may_replace_another(&self, gone: Instant, man: u8) -> bool {
        let most = || self.past(gone.before(IN_THE_HAND)).map(|(_, men)| standing(&men)).max().unwrap_or(0);
        man == men::OCCUPIED && self.standing() + 1 < most()
    }

    fn last_change_of(&self, index: usize) -> Option<&Change> {
        self.ring.iter().rev().find(|change| usize::from(change.square) == index)
    }

    /// The changes of one square that are remembered, the latest first.
    pub(crate) fn changes_of(&self, square: u8) -> impl Iterator<Item = Change> {
        self.ring.iter().rev().copied().filter(move |change| change.square == square)
    }

    /// This man stands somewhere, or has stood since `from`.
    pub(crate) fn showed(&self, man: u8, from: Instant) -> bool {
        self.men.contains(&man) || self.ring.iter().rev().take_while(|change| change.at > from).any(|change| change.before == man)
    }

    /// The squares that changed at this moment.
    pub(crate) fn changed_then(&self, at: Instant) -> u64 {
        self.ring.iter().rev().take_while(|change| change.at == at).fold(0, |mask, change| mask | 1 << change.square)
    }

    /// The boards that stood since `from`, newest first, each with the moment it came to be; the present one is the first.
    pub(crate) fn past(&self, from: Instant) -> impl Iterator<Item = (Instant, Men)> {
        let mut men = self.men;
        let mut index = self.ring.len();
        let mut ended = Instant(u64::MAX);
        core::iter::from_fn(move || {
            if ended <= from {
                return None;
            }
            // Changes of one moment are one report of the device: the boards between them never stood.
            let began = match index.checked_sub(1) {
                Some(last) => self.ring[last].at,
                None => Instant::ZERO,
            };
            let shown = (began, men);
            while let Some(last) = index.checked_sub(1)
                && self.ring[last].at == began
            {
                men[usize::from(self.ring[last].square)] = self.ring[last].before;
                index = last;
            }
            ended = if began == Instant::ZERO { from } else { began };
            Some(shown)
        })
    }
}

fn standing(men: &Men) -> usize {
    men.iter().filter(|&&man| man != EMPTY).count()
}
