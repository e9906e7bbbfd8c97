//! Keeps the moves that were made and are not sure: a move that was made stays made, whatever is lifted later (4.7).
//!
//! A reading of the board follows the board, so it loses a move whose man is lifted. The Laws do not: what a flag-fall, an offer or
//! the end of the game is about is what was made.

use alloc::vec::Vec;

use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::reconstruct::Decoder;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::gesture;
use crate::reconstruct::line::Tentative;
use crate::reconstruct::record::Record;
use crate::reconstruct::tuning::SETTLE_TIME;

/// The moves that were made after the first `base` moves of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct MadeMoves {
    base: usize,
    plies: Vec<Tentative>,
    /// The board shows them all; other men may be lifted.
    shown: bool,
    /// When the board last showed them all.
    until: Instant,
}

/// Two lists are the same if they have the same moves with the same times.
impl PartialEq for MadeMoves {
    fn eq(&self, other: &MadeMoves) -> bool {
        self.base == other.base && self.moves().eq(other.moves())
    }
}

impl Eq for MadeMoves {}

impl MadeMoves {
    /// The number of moves of the record that they follow.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    pub(crate) fn plies(&self) -> &[Tentative] {
        &self.plies
    }

    fn moves(&self) -> impl Iterator<Item = (Move, Interval)> {
        self.plies.iter().map(|ply| (ply.mv, ply.made))
    }

    /// The number of moves, from the first one on, that stood for so long that their men were certainly released.
    fn rested(&self) -> usize {
        let rests = |ply: &&Tentative| !ply.inferred && ply.made.latest.after(SETTLE_TIME) <= self.until;
        self.plies.iter().take_while(rests).count()
    }

    /// Follows the record and the reading `line`, which the board has shown until `seen`. The board differs from this reading on the
    /// squares `unexplained`. `stay` is true if not even another move takes the place of one that has rested.
    fn follow(&mut self, seen: Instant, record: &Record, line: &[Tentative], unexplained: u64, stay: bool) {
        let explained = unexplained == 0;
        let sure = record.moves().len();
        while self.base < sure && self.plies.first().map(|ply| ply.mv) == record.moves().get(self.base).map(|known| known.mv) {
            self.plies.remove(0);
            self.base += 1;
        }
        if self.base != sure {
            (self.base, self.shown) = (sure, false);
            self.plies.clear();
        }
        if self.shown {
            self.until = self.until.max(seen);
        }
        let rested = self.rested();
        let same = self.plies.iter().zip(line).take_while(|(made, read)| made.mv == read.mv).count();
        let kept = if explained && !stay { same } else { same.max(rested) };
        self.plies.truncate(kept);
        for (index, (made, read)) in self.plies.iter_mut().zip(line).take(same).enumerate() {
            // A man that was lifted and put back has made its move once. Evidence may show that this was earlier.
            if index >= rested || read.made.latest < made.made.latest {
                made.clone_from(read);
            }
        }
        // Another man that is lifted does not mean that these are not released.
        let moved = line.iter().fold(0, |moved, ply| moved | ply.mask);
        self.shown = unexplained & moved == 0 && kept == same;
        if kept == same {
            self.plies.extend_from_slice(&line[same..]);
        }
        if self.shown {
            self.until = self.until.max(seen);
        }
    }

    /// Drops the last moves if they are kings' moves to the centre that were made after `fell` and only show a result.
    fn drop_half_gestures(&mut self, fell: Option<Instant>) {
        let shows_result =
            |ply: &Tentative| ply.pressed.is_none() && gesture::is_half(ply.mv) && fell.is_none_or(|fell| ply.made.latest > fell);
        while self.plies.last().is_some_and(shows_result) {
            self.plies.pop();
        }
    }

    /// True if the game has lost these moves, which stood at `at`: it has none in their place that may have been made by then.
    pub(crate) fn are_lost(&self, decoder: &Decoder, at: Instant) -> bool {
        let sure = decoder.record.moves().since(self.base).map(|known| (known.mv, known.made));
        let mut now = sure.chain(decoder.made().iter().map(|ply| (ply.mv, ply.made)));
        let other = self.plies.iter().map(|ply| (ply.mv, now.next())).find(|(mv, other)| Some(*mv) != other.map(|(mv, _)| mv));
        self.base <= decoder.record.moves().len()
            && other.is_some_and(|(_, other)| other.is_none_or(|(_, made)| made.earliest >= at))
    }
}

impl Decoder {
    /// The moves that were made and are not sure, also those whose men were lifted again.
    pub(crate) fn made(&self) -> &[Tentative] {
        // Some of them may have become sure just now.
        let sure = self.record.moves().len().saturating_sub(self.made.base);
        self.made.plies.get(sure..).unwrap_or_default()
    }

    /// Keeps with `stood` the moves that have rested and were made by `until`. A move that is kept stays.
    pub(crate) fn keep_stood(&self, stood: &mut MadeMoves, until: Instant) {
        let made = &self.made;
        let in_time = made.plies[..made.rested()].iter().take_while(|ply| ply.made.latest <= until).count();
        let more =
            stood.plies.is_empty() || (stood.base == made.base && made.moves().zip(stood.moves()).all(|(one, two)| one == two));
        if more && in_time > stood.plies.len() {
            *stood = MadeMoves { plies: made.plies[..in_time].to_vec(), ..made.clone() };
        }
    }

    /// Keeps the moves that are made. `stay`: a flag fell that may cost the game, or the clocks were stopped, so no other move takes the
    /// place of one that has rested. `sign`: kings show a result, whose moves to the centre are none unless they were made when a flag
    /// `fell`.
    pub(crate) fn keep_made(&mut self, now: Instant, board: &PhysicalBoard, stay: bool, fell: Option<Instant>, sign: bool) {
        let unexplained = self.unexplained_squares(board);
        let mut made = core::mem::take(&mut self.made);
        made.follow(board.shown_until(now), &self.record, self.line().plies(), unexplained, stay);
        if sign {
            made.drop_half_gestures(fell);
        }
        self.made = made;
    }
}
