//! When a device is tried again: later and later, and not all devices at the same moment.

use std::time::Duration;

use fastrand::Rng;

/// After a first failure …
const FIRST: Duration = Duration::from_secs(1);
/// … and after many.
const LAST: Duration = Duration::from_secs(15);
/// A connection that has lasted so long was a good one: what ended it is no failure to connect.
pub(super) const GOOD: Duration = Duration::from_secs(10);
/// From one attempt to the next, whichever device each is for.
pub(super) const APART: Duration = Duration::from_secs(1);

/// How long to wait after so many failures without a success: half of it is chance.
pub(super) fn pause(failures: u32, rng: &mut Rng) -> Duration {
    let Some(doublings) = failures.checked_sub(1) else { return Duration::ZERO };
    let whole = (FIRST * (1 << doublings.min(8))).min(LAST);
    whole / 2 + whole.mul_f64(rng.f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_bound_and_differ() {
        let mut rng = Rng::with_seed(1);
        assert_eq!(pause(0, &mut rng), Duration::ZERO);
        for (failures, whole) in [(1, 1), (2, 2), (4, 8), (5, 15), (u32::MAX, 15)] {
            let drawn: Vec<_> = (0..100).map(|_| pause(failures, &mut rng)).collect();
            let whole = Duration::from_secs(whole);
            assert!(drawn.iter().all(|pause| (whole / 2..=whole).contains(pause)), "{failures}: {drawn:?}");
            assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]));
        }
    }
}
