//! Handles a start of the node: the ids of events name it, and numbers that may be given twice are reported.

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace;

use super::{Station, StationOutput};
use crate::publish::delay::PublicAudience;

impl Station {
    /// The node was started for the `boot`-th time: ids name it from here on.
    pub(super) fn begin_numbers(&mut self, at: Instant, boot: u64, restated: Option<[u64; 3]>, out: &mut Vec<StationOutput>) {
        self.messages.set_boot(boot);
        if let Some(from) = restated {
            self.restate(at, from, out);
        }
    }

    /// Publishes to every audience that numbers from `from` on may have been given before.
    fn restate(&mut self, at: Instant, from: [u64; 3], out: &mut Vec<StationOutput>) {
        let game = self.game.number();
        // The public must not learn the number of a game that it does not see yet.
        let public = self.public.as_ref().map(PublicAudience::game_no);
        for (audience, from) in trace::Audience::ALL.into_iter().zip(from) {
            let game = if audience == trace::Audience::Public { public } else { Some(game) };
            if let Some(game) = game {
                self.messages.add_restated(at, audience, game, from, &mut self.made);
            }
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }
}
