//! Finds squares and men that are lost for moments, because a chip or a sensor is weak (`reconstruct/README.md#3.2`).
//!
//! A dropout is a man that was gone, or read as another man, and is back sooner than a hand can put it back. Later moves show the
//! cause: a weak sensor loses every man that comes to its square, and a weak chip is lost on every square where its man stands.

use alloc::collections::VecDeque;
use core::time::Duration;

use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

use super::PhysicalBoard;
use crate::men;

/// The smallest number of recent dropouts with which a square or man may be weak. At the rough level of noise, one of 32 men has
/// a dropout every 50 seconds: seven of the same man then happen by chance about once in ten thousand games.
const OFTEN: usize = 7;
/// The time for which a dropout is recent.
pub(crate) const WITHIN: Duration = Duration::from_secs(600);
/// The multiple of its share of all dropouts with which a square or man is weak. Every man on the board has an equal share.
const TIMES_ITS_SHARE: usize = 6;
/// The multiple of its share with which a square or man that has half of all dropouts is also weak. With four men on the board,
/// one of them is often straightened and would have half of all.
const HALF_IS_TIMES: usize = 3;
/// The smallest number of dropouts on each of two squares with which a man is weak, and not the squares. Two may be chance.
const ELSEWHERE: usize = 3;
/// The largest number of dropouts kept. On a board with more of them within that time, only the last ones count.
const MOST: usize = 128;

/// The shortest time, seen by two scans, for which a man of the side to move is away if it is straightened by hand. Dropouts come
/// while either side has the move.
const BY_HAND: Duration = Duration::from_millis(300);

/// True if a man that was away for `lasted` was in the hand of the player who has the move, and was not lost by a sensor.
fn was_by_hand(lasted: Duration, scan: Duration) -> bool {
    lasted >= BY_HAND && lasted * 2 >= scan * 3
}

/// True if the man may have been in a hand. A slow scan sees a man that was straightened like a man that was gone for a moment.
pub(crate) fn may_be_by_hand(lasted: Duration, scan: Duration) -> bool {
    was_by_hand(lasted, scan) || (scan > BY_HAND && lasted >= BY_HAND)
}

/// A man of this game. The number is the square on which the man began the game. For a man that came from a promotion it is 64
/// more than the square of the promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ManId(u8);

impl ManId {
    /// The value for a dropout whose man is not known.
    const NOBODY: ManId = ManId(u8::MAX);
    /// A weak man of an earlier game or position.
    const FORGOTTEN: ManId = ManId(u8::MAX - 1);

    /// The man that began the game on this square.
    pub(crate) const fn began(square: usize) -> ManId {
        ManId((square % 64) as u8)
    }

    /// The man that replaced a pawn on this square.
    pub(crate) const fn promoted(square: usize) -> ManId {
        ManId((square % 64) as u8 + 64)
    }

    /// The square, and whether the man replaced a pawn there.
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
    /// The last dropouts in their order.
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

    /// Notes that a square showed another state for a moment and shows its man again.
    pub(crate) fn note(&mut self, at: Instant, square: usize) {
        // Room for all dropouts is made once, at the first one.
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

    /// Notes which man dropped out on `square` at `now`. A dropout gets its man once.
    pub(crate) fn name_man(&mut self, now: Instant, square: usize, man: ManId) {
        let just = self.last.iter_mut().rev().take_while(|dropout| dropout.at == now);
        for dropout in just.filter(|dropout| usize::from(dropout.square) == square && dropout.man == ManId::NOBODY) {
            dropout.man = man;
            let count = &mut self.men[usize::from(man.0)];
            *count = count.saturating_add(1);
        }
    }

    /// Forgets the men: other men stand on the board, or the same men stand elsewhere. Dropouts of a weak man do not count for a
    /// square later.
    pub(crate) fn forget_men(&mut self) {
        for dropout in &mut self.last {
            let weak = dropout.man == ManId::FORGOTTEN || self.weak_men & dropout.man.bit() != 0;
            dropout.man = if weak { ManId::FORGOTTEN } else { ManId::NOBODY };
        }
        self.men = [0; 128];
        self.weak_men = 0;
    }

    /// How many dropouts a square has had since the board was first seen.
    pub(crate) fn count(&self, square: usize) -> u32 {
        self.counts[square]
    }

    /// How many dropouts all squares have had since the board was first seen.
    pub(crate) fn total(&self) -> u32 {
        self.counts.iter().fold(0, |total, count| total.saturating_add(*count))
    }

    /// How many dropouts a man has had in this game.
    pub(crate) fn count_of(&self, man: ManId) -> u32 {
        self.men.get(usize::from(man.0)).copied().unwrap_or(0).into()
    }

    /// Squares that were found weak since the board was first seen, even if they have had no dropout for long.
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

    /// How many recent dropouts a square has had, and when the last one was.
    pub(crate) fn of_square(&self, square: usize, now: Instant) -> (usize, Option<Instant>) {
        self.recent(now).filter(|dropout| usize::from(dropout.square) == square).fold((0, None), |(n, _), d| (n + 1, Some(d.at)))
    }

    /// How many recent dropouts a man has had, on which squares, and when the last one was.
    pub(crate) fn of_man(&self, man: ManId, now: Instant) -> (usize, u64, Option<Instant>) {
        let own = self.recent(now).filter(|dropout| dropout.man == man);
        own.fold((0, 0, None), |(n, squares, _), d| (n + 1, squares | 1 << d.square, Some(d.at)))
    }

    /// True if `own` recent dropouts are too many, also compared with the others of the `standing` men. Players who straighten
    /// their men now and then do not make a square weak, and neither does noise on the whole board.
    fn stands_out(&self, own: usize, standing: usize, now: Instant) -> bool {
        let all = self.recent(now).count();
        let times = |share| own * standing >= all * share;
        own >= OFTEN && (times(TIMES_ITS_SHARE) || own * 2 >= all && times(HALF_IS_TIMES))
    }

    /// True if the square has had too many recent dropouts, because of its sensor or because of the man on it.
    pub(crate) fn weak(&self, square: usize, standing: usize, now: Instant) -> bool {
        (self.counts[square] as usize) >= OFTEN && self.stands_out(self.of_square(square, now).0, standing, now)
    }

    /// Checks whether this square, or the man that has just dropped out on it, is weak.
    pub(crate) fn check(&mut self, square: usize, man: Option<ManId>, standing: usize, now: Instant) -> Found {
        let mut found = Found::default();
        if let Some(man) = man.filter(|man| self.weak_men & man.bit() == 0)
            && self.is_weak_man(man, standing, now)
        {
            self.weak_men |= man.bit();
            found.man = true;
            // If no other man was lost there, the man is weak and the square is not.
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

/// The result of [`Dropouts::check`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The square is weak.
    pub(crate) square: bool,
    /// The man is weak, and this was not known before.
    pub(crate) man: bool,
    /// Squares that were found weak before and are not: the man was the cause.
    pub(crate) cleared: u64,
}

impl PhysicalBoard {
    /// Finds the men whose dropouts were noted at `now`, checks whether a square or a man has had too many, and calls `each` with
    /// the result. True if there were any dropouts.
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

    /// Forgets the men: other men stand on the board, or the same men stand elsewhere.
    pub(crate) fn forget_men(&mut self) {
        self.dropouts.forget_men();
    }

    /// Forgets all dropouts, because another board is connected.
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
    fn seven_dropouts_within_ten_minutes_make_a_square_weak() {
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
        assert!(!dropouts.weak(11, 32, at(2_000)), "it has had no dropout since");
        dropouts.turn_round();
        assert_eq!((dropouts.count(11), dropouts.count(52)), (0, 8));
        assert!(dropouts.weak(52, 32, at(602)) && !dropouts.weak(11, 32, at(602)));
        assert!(dropouts.weak(52, 3, at(602)) && !dropouts.weak(52, 2, at(602)), "of two men each has half of all dropouts");
    }

    #[test]
    fn a_weak_square_has_many_more_dropouts_than_others() {
        let mut dropouts = Dropouts::new();
        for round in 0..8 {
            (0..20).for_each(|square| dropouts.note(at(round * 20 + square), square as usize));
        }
        assert!((0..20).all(|square| !dropouts.weak(square, 32, at(160))), "all squares have the same share");
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
    fn only_the_last_dropouts_are_kept() {
        let mut dropouts = Dropouts::new();
        (0..5_000).for_each(|second| dropouts.note(at(second / 10), (second % 64) as usize));
        assert_eq!((dropouts.last.len(), dropouts.count(0)), (MOST, 79));
    }

    #[test]
    fn absences_that_a_hand_causes() {
        let [scan, short] = [225, 41].map(Duration::from_millis);
        let times = [(225, scan), (450, scan), (290, short), (310, short), (450, scan * 2)];
        let by_hand = times.map(|(lasted, scan)| was_by_hand(Duration::from_millis(lasted), scan));
        assert_eq!(by_hand, [false, true, false, true, false]);
        let may_be = times.map(|(lasted, scan)| may_be_by_hand(Duration::from_millis(lasted), scan));
        assert_eq!(may_be, [false, true, false, true, true], "the last on a slow board");
    }
}
