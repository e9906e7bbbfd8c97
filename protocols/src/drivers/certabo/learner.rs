//! Learns the tags of the pieces of a Certabo or Tabutronic board (`certabo/README.md#4`): first the set from the initial
//! position, as the session does by itself, and then spare queens, one after another on d3 (White's) and d6 (Black's). The
//! result can be stored in a file.

use alloc::vec::Vec;

use super::calibration::{Calibration, SPARES, Shows};
use super::frames::TagFrames;
use super::framing::Form;
use super::session::Session;
use crate::calibration::Learned;
use crate::driver::{Driver, Input, Output};
use crate::square::{Placement, Reading, Square};
use crate::time::Instant;

/// A session that also learns spare queens. A game cannot use it, because d3 and d6 are normal squares in a game.
#[derive(Debug)]
pub struct Learner {
    session: Session,
    /// The table of the session.
    men: Calibration,
    /// That table with the spare queens that followed.
    table: Calibration,
}

impl Default for Learner {
    fn default() -> Learner {
        Learner::new()
    }
}

impl Learner {
    /// Creates a learner for an unknown board.
    pub fn new() -> Learner {
        Learner { session: Session::new(Form::Tags), men: Calibration::default(), table: Calibration::default() }
    }

    fn update_table(&mut self) {
        let Some(frames) = self.session.frames() else { return };
        if frames.table != self.men {
            // This is the first set, or another one after it.
            (self.men, self.table) = (frames.table.clone(), frames.table.clone());
        }
        if self.men.entries().is_empty() {
            return;
        }
        for (square, queen) in SPARES {
            if let Some(Shows::Tag(tag)) = frames.lately(square) {
                // A known piece is not learned again, and a full table stays as it is.
                let _ = self.table.add(tag, queen);
            }
        }
    }

    /// Lists the squares that prevent learning the set.
    fn list_faults(&self, learned: &mut Learned) {
        let initial = Placement::initial();
        let Some(frames) = self.session.frames() else { return };
        let shown: Vec<(Square, Shows)> = Square::all().filter_map(|square| Some((square, frames.lately(square)?))).collect();
        for &(square, shows) in &shown {
            let is_spare = SPARES.iter().any(|(place, _)| *place == square);
            match (shows, initial.get(square).piece()) {
                (Shows::Tag(_), place) => {
                    if shown.iter().any(|(other, same)| *other != square && *same == shows) {
                        learned.twice.push(square);
                    }
                    if place.is_none() && !is_spare {
                        learned.strange.push(square);
                    }
                }
                (Shows::Unclear, None) => learned.strange.push(square),
                (Shows::Nothing | Shows::Unclear, Some(_)) => learned.unread.push(square),
                (Shows::Nothing, None) => {}
            }
        }
    }
}

impl Driver for Learner {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.session.handle(at, input);
        self.update_table();
    }

    fn poll(&mut self) -> Option<Output> {
        self.session.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        self.session.deadline()
    }

    fn learned(&self) -> Option<Learned> {
        let mut learned = Learned { heard: self.session.frames().is_some_and(TagFrames::are_enough), ..Learned::default() };
        let mut left = Placement::initial();
        for (_, piece) in self.table.entries() {
            // The first pieces of each kind belong to the set.
            match Square::all().find(|square| left.get(*square).piece() == Some(*piece)) {
                Some(square) => left.set(square, Reading::Empty),
                None => learned.spares.push(*piece),
            }
        }
        learned.men = self.table.entries().len() - learned.spares.len();
        match learned.men {
            0 => self.list_faults(&mut learned),
            _ => learned.calibration = Some(self.table.print()),
        }
        Some(learned)
    }
}
