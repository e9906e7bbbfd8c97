//! Squares and men that are lost for moments: what a weak chip or sensor looks like (`reconstruct/README.md#3.2`).
//!
//! A dropout is a man that was gone, or read as something else, and is there again sooner than a hand puts him back. Whose it is shows
//! with the moves: a weak sensor loses every man that comes to its square, a weak chip is lost wherever its man stands.

use alloc::collections::VecDeque;
use core::time::Duration;

use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

use super::PhysicalBoard;
use crate::men;

/// So many dropouts of one square or man (at the rough level of noise, one in 50 seconds on any of 32 men, seven of the same one come
/// by chance once in some ten thousand games) ...
const OFTEN: usize = 7;
/// ... within so long make it weak, if it stands out among the others.
pub(crate) const WITHIN: Duration = Duration::from_secs(600);
/// It does so with so many times the share of each man that stands ...
const TIMES_ITS_SHARE: usize = 6;
/// ... or with half of all dropouts of the board, if that is so many times his share: of four men one is straightened often.
const HALF_IS_TIMES: usize = 3;
/// A man is weak, and not the squares on which he stood, where he was lost so often on each of two: twice may be chance.
const ELSEWHERE: usize = 3;
/// How many dropouts are remembered at most: on a board with more within that time the last ones tell.
const MOST: usize = 128;

/// A man of the side to move that is away for so long, seen by two scans, was straightened: dropouts come in anyone's time.
const BY_HAND: Duration = Duration::from_millis(300);

/// The time that a man was away, `lasted`, is a hand's who has the move and not a sensor's.
fn was_by_hand(lasted: Duration, scan: Duration) -> bool {
    lasted >= BY_HAND && lasted * 2 >= scan * 3
}

/// The same where nobody can tell: a slow scan sees a man who was straightened as one that was gone for a moment.
pub(crate) fn may_be_by_hand(lasted: Duration, scan: Duration) -> bool {
    was_by_hand(lasted, scan) || (scan > BY_HAND && lasted >= BY_HAND)
}

/// A man of this game: the square on which he began it, or, of one that a pawn became, 64 more than the square of the promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ManId(u8);

impl ManId {
    const NOBODY: ManId = ManId(u8::MAX);
    /// One who was weak and is forgotten.
    const FORGOTTEN: ManId = ManId(u8::MAX - 1);

    /// The man that began the game on this square.
    pub(crate) const fn began(square: usize) -> ManId {
        ManId((square % 64) as u8)
    }

    /// The man that a pawn became on this square.
    pub(crate) const fn promoted(square: usize) -> ManId {
        ManId((square % 64) as u8 + 64)
    }

    /// The square, and whether a pawn became him there.
    pub(crate) const fn origin(self) -> (u8, bool) {
        (self.0 % 64, self.0 >= 64)
    }

    const fn bit(self) -> u128 {
        if self.0 < 128 { 1 << self.0 } else { 0 }
    }

    fn of_bits(bits: u128) -> impl Iterator<Item = ManId> {
        (0..128).map(ManId).filter(move |id| bits & id.bit() != 0)
    }
}

#[derive(Clone, Copy, Debug)]
struct Dropout {
    at: Instant,
    square: u8,
    man: ManId,
}

/// The dropouts of every square, and of every man of the game.
#[derive(Clone, Debug)]
pub(crate) struct Dropouts {
    counts: [u32; 64],
    men: [u16; 128],
    /// The last ones, in their order.
    last: VecDeque<Dropout>,
    /// Squares that were found weak since the board was first seen.
    weak_squares: u64,
    /// Men that were found weak in this game.
    weak_men: u128,
}

impl Dropouts {
    pub(crate) const fn new() -> Dropouts {
        Dropouts { counts: [0; 64], men: [0; 128], last: VecDeque::new(), weak_squares: 0, weak_men: 0 }
    }

    /// A square showed something else for a moment and has its man again.
    pub(crate) fn note(&mut self, at: Instant, square: usize) {
        // Room for all of them is made once, by the first.
        self.last.reserve_exact(MOST - self.last.len());
        while self.last.front().is_some_and(|oldest| at.since(oldest.at) > WITHIN) || self.last.len() >= MOST {
            self.last.pop_front();
        }
        self.last.push_back(Dropout { at, square: square as u8, man: ManId::NOBODY });
        self.counts[square] = self.counts[square].saturating_add(1);
    }

    /// The squares with a dropout that was noted at `now`.
    pub(crate) fn noted(&self, now: Instant) -> u64 {
        self.last.iter().rev().take_while(|dropout| dropout.at == now).fold(0, |mask, dropout| mask | 1 << dropout.square)
    }

    /// The man that dropped out on `square` at `now`; once, however many squares are told of that moment.
    pub(crate) fn name_man(&mut self, now: Instant, square: usize, man: ManId) {
        let just = self.last.iter_mut().rev().take_while(|dropout| dropout.at == now);
        for dropout in just.filter(|dropout| usize::from(dropout.square) == square && dropout.man == ManId::NOBODY) {
            dropout.man = man;
            let count = &mut self.men[usize::from(man.0)];
            *count = count.saturating_add(1);
        }
    }

    /// Other men stand on the board, or the same ones elsewhere. What was a weak man's fault does not become a square's.
    pub(crate) fn forget_men(&mut self) {
        for dropout in &mut self.last {
            let weak = dropout.man == ManId::FORGOTTEN || self.weak_men & dropout.man.bit() != 0;
            dropout.man = if weak { ManId::FORGOTTEN } else { ManId::NOBODY };
        }
        self.men = [0; 128];
        self.weak_men = 0;
    }

    /// How many a square has had since the board was first seen.
    pub(crate) fn count(&self, square: usize) -> u32 {
        self.counts[square]
    }

    /// How many all squares have had since then.
    pub(crate) fn total(&self) -> u32 {
        self.counts.iter().fold(0, |total, count| total.saturating_add(*count))
    }

    /// How many a man has had in this game.
    pub(crate) fn count_of(&self, man: ManId) -> u32 {
        self.men.get(usize::from(man.0)).copied().unwrap_or(0).into()
    }

    /// Squares that were found weak since the board was first seen, whether they are well now or not.
    pub(crate) fn weak_squares(&self) -> u64 {
        self.weak_squares
    }

    /// Men that were found weak in this game.
    pub(crate) fn weak_men(&self) -> impl Iterator<Item = ManId> {
        ManId::of_bits(self.weak_men)
    }

    fn recent(&self, now: Instant) -> impl Iterator<Item = &Dropout> {
        self.last.iter().filter(move |dropout| now.since(dropout.at) < WITHIN)
    }

    /// How many a square has had of late, and when the last was.
    pub(crate) fn of_square(&self, square: usize, now: Instant) -> (usize, Option<Instant>) {
        self.recent(now).filter(|dropout| usize::from(dropout.square) == square).fold((0, None), |(n, _), d| (n + 1, Some(d.at)))
    }

    /// How many a man has had of late, on which squares, and when the last was.
    pub(crate) fn of_man(&self, man: ManId, now: Instant) -> (usize, u64, Option<Instant>) {
        let own = self.recent(now).filter(|dropout| dropout.man == man);
        own.fold((0, 0, None), |(n, squares, _), d| (n + 1, squares | 1 << d.square, Some(d.at)))
    }

    /// So many of late are too many, and stand out among the `standing` men: players who straighten their men now and then, and a
    /// board that is noisy everywhere, have no weak square.
    fn stands_out(&self, own: usize, standing: usize, now: Instant) -> bool {
        let all = self.recent(now).count();
        let times = |share| own * standing >= all * share;
        own >= OFTEN && (times(TIMES_ITS_SHARE) || own * 2 >= all && times(HALF_IS_TIMES))
    }

    /// The square has had too many of late, whether it is its own sensor or the man on it.
    pub(crate) fn weak(&self, square: usize, standing: usize, now: Instant) -> bool {
        (self.counts[square] as usize) >= OFTEN && self.stands_out(self.of_square(square, now).0, standing, now)
    }

    /// Looks whether this square, or the man that has just dropped out on it, is weak.
    pub(crate) fn check(&mut self, square: usize, man: Option<ManId>, standing: usize, now: Instant) -> Found {
        let mut found = Found::default();
        if let Some(man) = man.filter(|man| self.weak_men & man.bit() == 0)
            && self.is_weak_man(man, standing, now)
        {
            self.weak_men |= man.bit();
            found.man = true;
            // Where nobody else was lost it was the man and not the square.
            let others = self.recent(now).filter(|dropout| ![man, ManId::FORGOTTEN].contains(&dropout.man));
            let others = others.fold(0, |mask, dropout| mask | 1 << dropout.square);
            found.cleared = self.weak_squares & self.of_man(man, now).1 & !others;
            self.weak_squares &= !found.cleared;
        }
        let well = |man: ManId| man != ManId::FORGOTTEN && self.weak_men & man.bit() == 0;
        let of_others = |dropout: &&Dropout| usize::from(dropout.square) == square && well(dropout.man);
        let own = self.recent(now).filter(of_others).count();
        found.square = self.stands_out(own, standing, now);
        self.weak_squares |= u64::from(found.square) << square;
        found
    }

    fn is_weak_man(&self, man: ManId, standing: usize, now: Instant) -> bool {
        let mut on = [0_usize; 64];
        self.recent(now).filter(|dropout| dropout.man == man).for_each(|dropout| on[usize::from(dropout.square)] += 1);
        on.iter().filter(|&&count| count >= ELSEWHERE).count() >= 2 && self.stands_out(on.iter().sum(), standing, now)
    }

    pub(crate) fn turn_round(&mut self) {
        self.counts.reverse();
        self.weak_squares = self.weak_squares.reverse_bits();
        self.last.iter_mut().for_each(|dropout| dropout.square = 63 - dropout.square);
        self.forget_men();
    }
}

/// What [`Dropouts::check`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The square is weak.
    pub(crate) square: bool,
    /// The man is weak, which was not known before.
    pub(crate) man: bool,
    /// Squares that were taken for weak and are not: it was the man.
    pub(crate) cleared: u64,
}

impl PhysicalBoard {
    /// Looks whose dropouts were noted at `now`, and whether a square or man has had too many; tells `each` what was found. True if
    /// there were any.
    pub(crate) fn review_dropouts(
        &mut self,
        now: Instant,
        man_on: impl Fn(&PhysicalBoard, Square) -> Option<ManId>,
        mut each: impl FnMut(&PhysicalBoard, Square, Option<ManId>, Found),
    ) -> bool {
        let (noted, standing) = (self.dropouts.noted(now), self.standing());
        for square in men::squares(noted) {
            let man = man_on(self, square);
            if let Some(man) = man {
                self.dropouts.name_man(now, square.index(), man);
            }
            let found = self.dropouts.check(square.index(), man, standing, now);
            each(self, square, man, found);
        }
        noted != 0
    }

    /// Other men stand on the board, or the same ones elsewhere.
    pub(crate) fn forget_men(&mut self) {
        self.dropouts.forget_men();
    }

    /// It is another board.
    pub(crate) fn forget_dropouts(&mut self) {
        self.dropouts = Dropouts::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> Instant {
        Instant(second * 1_000_000)
    }

    #[test]
    fn seven_within_ten_minutes_are_a_weak_square() {
        let mut dropouts = Dropouts::new();
        for second in [0, 100, 200, 300, 400, 450] {
            dropouts.note(at(second), 11);
        }
        assert!(!dropouts.weak(11, 32, at(450)));
        dropouts.note(at(601), 11);
        assert!(!dropouts.weak(11, 32, at(601)), "the first is too long ago");
        dropouts.note(at(602), 11);
        assert!(dropouts.weak(11, 32, at(602)) && !dropouts.weak(12, 32, at(602)));
        assert_eq!((dropouts.count(11), dropouts.count(12)), (8, 0));
        assert!(!dropouts.weak(11, 32, at(2_000)), "it has been well since");
        dropouts.turn_round();
        assert_eq!((dropouts.count(11), dropouts.count(52)), (0, 8));
        assert!(dropouts.weak(52, 32, at(602)) && !dropouts.weak(11, 32, at(602)));
        assert!(dropouts.weak(52, 3, at(602)) && !dropouts.weak(52, 2, at(602)), "one of two men is no wonder");
    }

    #[test]
    fn a_weak_square_stands_out() {
        let mut dropouts = Dropouts::new();
        for round in 0..8 {
            (0..20).for_each(|square| dropouts.note(at(round * 20 + square), square as usize));
        }
        assert!((0..20).all(|square| !dropouts.weak(square, 32, at(160))), "all are alike");
        let mut dropouts = Dropouts::new();
        for round in 0..7 {
            [11, 12, 51].into_iter().for_each(|weak| dropouts.note(at(round * 10), weak));
            (20..22).for_each(|other| dropouts.note(at(round * 10 + 5), other + round as usize));
        }
        for square in 0..64 {
            assert_eq!(dropouts.weak(square, 32, at(100)), [11, 12, 51].contains(&square), "{square}");
        }
    }

    #[test]
    fn the_last_are_remembered() {
        let mut dropouts = Dropouts::new();
        (0..5_000).for_each(|second| dropouts.note(at(second / 10), (second % 64) as usize));
        assert_eq!((dropouts.last.len(), dropouts.count(0)), (MOST, 79));
    }

    #[test]
    fn what_a_hand_does() {
        let [scan, short] = [225, 41].map(Duration::from_millis);
        let times = [(225, scan), (450, scan), (290, short), (310, short), (450, scan * 2)];
        let by_hand = times.map(|(lasted, scan)| was_by_hand(Duration::from_millis(lasted), scan));
        assert_eq!(by_hand, [false, true, false, true, false]);
        let may_be = times.map(|(lasted, scan)| may_be_by_hand(Duration::from_millis(lasted), scan));
        assert_eq!(may_be, [false, true, false, true, true], "the last on a slow board");
    }
}
