//! Handles a start of the node: the ids of events name it, and numbers that may be given twice are reported.

use flagfall_game::config::UntilPress;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace;

use super::{Station, StationOutput};
use crate::publish::delay::PublicAudience;
use crate::wire::round_games::RoundBound;

impl Station {
    /// Sets for which audiences made moves wait for their press, until a start says otherwise.
    pub fn with_until_press(mut self, until_press: UntilPress) -> Station {
        self.game.set_until_press(until_press);
        self
    }

    /// The node was started with what its configuration says of the audiences.
    pub(super) fn handle_start(
        &mut self,
        at: Instant,
        bound: Option<RoundBound>,
        until_press: UntilPress,
        out: &mut Vec<StationOutput>,
    ) {
        self.game.set_until_press(until_press);
        self.bound_round(at, bound, out);
    }

    /// The node was started for the `boot`-th time: ids name it from here on.
    pub(super) fn begin_numbers(&mut self, at: Instant, boot: u64, restated: Option<[u64; 3]>, out: &mut Vec<StationOutput>) {
        self.messages.set_boot(boot);
        if let Some(from) = restated {
            self.restate(at, from, out);
        }
    }

    /// Publishes to every audience that numbers from `from` on may have been given before.
    fn restate(&mut self, at: Instant, from: [u64; 3], out: &mut Vec<StationOutput>) {
        for (audience, from) in trace::Audience::ALL.into_iter().zip(from) {
            // Nobody learns the number of a game that he does not see, or does not see yet.
            let game = match audience {
                trace::Audience::Arbiter => Some(self.game.number()),
                trace::Audience::Live => Some(self.earlier_game().unwrap_or(self.game.number())),
                trace::Audience::Public => self.public.as_ref().map(PublicAudience::game_no),
            };
            if let Some(game) = game {
                self.messages.add_restated(at, audience, game, from, &mut self.made);
            }
        }
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }
}
