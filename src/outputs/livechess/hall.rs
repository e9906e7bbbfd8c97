//! Holds the boards that are offered and what is known of their event. The daemon gives its own boards, the collector those of other
//! machines.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::programme::Programme;
use super::rest::Shown;
use crate::outputs::tap::Tap;

/// The boards that are offered, and their event. All parts of the program that know something of them share it.
#[derive(Debug, Default)]
pub struct Hall(RwLock<Inside>);

#[derive(Debug, Default)]
struct Inside {
    own: Vec<Arc<Tap>>,
    elsewhere: Vec<Arc<Tap>>,
    programme: Arc<Programme>,
}

impl Hall {
    /// Replaces the boards of this machine.
    pub fn set_own(&self, boards: Vec<Arc<Tap>>) {
        self.write().own = boards;
    }

    /// Replaces the boards of other machines. A board that this machine has too is not among them for clients.
    pub fn set_elsewhere(&self, boards: Vec<Arc<Tap>>) {
        self.write().elsewhere = boards;
    }

    /// Changes what is known of the event.
    pub fn update(&self, change: impl FnOnce(&mut Programme)) {
        change(Arc::make_mut(&mut self.write().programme));
    }

    /// What is known of the event.
    pub(super) fn programme(&self) -> Arc<Programme> {
        Arc::clone(&self.read().programme)
    }

    /// All boards as they are now.
    pub(super) fn shown(&self) -> Vec<Shown> {
        self.read().boards().map(|tap| Shown { seat: tap.seat.clone(), picture: tap.latest() }).collect()
    }

    /// The board with this id.
    pub(super) fn tap(&self, board: &str) -> Option<Arc<Tap>> {
        self.read().boards().find(|tap| tap.seat.id == board).cloned()
    }

    // The values are complete at any time, so a panic elsewhere does no harm.
    fn read(&self) -> RwLockReadGuard<'_, Inside> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Inside> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn boards(&self) -> impl Iterator<Item = &Arc<Tap>> {
        let is_own = |id: &str| self.own.iter().any(|tap| tap.seat.id == id);
        self.own.iter().chain(self.elsewhere.iter().filter(move |tap| !is_own(&tap.seat.id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::tap::{Device, GamePicture, Seat};

    #[test]
    fn a_board_of_this_machine_is_not_read_from_another_one() {
        let tap = |id: &str, is_elsewhere| {
            let seat = Seat { id: id.to_owned(), is_elsewhere, ..Seat::default() };
            Arc::new(Tap::new(seat, Device::default(), GamePicture::default()))
        };
        let hall = Hall::default();
        hall.set_elsewhere(vec![tap("b1", true), tap("b2", true)]);
        hall.set_own(vec![tap("b1", false)]);
        let shown: Vec<(String, bool)> = hall.shown().into_iter().map(|shown| (shown.seat.id, shown.seat.is_elsewhere)).collect();
        assert_eq!(shown, [("b1".to_owned(), false), ("b2".to_owned(), true)]);
        assert!(hall.tap("b2").is_some() && hall.tap("b3").is_none());
    }
}
