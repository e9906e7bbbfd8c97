//! What the game was told of the squares, so that the same picture is not told again and again.

use crate::square::{Placement, Reading, Square};

/// The squares as the game knows them.
#[derive(Debug, Default)]
pub(in crate::drivers) struct PictureTracker {
    told: Option<Placement>,
    wanted: bool,
}

impl PictureTracker {
    /// The next picture is told even if it is the same.
    pub(in crate::drivers) const fn request_repeat(&mut self) {
        self.wanted = true;
    }

    /// The device may be another one: whatever it shows is news.
    pub(in crate::drivers) const fn forget(&mut self) {
        self.told = None;
    }

    /// One square was told.
    pub(in crate::drivers) const fn record_square(&mut self, square: Square, reading: Reading) {
        if let Some(told) = &mut self.told {
            told.set(square, reading);
        }
    }

    /// Whether a picture is to be told, and whether it contradicts what was told before.
    pub(in crate::drivers) fn record_picture(&mut self, placement: &Placement) -> (bool, bool) {
        let differs = self.told.is_some_and(|told| told != *placement);
        let news = differs || self.told.is_none() || self.wanted;
        (self.told, self.wanted) = (Some(*placement), false);
        (news, differs)
    }
}
