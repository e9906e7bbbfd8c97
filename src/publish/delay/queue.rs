//! Holds the events and states that the public receives after a delay.

use std::collections::VecDeque;

use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::played::LiveMove;
use flagfall_protocols::time::Instant;

use super::Delay;
use crate::publish::states;
use crate::wire::moves;
use crate::wire::round_games::InRound;
use crate::wire::state::LiveState;

/// The largest number of events and of corrected times in the queue. It is enough for many hours of blitz.
pub const MAX_EVENTS: usize = 3072;
/// The largest number of game states in the queue.
pub const MAX_STATES: usize = 1024;

const PUBLIC: Audience = Audience::Public;

/// The number of moves that were reported to the public.
pub(super) fn plies(game: &Game) -> u32 {
    game.reported_plies(PUBLIC) as u32
}

/// One event or state that waits for the public.
#[derive(Clone, Debug)]
pub(crate) struct DelayedItem {
    /// The time at which it was made.
    pub(crate) at: Instant,
    /// The number of its game.
    pub(crate) game: u32,
    /// The number of plies that were reported to the public by then.
    plies: u32,
    pub(crate) content: DelayedContent,
}

#[derive(Clone, Debug)]
pub(crate) enum DelayedContent {
    Move(LiveMove),
    Revision {
        from_ply: u32,
        moves: Vec<LiveMove>,
    },
    /// Other times of moves than were published. The next state has them; they are no event.
    Times(Vec<LiveMove>),
    /// A state. Its list of moves is empty unless `whole`, since the list follows from the events before it.
    State {
        state: Box<LiveState>,
        /// Whether the list of moves is in it, because an event before it was dropped.
        whole: bool,
    },
}

impl DelayedContent {
    const fn is_state(&self) -> bool {
        matches!(self, DelayedContent::State { .. })
    }

    /// Whether it becomes a numbered message.
    const fn is_event(&self) -> bool {
        matches!(self, DelayedContent::Move(_) | DelayedContent::Revision { .. })
    }
}

/// Counts what was lost because a queue was full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// States that were merged into a later one.
    pub merged: u64,
    /// Events that were dropped. The next state contains their moves.
    pub dropped: u64,
}

/// Everything that waits for the public.
#[derive(Clone, Debug)]
pub(crate) struct DelayQueue {
    delay: Delay,
    items: VecDeque<DelayedItem>,
    /// The number of states among the items.
    states: usize,
    /// The number of the game on the board.
    game: u32,
    /// The number of its plies that were reported to the public.
    plies: u32,
    /// Whether it is over.
    over: bool,
    /// The time at which one of these three changed last.
    since: Instant,
    /// Whether only records of an earlier run release anything.
    held: bool,
    /// The earliest time at which anything may be released.
    floor: Instant,
    /// Whether an event was dropped and no state contains its moves yet.
    missed: bool,
    pub(crate) lost: Lost,
}

impl DelayQueue {
    pub(crate) fn new(delay: Delay) -> DelayQueue {
        DelayQueue {
            delay,
            items: VecDeque::new(),
            states: 0,
            game: 0,
            plies: 0,
            over: false,
            since: Instant::ZERO,
            held: false,
            floor: Instant::ZERO,
            missed: false,
            lost: Lost::default(),
        }
    }

    /// Adds what this effect reports to the public.
    pub(crate) fn handle_effect(&mut self, at: Instant, effect: &Effect, game: &Game, in_round: InRound) {
        match effect {
            Effect::LiveMove { audience: PUBLIC, played } => self.add_event(at, game, played.ply, DelayedContent::Move(*played)),
            Effect::LiveRevision { audience: PUBLIC, from_ply, moves } => {
                let content = DelayedContent::Revision { from_ply: *from_ply, moves: moves.clone() };
                self.add_event(at, game, plies(game), content);
            }
            Effect::LiveTimes { audience: PUBLIC, moves } => {
                self.add_event(at, game, plies(game), DelayedContent::Times(moves.clone()));
            }
            Effect::State(PUBLIC) => self.add_state(at, game, in_round),
            _ => {}
        }
    }

    /// Ends a step of the game: items may wait for its number of plies or for its end.
    pub(crate) fn finish_step(&mut self, at: Instant, game: &Game) {
        self.note_game(at, (game.number(), plies(game), game.stage() == GamePhase::Over || game.result().is_some()));
    }

    /// Notes the number of the game, its plies, and whether it is over.
    pub(super) fn note_game(&mut self, at: Instant, now: (u32, u32, bool)) {
        if now != (self.game, self.plies, self.over) {
            (self.game, self.plies, self.over) = now;
            self.since = at;
        }
    }

    fn add_event(&mut self, at: Instant, game: &Game, plies: u32, content: DelayedContent) {
        if self.items.len() - self.states == MAX_EVENTS {
            self.lost.dropped += 1;
            self.missed = true;
            return;
        }
        self.items.push_back(DelayedItem { at, game: game.number(), plies, content });
    }

    /// Adds the state with all its moves.
    pub(crate) fn add_whole_state(&mut self, at: Instant, game: &Game, in_round: InRound) {
        self.missed = true;
        self.add_state(at, game, in_round);
    }

    fn add_state(&mut self, at: Instant, game: &Game, in_round: InRound) {
        let whole = self.missed;
        let (plies, mut state) = (plies(game), states::state_without_moves(game, PUBLIC).in_round(in_round));
        if whole {
            state.moves = game.reported_moves(PUBLIC).map(moves::LiveMove::from).collect();
        }
        let full = self.items.len() - self.states == MAX_EVENTS;
        // While there is no room for events, only the newest of the states after the last event is needed.
        self.missed = whole && full;
        if full && self.items.back().is_some_and(|last| matches!(last.content, DelayedContent::State { whole: true, .. })) {
            self.items.pop_back();
            self.states -= 1;
            self.lost.merged += 1;
        }
        self.push_state(DelayedItem {
            at,
            game: game.number(),
            plies,
            content: DelayedContent::State { state: Box::new(state), whole },
        });
    }

    /// Adds another state of a game before the one on the board, with all its moves.
    pub(super) fn add_earlier_state(&mut self, at: Instant, state: LiveState) {
        let (game, plies) = (state.game_no, state.moves.len() as u32);
        self.push_state(DelayedItem { at, game, plies, content: DelayedContent::State { state: Box::new(state), whole: true } });
    }

    fn push_state(&mut self, item: DelayedItem) {
        if self.states == MAX_STATES {
            let oldest = self.items.iter().position(|item| matches!(item.content, DelayedContent::State { whole: false, .. }));
            if oldest.and_then(|oldest| self.items.remove(oldest)).is_some() {
                self.states -= 1;
                self.lost.merged += 1;
            }
        }
        self.items.push_back(item);
        self.states += 1;
    }

    /// Drops everything that waits.
    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.states = 0;
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns when the time of the delay is over for something that happened at `at`.
    pub(super) fn timed(&self, at: Instant) -> Instant {
        at.after(self.delay.time)
    }

    /// Returns when something may be released that happened at `at`, in this game and after this number of plies; none while it
    /// waits for moves.
    pub(super) fn due(&self, at: Instant, game: u32, plies: u32) -> Option<Instant> {
        let timed = self.timed(at);
        if self.delay.moves == 0 {
            return Some(timed);
        }
        let followed = self.plies >= plies.saturating_add(self.delay.moves);
        (game != self.game || self.over || followed).then_some(timed.max(self.since))
    }

    fn first_due(&self) -> Option<Instant> {
        self.items.front().and_then(|first| self.due(first.at, first.game, first.plies))
    }

    /// Returns when something that is due at `due` is released; none while only records release anything.
    pub(super) fn not_before(&self, due: Instant) -> Option<Instant> {
        (!self.held).then_some(due.max(self.floor))
    }

    /// Returns the time at which [`DelayQueue::pop_due`] returns the next item.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.first_due().and_then(|due| self.not_before(due))
    }

    /// Removes and returns the first item, if it is due.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<DelayedItem> {
        self.deadline().filter(|due| *due <= now)?;
        self.pop_first()
    }

    fn pop_first(&mut self) -> Option<DelayedItem> {
        let item = self.items.pop_front()?;
        self.states -= usize::from(item.content.is_state());
        Some(item)
    }

    /// From now on only records release anything, since an earlier run may have released under another delay.
    pub(crate) fn hold(&mut self) {
        self.held = true;
    }

    /// Releases everything up to one more event, which a record says was released, and the states of the same step.
    pub(crate) fn pop_recorded(&mut self, mut released: impl FnMut(DelayedItem)) {
        while let Some(item) = self.pop_first() {
            let (is_event, at) = (item.content.is_event(), item.at);
            released(item);
            if is_event {
                // The state that was made in the same step.
                while self.items.front().is_some_and(|next| !next.content.is_event() && next.at == at) {
                    self.pop_first().into_iter().for_each(&mut released);
                }
                return;
            }
        }
    }

    /// Continues with the delay when the records end at `floor`. States that may have been released by then count as released.
    ///
    /// A state from the same time as an event that was not released waits with the event: a later state of that time may follow.
    pub(crate) fn resume(&mut self, floor: Instant, mut released: impl FnMut(DelayedItem)) {
        (self.held, self.floor) = (false, floor);
        let event = self.items.iter().find(|item| item.content.is_event()).map(|event| event.at);
        let before = |item: &DelayedItem| !item.content.is_event() && Some(item.at) != event;
        while self.items.front().is_some_and(before) && self.first_due().is_some_and(|due| due <= floor) {
            self.pop_first().into_iter().for_each(&mut released);
        }
    }
}
