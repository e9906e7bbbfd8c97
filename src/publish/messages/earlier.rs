//! What the live audience gets while the game on the board is not published: a state again that was made before, or a deletion.

use flagfall_game::effect::{Audience, Effect};
use flagfall_protocols::time::Instant;

use super::{Header, Message, Messages, deletion};
use crate::publish::parts::Parts;
use crate::publish::states::EarlierState;
use crate::wire::state::LiveState;

impl Messages {
    /// Deletes what the broker may retain for the live audience and the public, because the board has no pairing.
    pub(crate) fn add_withdrawal(&self, at: Instant, out: &mut Vec<Message>) {
        let Messages { board, .. } = self;
        let live = [board.live_state(), board.live_clock(), board.live_pgn()].map(|topic| (Audience::Live, topic));
        let public = [board.public_state(), board.public_clock(), board.public_pgn()].map(|topic| (Audience::Public, topic));
        // An earlier start may have published more of them than this one.
        let parts = (0..Parts::WITHDRAWN)
            .flat_map(|part| [(Audience::Live, board.live_moves(part)), (Audience::Public, board.public_moves(part))]);
        out.extend(
            live.into_iter().chain(public).chain(parts).map(|(audience, topic)| Message { audience, ..deletion(at, topic) }),
        );
    }

    /// Adds the state or the times that the live audience keeps while a game is on the board that is not published; nothing if it
    /// has seen none.
    pub(crate) fn add_earlier(&mut self, at: Instant, effect: &Effect, earlier: Option<&EarlierState>, out: &mut Vec<Message>) {
        let Some(EarlierState { at: happened, rev, state, .. }) = earlier else { return };
        let (happened, game, rev) = (*happened, state.game_no, *rev);
        let header = |kind, topic| Header { happened, game, rev, ..Header::state(at, Audience::Live, kind, topic) };
        match effect {
            Effect::Clock => self.add_message(header("board.clock", self.board.live_clock()), &state.clock, out),
            _ => {
                let state = LiveState { players: self.players.clone(), ..state.clone() };
                self.add_live_state(header("board.state", self.board.live_state()), state, out);
            }
        }
    }
}
