//! Tracks the squares that were reported to the game, so that the same picture is not reported again and again. A picture is a
//! report of all squares.

use crate::square::{Placement, Reading, Square};

/// The squares as they were reported to the game.
#[derive(Debug, Default)]
pub(in crate::drivers) struct PictureTracker {
    reported: Option<Placement>,
    wanted: bool,
}

impl PictureTracker {
    /// Makes the next picture be reported even if it is the same.
    pub(in crate::drivers) const fn request_repeat(&mut self) {
        self.wanted = true;
    }

    /// Forgets the reported squares, because the device may be another one.
    pub(in crate::drivers) const fn forget(&mut self) {
        self.reported = None;
    }

    /// Records a reported change of one square.
    pub(in crate::drivers) const fn record_square(&mut self, square: Square, reading: Reading) {
        if let Some(reported) = &mut self.reported {
            reported.set(square, reading);
        }
    }

    /// Records a picture. Returns whether it must be reported, and whether it contradicts the last report.
    pub(in crate::drivers) fn record_picture(&mut self, placement: &Placement) -> (bool, bool) {
        let differs = self.reported.is_some_and(|reported| reported != *placement);
        let news = differs || self.reported.is_none() || self.wanted;
        (self.reported, self.wanted) = (Some(*placement), false);
        (news, differs)
    }
}
