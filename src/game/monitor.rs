//! What is remembered of a board that is watched for what is wrong.

use flagfall_protocols::time::Instant;

use crate::men;

/// Since when what has been wrong with the board.
#[derive(Clone, Debug)]
pub(crate) struct BoardMonitor {
    /// Squares that differ from what was played, and since when.
    pub(crate) differing: Differing,
    /// The last change of the board for which a move out of turn was looked for.
    pub(crate) wrong_side_looked: Instant,
    /// When the move was made of which it was last told that it waits for its press.
    pub(crate) incomplete_told: Option<Instant>,
}

impl BoardMonitor {
    pub(crate) const fn new() -> BoardMonitor {
        BoardMonitor { differing: Differing::new(), wrong_side_looked: Instant::ZERO, incomplete_told: None }
    }

    /// Another game begins.
    pub(crate) fn new_game(&mut self) {
        self.differing = Differing::new();
        self.incomplete_told = None;
    }
}

/// Since when each square has differed from what was played.
#[derive(Clone, Debug)]
pub(crate) struct Differing {
    squares: u64,
    since: [Instant; 64],
    /// The last change of the board for which a position of before was looked for.
    pub(crate) looked_back: Instant,
}

impl Differing {
    pub(crate) const fn new() -> Differing {
        Differing { squares: 0, since: [Instant::ZERO; 64], looked_back: Instant::ZERO }
    }

    pub(crate) fn note(&mut self, now: Instant, differs: u64) {
        for square in men::squares(differs & !self.squares) {
            self.since[square.index()] = now;
        }
        self.squares = differs;
    }

    /// Since when all squares of `mask` have differed.
    pub(crate) fn since(&self, mask: u64) -> Instant {
        men::squares(mask).map(|square| self.since[square.index()]).max().unwrap_or(Instant::ZERO)
    }
}
