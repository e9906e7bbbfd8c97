//! Publishes a state of the live audience again that was made before: the game on the board is not published.

use flagfall_game::effect::Effect;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace;

use super::{Header, Message, Messages};
use crate::publish::states::EarlierState;
use crate::wire::state::LiveState;

impl Messages {
    /// Adds the state or the times that the live audience keeps while a game is on the board that is not published; nothing if it
    /// has seen none.
    pub(crate) fn add_earlier(&mut self, at: Instant, effect: &Effect, earlier: Option<&EarlierState>, out: &mut Vec<Message>) {
        let Some(EarlierState { at: happened, rev, state, .. }) = earlier else { return };
        let header = |kind, topic| Header {
            audience: trace::Audience::Live,
            kind,
            topic,
            event: false,
            at,
            happened: *happened,
            game: state.game_no,
            rev: *rev,
        };
        match effect {
            Effect::Clock => self.add_message(header("board.clock", self.board.live_clock()), &state.clock, out),
            _ => {
                let state = LiveState { players: self.players.clone(), ..state.clone() };
                self.add_message(header("board.state", self.board.live_state()), &state, out);
            }
        }
    }
}
