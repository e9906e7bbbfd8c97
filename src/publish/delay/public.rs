//! Makes the state of a board for the public from the items that were released after the delay.

use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_protocols::time::Instant;

use super::Delay;
use super::clocks::{DelayedClocks, ShownClock};
use super::queue::{DelayQueue, DelayedContent, DelayedItem, Lost};
use crate::outputs::board_games::{BoardGames, BoardHead, SeenGame};
use crate::publish::{Message, Messages};
use crate::wire::moves::LiveMove;
use crate::wire::player::Players;
use crate::wire::round_games::InRound;
use crate::wire::state::LiveState;

/// The published state of a board for the public, and the items that wait for their release.
#[derive(Clone, Debug)]
pub(crate) struct PublicAudience {
    queue: DelayQueue,
    clocks: DelayedClocks,
    /// The players, if they are known. They are no part of the game and have no delay.
    players: Option<Players>,
    /// The last state that was released, with the moves of later events; none before the first item.
    state: Option<LiveState>,
    /// The time of that state on the board.
    at: Instant,
    /// The number of released states.
    rev: u32,
    /// Whether an event was released and its state was not yet.
    awaits_state: bool,
    /// The last game as a state showed it: while a state is awaited, `state` has more.
    seen: Option<LiveState>,
    /// The games of the round before it.
    earlier: BoardGames,
    chess960: bool,
    /// Whether `seen` has changed since its PGN was made.
    seen_changed: bool,
}

impl PublicAudience {
    pub(crate) fn new(delay: Delay, chess960: bool) -> PublicAudience {
        PublicAudience {
            queue: DelayQueue::new(delay),
            clocks: DelayedClocks::default(),
            players: None,
            state: None,
            at: Instant::ZERO,
            rev: 0,
            awaits_state: false,
            seen: None,
            earlier: BoardGames::default(),
            chess960,
            seen_changed: false,
        }
    }

    /// Sets the players of the states from now on.
    pub(crate) fn set_players(&mut self, players: Option<Players>) {
        if let Some(state) = &mut self.state {
            state.players.clone_from(&players);
        }
        self.players = players;
    }

    /// From now on the public gets the game on the board, of which it has seen no moves.
    pub(crate) fn join(&mut self, at: Instant, game: &Game, in_round: InRound) {
        self.queue.add_whole_state(at, game, in_round);
    }

    /// The live audience gets another state of a game before the one on the board.
    pub(crate) fn revise_earlier(&mut self, at: Instant, state: LiveState) {
        self.queue.add_earlier_state(at, state);
    }

    /// Adds what this effect reports to the public.
    pub(crate) fn handle_effect(&mut self, at: Instant, effect: &Effect, game: &Game, in_round: InRound) {
        if matches!(effect, Effect::Clock) && self.clocks.add(at, game, &self.queue) {
            self.queue.lost.merged += 1;
        }
        self.queue.handle_effect(at, effect, game, in_round);
    }

    /// Takes back everything, also what waits: the round has pairings, and the board has none. If it is paired later, the public gets
    /// the game on it as [`PublicAudience::join`] gives it.
    pub(crate) fn withdraw(&mut self) {
        self.queue.clear();
        self.clocks = DelayedClocks::default();
        (self.state, self.seen, self.awaits_state, self.seen_changed) = (None, None, false, false);
        self.earlier = BoardGames::default();
    }

    /// Ends a step of the game.
    pub(crate) fn finish_step(&mut self, at: Instant, game: &Game) {
        self.queue.finish_step(at, game);
    }

    /// Returns the number of the game that the public sees.
    pub(crate) fn game_no(&self) -> u32 {
        self.state.as_ref().map_or(1, |state| state.game_no)
    }

    /// Whether the games have changed that [`PublicAudience::pgn`] writes.
    pub(crate) fn has_new_games(&self) -> bool {
        self.seen_changed
    }

    /// Returns the games of the board as the public has them, in PGN; none before the first state, and if they are too long.
    pub(crate) fn pgn(&mut self, head: &BoardHead) -> Option<String> {
        self.seen_changed = false;
        self.earlier.pgn(&SeenGame::from(self.seen.as_ref()?), head)
    }

    /// Returns when something is due.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        [self.queue.deadline(), self.clocks.deadline(&self.queue)].into_iter().flatten().min()
    }

    /// Whether moves, corrections or a state wait. Times of the clock do not count: a clock that stands shows none that are new.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Returns what was lost because the queue was full.
    pub(crate) fn lost(&self) -> Lost {
        self.queue.lost
    }

    /// Releases what is due now: every event, the last state, and the last times of the clock.
    pub(crate) fn release_due(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        let mut changed = false;
        while let Some(item) = self.queue.pop_due(now) {
            changed |= self.release_item(now, item, messages, out);
        }
        if changed {
            self.note_seen();
            self.add_current_state(now, messages, out);
        }
        if self.clocks.release_due(now, &self.queue) {
            self.add_clock(now, messages, out);
        }
    }

    /// Adds the present state and the present times for the public, if there are any.
    pub(crate) fn add_all_current_states(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        self.add_current_state(now, messages, out);
        self.add_clock(now, messages, out);
    }

    fn add_current_state(&self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        if let Some(state) = self.state.as_ref().filter(|_| !self.awaits_state) {
            messages.add_public_state(now, self.at, self.rev, state.clone(), out);
        }
    }

    fn add_clock(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        let rev = self.rev;
        if let Some(ShownClock { at, game, body }) = self.clocks.publish(now) {
            messages.add_public_clock(now, *at, *game, rev, body, out);
        }
    }

    /// From now on only records release anything: see [`DelayQueue::hold`].
    pub(crate) fn hold(&mut self) {
        self.queue.hold();
    }

    /// Releases one more event, which a record at `now` says was released.
    pub(crate) fn release_recorded(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        let mut items = Vec::new();
        self.queue.pop_recorded(|item| items.push(item));
        for item in items {
            self.release_item(now, item, messages, out);
        }
        self.note_seen();
    }

    /// Continues with the delay when the records end: see [`DelayQueue::resume`].
    pub(crate) fn resume(&mut self, floor: Instant) {
        let mut items = Vec::new();
        self.queue.resume(floor, |item| items.push(item));
        for item in items {
            self.apply_item(item);
        }
        self.note_seen();
        self.clocks.resume(floor, &self.queue);
    }

    /// Notes the game as the last state shows it, if nothing has come behind that state.
    fn note_seen(&mut self) {
        if let Some(state) = self.state.as_ref().filter(|_| !self.awaits_state) {
            self.seen = Some(state.clone());
            self.seen_changed = true;
        }
    }

    /// Releases an item: an event becomes a message. Returns whether the item was a state.
    fn release_item(&mut self, now: Instant, item: DelayedItem, messages: &mut Messages, out: &mut Vec<Message>) -> bool {
        messages.add_public_event(now, &item, out);
        self.apply_item(item)
    }

    /// Applies an item to the public's state. Returns whether the item was a state.
    fn apply_item(&mut self, item: DelayedItem) -> bool {
        let known = self.state.get_or_insert_with(|| LiveState { game_no: item.game, ..LiveState::default() });
        if known.game_no != item.game {
            let last = if self.awaits_state { self.seen.take() } else { Some(known.clone()) };
            last.into_iter().for_each(|last| self.earlier.end_game(SeenGame::from(&last), self.chess960));
            (self.seen, known.began, known.round_game) = (None, None, None);
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
            DelayedContent::Times(moves) => {
                for told in moves.into_iter().map(LiveMove::from) {
                    // A move that was dropped from the full queue is in the next state.
                    let known = known.moves.get_mut(told.ply.saturating_sub(1) as usize);
                    if let Some(known) = known.filter(|known| known.uci == told.uci) {
                        *known = told;
                    }
                }
                self.awaits_state = true;
                false
            }
            DelayedContent::State { mut state, whole } => {
                if !whole {
                    state.moves = std::mem::take(&mut known.moves);
                }
                state.players.clone_from(&self.players);
                self.clocks.show(ShownClock { at: item.at, game: item.game, body: state.clock.clone() });
                *known = *state;
                self.at = item.at;
                self.rev += 1;
                self.awaits_state = false;
                true
            }
        }
    }
}
