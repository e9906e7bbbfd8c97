//! Learns the scan time of a board from the times of its reports (`reconstruct/README.md#3.2`).
//!
//! A board that samples its squares one after another, from a8 to h1 or the other way round, reports each square at its own
//! moment of a scan. The time between two reports is therefore a number of whole scans and a known part of one. Many pairs of
//! reports together give the scan time.

use core::time::Duration;

use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

/// The shortest scan time that is tried, in milliseconds.
const FIRST: u64 = 180;
/// The difference between two scan times that are tried, in milliseconds.
const STEP: u64 = 5;
/// The number of scan times that are tried.
const TRIED: usize = 77;
/// The longest time between reports that are compared. Beyond it their number of whole scans is not certain.
const APART: Duration = Duration::from_millis(1600);
/// The shortest time between reports that are compared. Reports that are nearer to each other belong to one scan.
const TOGETHER: Duration = Duration::from_millis(30);
/// The largest difference of a report from its expected moment, in microseconds: the line and the adapter delay it.
const OFF: u64 = 22_000;
/// The number of earlier reports that are compared with the next one.
const KEPT: usize = 6;
/// The smallest number of pairs for a conclusion.
const PAIRS: u16 = 8;
/// The number of pairs at which the older ones lose half their weight.
const FORGET: u16 = 200;
/// The largest delay that the line and the adapter add to a scan.
const DELAY: Duration = Duration::from_millis(20);

/// Estimates the time of a scan from the reports of a board.
#[derive(Clone, Debug)]
pub(crate) struct ScanTimeEstimator {
    recent: [Option<(Instant, u8)>; KEPT],
    next: usize,
    pairs: u16,
    /// How many pairs fit each scan time, for squares in the one order and in the other.
    fits: [[u16; TRIED]; 2],
    /// The conclusion from these pairs.
    scan: Option<Duration>,
}

impl ScanTimeEstimator {
    pub(crate) const fn new() -> ScanTimeEstimator {
        ScanTimeEstimator { recent: [None; KEPT], next: 0, pairs: 0, fits: [[0; TRIED]; 2], scan: None }
    }

    /// Adds the report of a single square, in the board's own numbering.
    pub(crate) fn report(&mut self, at: Instant, square: Square) {
        let place = (7 - square.rank()) * 8 + square.file();
        let known = self.pairs;
        for (before, other) in self.recent.iter().flatten().copied() {
            let apart = at.since(before);
            if apart <= APART && apart >= TOGETHER {
                self.pairs += 1;
                let places = i64::from(place) - i64::from(other);
                for (order, places) in self.fits.iter_mut().zip([places, -places]) {
                    for (tried, fits) in order.iter_mut().enumerate() {
                        *fits += u16::from(off(apart, places, scan_of(tried)) <= OFF);
                    }
                }
            }
        }
        self.recent[self.next % KEPT] = Some((at, place));
        self.next = (self.next + 1) % KEPT;
        if self.pairs == known {
            return;
        }
        if self.pairs >= FORGET {
            self.pairs /= 2;
            self.fits.iter_mut().flatten().for_each(|fits| *fits /= 2);
        }
        self.scan = self.concluded();
    }

    /// The longest time from a change to its report, once it is known.
    pub(crate) fn scan(&self) -> Option<Duration> {
        self.scan
    }

    fn concluded(&self) -> Option<Duration> {
        if self.pairs < PAIRS {
            return None;
        }
        let best = |order: &[u16; TRIED]| order.iter().copied().max().unwrap_or_default();
        let [one, other] = &self.fits;
        self.of_order(if best(one) >= best(other) { one } else { other })
    }

    fn of_order(&self, order: &[u16; TRIED]) -> Option<Duration> {
        let most = *order.iter().max()?;
        let first = order.iter().position(|&fits| fits == most)?;
        let last = order.iter().rposition(|&fits| fits == most)?;
        // No other scan time may fit nearly as well, and this one must fit nearly always.
        let alone = last - first <= 8
            && order.iter().enumerate().all(|(tried, &fits)| {
                (first.saturating_sub(6)..=last + 6).contains(&tried) || u32::from(fits) * 5 <= u32::from(most) * 4
            });
        let middle = Duration::from_micros((scan_of(first) + scan_of(last)) / 2);
        (alone && u32::from(most) * 5 >= u32::from(self.pairs) * 4).then_some(middle + DELAY)
    }
}

/// The scan time with this index, in microseconds.
const fn scan_of(tried: usize) -> u64 {
    (FIRST + STEP * tried as u64) * 1000
}

/// How far the time between two reports, whose squares are so many places apart, is from a number of whole scans, in
/// microseconds.
fn off(apart: Duration, places: i64, scan: u64) -> u64 {
    let within = apart.as_micros() as i64 - places * scan as i64 / 64;
    let rest = within.rem_euclid(scan as i64) as u64;
    rest.min(scan - rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scan time that is learnt from reports of random squares, each at its own moment of a scan and up to 15 ms late.
    fn learnt(scan_ms: u64, reports: u64) -> Option<Duration> {
        let mut estimator = ScanTimeEstimator::new();
        let mut random = 88_172_645_463_325_252_u64 ^ scan_ms;
        let mut draw = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        let mut scans = 10;
        for report in 0..reports {
            scans += if report % 2 == 0 { 20 + draw(40) } else { 1 + draw(3) };
            let place = draw(64);
            let at = scans * scan_ms * 1000 + place * scan_ms * 1000 / 64 + draw(15_000);
            let square = Square::wrapping(((7 - place / 8) * 8 + place % 8) as u8);
            estimator.report(Instant(at), square);
        }
        estimator.scan()
    }

    #[test]
    fn the_time_of_a_scan_is_learnt() {
        for scan_ms in [200, 213, 225, 237, 250, 300, 333, 400, 437, 450, 481, 500] {
            let learnt = learnt(scan_ms, 40).unwrap_or_else(|| panic!("{scan_ms} ms: nothing learnt"));
            let off = learnt.as_millis() as i64 - scan_ms as i64;
            assert!((0..=35).contains(&off), "{scan_ms} ms: {learnt:?}");
        }
    }

    #[test]
    fn reports_at_random_moments_give_no_scan_time() {
        let mut estimator = ScanTimeEstimator::new();
        let mut at = 0;
        for report in 0..200_u64 {
            at += 37_123 + report * report * 7919 % 611_953;
            estimator.report(Instant(at), Square::wrapping((report * 31 % 64) as u8));
            assert_eq!(estimator.scan(), None, "report {report}");
        }
    }
}
