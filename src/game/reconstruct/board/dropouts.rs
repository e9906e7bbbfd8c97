//! Squares that lose their man for moments: what a weak chip or sensor looks like (`reconstruction.md` section 3.2).

use core::time::Duration;

use flagfall_protocols::time::Instant;

/// So many dropouts of one square ...
const OFTEN: usize = 7;
/// ... within so long are no player's doing: who straightens a man does it once or twice, and mostly for longer.
const WITHIN: Duration = Duration::from_secs(600);

/// The dropouts of every square.
#[derive(Clone, Debug)]
pub(crate) struct Dropouts {
    counts: [u32; 64],
    /// The moments of the last ones, in no order.
    last: [[Instant; OFTEN]; 64],
}

impl Dropouts {
    pub(crate) const fn new() -> Dropouts {
        Dropouts { counts: [0; 64], last: [[Instant::ZERO; OFTEN]; 64] }
    }

    /// A square showed nothing for a moment and has its man again.
    pub(crate) fn note(&mut self, at: Instant, square: usize) {
        self.last[square][self.counts[square] as usize % OFTEN] = at;
        self.counts[square] = self.counts[square].saturating_add(1);
    }

    /// How many a square has had since the board was first seen.
    pub(crate) fn count(&self, square: usize) -> u32 {
        self.counts[square]
    }

    /// The square has had too many of late.
    pub(crate) fn weak(&self, square: usize, now: Instant) -> bool {
        self.counts[square] as usize >= OFTEN && self.last[square].iter().all(|&at| now.since(at) <= WITHIN)
    }

    pub(crate) fn turn_round(&mut self) {
        self.counts.reverse();
        self.last.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_within_ten_minutes_are_a_weak_square() {
        let mut dropouts = Dropouts::new();
        for second in [0, 100, 200, 300, 400, 450] {
            dropouts.note(Instant(second * 1_000_000), 11);
        }
        assert!(!dropouts.weak(11, Instant(450_000_000)));
        dropouts.note(Instant(601_000_000), 11);
        assert!(!dropouts.weak(11, Instant(601_000_000)), "the first is too long ago");
        dropouts.note(Instant(602_000_000), 11);
        assert!(dropouts.weak(11, Instant(602_000_000)) && !dropouts.weak(12, Instant(602_000_000)));
        assert_eq!((dropouts.count(11), dropouts.count(12)), (8, 0));
        assert!(!dropouts.weak(11, Instant(2_000_000_000)), "it has been well since");
        dropouts.turn_round();
        assert_eq!((dropouts.count(11), dropouts.count(52)), (0, 8));
    }
}
