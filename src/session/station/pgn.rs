//! Makes the PGN of the board for the live audience and for the public, from what they were shown (`wire/README.md#2.1`).

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Audience;

use super::{ChangedPgn, Station, StationOutput};

impl Station {
    /// The audiences whose games on this board have changed since their PGN was made. It is never made by itself, since its cost
    /// grows with the length of all games.
    pub fn changed_pgn(&self) -> ChangedPgn {
        let public = self.public.as_ref().is_some_and(|public| public.has_new_games());
        ChangedPgn { live: self.round.has_new_games(), public }
    }

    /// Makes the PGN for these audiences. It shows what the last state of each audience shows, and the games before it. There is none
    /// before the first state, and none if the last game alone is longer than a PGN may be.
    pub fn make_pgn(&mut self, at: Instant, which: ChangedPgn, out: &mut Vec<StationOutput>) {
        let live = which.live.then(|| self.round.pgn(&self.head)).flatten();
        let public = self.public.as_mut().filter(|_| which.public).and_then(|public| public.pgn(&self.head));
        for (audience, pgn) in [(Audience::Live, live), (Audience::Public, public)] {
            if let Some(pgn) = pgn {
                self.messages.add_pgn(at, audience, pgn, &mut self.made);
            }
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }
}
