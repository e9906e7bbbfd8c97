//! The public's picture of a board, made of what was let go.

use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_protocols::time::Instant;

use super::Delay;
use super::queue::{DelayQueue, DelayedContent, DelayedItem, Lost};
use crate::publish::{Message, Messages};
use crate::wire::moves::LiveMove;
use crate::wire::state::LiveState;

/// What the public knows of a board, and what waits.
#[derive(Clone, Debug)]
pub(crate) struct PublicAudience {
    queue: DelayQueue,
    /// None before the first.
    state: Option<LiveState>,
    /// When that was.
    at: Instant,
    /// Pictures that were let go and changed more than the clock.
    rev: u32,
    /// An event was let go and its picture not yet.
    awaits_state: bool,
}

impl PublicAudience {
    pub(crate) fn new(delay: Delay) -> PublicAudience {
        PublicAudience { queue: DelayQueue::new(delay), state: None, at: Instant::ZERO, rev: 0, awaits_state: false }
    }

    /// Takes what the live audience learns with this effect.
    pub(crate) fn handle_effect(&mut self, at: Instant, effect: &Effect, game: &Game) {
        self.queue.handle_effect(at, effect, game);
    }

    /// A step of the game is done.
    pub(crate) fn finish_step(&mut self, at: Instant, game: &Game) {
        self.queue.finish_step(at, game);
    }

    /// When something may go.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.queue.deadline()
    }

    /// What the bounds of the line have cost.
    pub(crate) fn lost(&self) -> Lost {
        self.queue.lost
    }

    /// Lets go what may go now: every event, and the last picture.
    pub(crate) fn release_due(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        let mut changed = false;
        while let Some(item) = self.queue.pop_due(now) {
            changed |= self.release_item(now, item, messages, out);
        }
        if changed {
            self.add_current_state(now, messages, out);
        }
    }

    /// The picture as the public has it, if there is one.
    pub(crate) fn add_current_state(&self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        if let Some(state) = self.state.as_ref().filter(|_| !self.awaits_state) {
            messages.add_public_state(now, self.at, self.rev, state, out);
        }
    }

    /// Only records let anything go: see [`DelayQueue::hold`].
    pub(crate) fn hold(&mut self) {
        self.queue.hold();
    }

    /// A record at `now` says that one more event was let go.
    pub(crate) fn release_recorded(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        let mut items = Vec::new();
        self.queue.pop_recorded(|item| items.push(item));
        for item in items {
            self.release_item(now, item, messages, out);
        }
    }

    /// The records end here: see [`DelayQueue::resume`].
    pub(crate) fn resume(&mut self, floor: Instant) {
        let mut items = Vec::new();
        self.queue.resume(floor, |item| items.push(item));
        for item in items {
            self.apply_item(item);
        }
    }

    /// Whether it was a picture; an event becomes a message.
    fn release_item(&mut self, now: Instant, item: DelayedItem, messages: &mut Messages, out: &mut Vec<Message>) -> bool {
        messages.add_public_event(now, &item, out);
        self.apply_item(item)
    }

    fn apply_item(&mut self, item: DelayedItem) -> bool {
        let known = self.state.get_or_insert_with(|| LiveState { game_no: item.game, ..LiveState::default() });
        if known.game_no != item.game {
            known.game_no = item.game;
            known.moves.clear();
        }
        match item.content {
            DelayedContent::Move(told) => {
                known.moves.truncate(told.ply.saturating_sub(1) as usize);
                known.moves.push(LiveMove::from(told));
                self.awaits_state = true;
                false
            }
            DelayedContent::Revision { from_ply, moves } => {
                known.moves.truncate(from_ply.saturating_sub(1) as usize);
                known.moves.extend(moves.into_iter().map(LiveMove::from));
                self.awaits_state = true;
                false
            }
            DelayedContent::State { mut state, revised, whole } => {
                if !whole {
                    state.moves = std::mem::take(&mut known.moves);
                }
                *known = state;
                self.at = item.at;
                self.rev += u32::from(revised);
                self.awaits_state = false;
                true
            }
        }
    }
}
