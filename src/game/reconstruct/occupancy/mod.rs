//! Boards that tell only where something stands (`reconstruct/README.md#3.5`).

mod evidence;
pub(crate) mod plausible;
pub(crate) mod promoted;

use crate::reconstruct::sensing::Sensing;
use crate::reconstruct::tuning::{Tuning, Weights};

/// For every second beyond the second one that a man of the side to move is off the board: he has probably captured.
const HELD_PER_SECOND: i32 = 30;

/// The board does not identify men.
pub(crate) struct Occupancy;

impl Sensing for Occupancy {
    fn tuning(&self, tuning: &Tuning) -> Tuning {
        let weights = Weights { held_per_second: HELD_PER_SECOND, ..tuning.weights };
        Tuning { beam: tuning.beam_unidentified, weights, ..*tuning }
    }

    fn longest_line(&self) -> usize {
        40
    }
}
