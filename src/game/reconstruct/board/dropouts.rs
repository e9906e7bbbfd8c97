//! Squares that lose their man for moments: what a weak chip or sensor looks like (`reconstruction.md` section 3.2).

use alloc::collections::VecDeque;
use core::time::Duration;

use flagfall_protocols::time::Instant;

/// So many dropouts of one square ...
const OFTEN: usize = 7;
/// ... within so long make it weak, if it stands out among the others.
const WITHIN: Duration = Duration::from_secs(600);
/// It does so with so many times the share of each man that stands ...
const TIMES_ITS_SHARE: usize = 6;
/// ... or with half of all dropouts of the board, if that is so many times his share: of four men one is straightened often.
const HALF_IS_TIMES: usize = 3;
/// How many dropouts are remembered at most: on a board with more within that time the last ones tell.
const MOST: usize = 128;

/// A man of the side to move that is away for so long, seen by two scans, was straightened: dropouts come in anyone's time.
const BY_HAND: Duration = Duration::from_millis(300);

/// The time that a man was away, `lasted`, is a hand's who has the move and not a sensor's.
pub(crate) fn by_hand(lasted: Duration, scan: Duration) -> bool {
    lasted >= BY_HAND && lasted * 2 >= scan * 3
}

/// The dropouts of every square.
#[derive(Clone, Debug)]
pub(crate) struct Dropouts {
    counts: [u32; 64],
    /// The last ones with their squares, in their order.
    last: VecDeque<(Instant, u8)>,
}

impl Dropouts {
    pub(crate) const fn new() -> Dropouts {
        Dropouts { counts: [0; 64], last: VecDeque::new() }
    }

    /// A square showed nothing for a moment and has its man again.
    pub(crate) fn note(&mut self, at: Instant, square: usize) {
        while self.last.front().is_some_and(|&(oldest, _)| at.since(oldest) > WITHIN) || self.last.len() >= MOST {
            self.last.pop_front();
        }
        self.last.push_back((at, square as u8));
        self.counts[square] = self.counts[square].saturating_add(1);
    }

    /// How many a square has had since the board was first seen.
    pub(crate) fn count(&self, square: usize) -> u32 {
        self.counts[square]
    }

    /// The square has had too many of late, and stands out among those where `standing` men stand: players who straighten
    /// their men now and then, and a board that is noisy everywhere, have no weak square.
    pub(crate) fn weak(&self, square: usize, standing: usize, now: Instant) -> bool {
        if (self.counts[square] as usize) < OFTEN {
            return false;
        }
        let late = || self.last.iter().filter(|(at, _)| now.since(*at) <= WITHIN);
        let (own, all) = (late().filter(|(_, of)| usize::from(*of) == square).count(), late().count());
        let times = |share| own * standing >= all * share;
        own >= OFTEN && (times(TIMES_ITS_SHARE) || own * 2 >= all && times(HALF_IS_TIMES))
    }

    pub(crate) fn turn_round(&mut self) {
        self.counts.reverse();
        self.last.iter_mut().for_each(|(_, square)| *square = 63 - *square);
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
        let by_hand = times.map(|(lasted, scan)| by_hand(Duration::from_millis(lasted), scan));
        assert_eq!(by_hand, [false, true, false, true, false]);
    }
}
