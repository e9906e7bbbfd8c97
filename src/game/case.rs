//! A game as the Laws look at it: what they may read, and nothing to change.

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::alarm::Alarms;
use crate::desk::Desk;
use crate::interval::Interval;
use crate::irregular::Irregularities;
use crate::laws::outcome::Ending;
use crate::men;
use crate::seen::Seen;

/// The facts of a game at one moment; what the tables ask is made of them in `facts`, `at_fall`, `penalties` and `evidence`.
pub(crate) struct Case<'a> {
    pub(crate) now: Instant,
    pub(crate) seen: &'a Seen,
    pub(crate) irregular: &'a Irregularities,
    pub(crate) alarms: &'a Alarms,
    pub(crate) desk: &'a Desk,
}

impl Case<'_> {
    /// A piece is lifted or put elsewhere: the board shows neither the last made move nor the position before it.
    pub(crate) fn touched(&self) -> bool {
        let decoder = &self.seen.play.decoder;
        !men::same(self.seen.board.men(), &decoder.line().top(decoder.record.node()).men)
    }

    /// What the board as it stands would end, counting moves that are made and not yet sure.
    pub(crate) fn ending_on_board(&self) -> Option<(Ending, Interval, Color)> {
        let play = &self.seen.play;
        play.ending.or_else(|| {
            let line = play.decoder.line().plies();
            let ends = |count| play.decoder.record.ending_of_line(&line[..count]);
            (1..=line.len()).find_map(|count| Some((ends(count)?, line[count - 1].made, line[count - 1].color)))
        })
    }
}
