//! Simulates the pieces of an emulated board, on its squares and in the hand, and sensors with faults.

use flagfall_protocols::square::{Piece, Placement, Reading, Square};
use flagfall_protocols::time::Instant;

/// The reason why a hand movement was impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// The square holds no piece to lift or push.
    NothingThere(Square),
    /// The hand holds no piece to put down.
    EmptyHand,
    /// No straight line leads from the first to the second square.
    NotStraight(Square, Square),
    /// The clock runs and cannot be set.
    ClockRuns,
    /// The hand is full.
    FullHand,
    /// The board has no clock, or no clock with a cable.
    NoClock,
}

/// The pieces on the squares, the pieces in the hand, and the faults of the sensors.
#[derive(Clone, Debug)]
pub(super) struct SimulatedBoard {
    pieces: Placement,
    hand: Vec<Reading>,
    faults: Vec<(Square, Reading, Instant)>,
}

/// The largest number of pieces in the hand. This is more than a set has with its spare queens.
const HAND: usize = 64;

impl SimulatedBoard {
    pub(super) const fn new(pieces: Placement) -> SimulatedBoard {
        SimulatedBoard { pieces, hand: Vec::new(), faults: Vec::new() }
    }

    /// Returns the pieces that the sensors see.
    pub(super) fn seen(&self) -> Placement {
        let mut seen = self.pieces;
        for &(square, reading, _) in &self.faults {
            seen.set(square, reading);
        }
        seen
    }

    /// Puts all pieces on the board at once. The hand is empty afterwards.
    pub(super) fn set_up(&mut self, pieces: Placement) {
        self.pieces = pieces;
        self.hand.clear();
    }

    pub(super) fn lift(&mut self, square: Square) -> Result<(), Impossible> {
        let piece = self.pieces.get(square);
        if piece == Reading::Empty {
            return Err(Impossible::NothingThere(square));
        }
        if self.hand.len() == HAND {
            return Err(Impossible::FullHand);
        }
        self.pieces.set(square, Reading::Empty);
        self.hand.push(piece);
        Ok(())
    }

    /// Puts the last lifted piece, or `piece` from the box, on `square`. A piece that stood there is pushed off the board.
    pub(super) fn place(&mut self, square: Square, piece: Option<Piece>) -> Result<(), Impossible> {
        let piece = match piece {
            Some(piece) => Reading::Piece(piece),
            None => self.hand.pop().ok_or(Impossible::EmptyHand)?,
        };
        self.pieces.set(square, piece);
        Ok(())
    }

    pub(super) fn drop(&mut self) -> Result<(), Impossible> {
        self.hand.pop().map(|_| ()).ok_or(Impossible::EmptyHand)
    }

    /// Does one step of a slide. A piece on `to` is pushed off the board.
    pub(super) fn shift(&mut self, from: Square, to: Square) -> Result<(), Impossible> {
        let piece = self.pieces.get(from);
        if piece == Reading::Empty {
            return Err(Impossible::NothingThere(from));
        }
        self.pieces.set(from, Reading::Empty);
        self.pieces.set(to, piece);
        Ok(())
    }

    /// Makes the sensor of `square` report `reading` until the time `until`, whatever stands there. If two faults overlap, the
    /// newer one counts.
    pub(super) fn misread(&mut self, square: Square, reading: Reading, until: Instant) {
        self.faults.push((square, reading, until));
    }

    pub(super) fn end_faults(&mut self, now: Instant) {
        self.faults.retain(|&(_, _, until)| until > now);
    }
}

/// Returns the squares on a straight line from `from` (excluded) to `to`; `None` if there is no such line.
pub(super) fn line_between(from: Square, to: Square) -> Option<Vec<Square>> {
    let files = i32::from(to.file()) - i32::from(from.file());
    let ranks = i32::from(to.rank()) - i32::from(from.rank());
    let steps = files.abs().max(ranks.abs());
    if steps == 0 || (files != 0 && ranks != 0 && files.abs() != ranks.abs()) {
        return None;
    }
    let stride = files.signum() + 8 * ranks.signum();
    (1..=steps).map(|step| Square::new(u8::try_from(from.index() as i32 + step * stride).ok()?)).collect()
}
