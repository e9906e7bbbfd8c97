//! Computes the effect of arbiters' corrections of position and moves on the record of the game.

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::interval::Interval;
use crate::pair::Pair;
use crate::reconstruct::record::{How, Record};
use crate::seen::Seen;

/// The largest number of completed moves that may be entered for a player. The longest game that the Laws allow has fewer moves
/// (9.6.2).
const MOST_MOVES: u32 = 9_999;

/// A record in which the last move was replaced or added.
pub(crate) struct Correction {
    pub(crate) record: Record,
    /// The time at which the corrected move was made.
    pub(crate) made: Interval,
    pub(crate) color: Color,
}

impl Seen {
    /// The number of plies after which the record last had this position.
    pub(crate) fn plies_to(&self, position: &Chess) -> Option<usize> {
        let mut earlier = self.play.decoder.record.clone();
        (0..=earlier.moves().len()).rev().find(|&kept| {
            earlier.truncate(kept);
            earlier.node().position == *position
        })
    }

    /// The record after `plies` plies, followed by this move, which an arbiter states.
    ///
    /// # Errors
    /// Fails if the game is shorter, or if the move is not legal there.
    pub(crate) fn corrected(&self, now: Instant, plies: usize, uci: &str) -> Result<Correction, &'static str> {
        let decoder = &self.play.decoder;
        if plies > decoder.record.moves().len() {
            return Err("the game has fewer moves");
        }
        let mut record = decoder.record.clone();
        record.truncate(plies);
        let uci = UciMove::from_ascii(uci.as_bytes()).map_err(|_| "the move cannot be read")?;
        let mv = uci.to_move(&record.node().position).map_err(|_| "the move is not legal there")?;
        let color = record.turn();
        let replaced = decoder.record.moves().get(plies);
        let standing = decoder.made().first().filter(|_| replaced.is_none());
        let at_once = Interval { earliest: now, latest: now };
        let made = replaced.map(|known| known.made).or(standing.map(|ply| ply.made)).unwrap_or(at_once);
        let pressed = decoder.waiting_press(color).filter(|_| replaced.is_none());
        let times = replaced.map_or(self.clock.view().times, |known| known.clocks);
        record.push(mv, made, pressed, How::Arbiter, times);
        match replaced {
            Some(replaced) => record.completed_like(&replaced),
            None if pressed.is_none() => {
                // The time of the press is not known. It came after the move before.
                let before = decoder.record.moves().last().map_or(Instant::ZERO, |last| last.made.earliest);
                record.completed_within(Interval { earliest: before.min(made.earliest), latest: now });
            }
            None => {}
        }
        Ok(Correction { record, made, color })
    }

    /// Sets the numbers of completed moves, and their numbers at each flag-fall.
    ///
    /// # Errors
    /// Fails if the numbers are higher than in any game.
    pub(crate) fn set_move_count(&mut self, completed: &Pair<u32>) -> Result<(), &'static str> {
        if completed.white.max(completed.black) > MOST_MOVES {
            return Err("no game has so many moves");
        }
        for color in [Color::White, Color::Black] {
            let recorded = self.play.decoder.record.completed(color, None).0;
            // The scoresheets may have fewer moves than the record.
            *self.play.completed_before.get_mut(color) = Some(*completed.get(color) as i32 - recorded as i32);
        }
        let (record, before) = (&self.play.decoder.record, &self.play.completed_before);
        for fall in self.clock.chessclock.flags_mut().iter_mut() {
            // The entered count includes moves of which only the number is known.
            let entered = record.entered_around(fall.side, &fall.fell);
            let (sure, more) = record.completed(fall.side, Some(&fall.fell));
            fall.counted = before
                .get(fall.side)
                .filter(|_| entered > 0)
                .map(|before| (before.saturating_add_unsigned(sure + entered).max(0) as u32, more > entered));
        }
        Ok(())
    }
}
