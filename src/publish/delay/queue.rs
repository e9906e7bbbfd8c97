//! The line in which everything for the public waits.

use std::collections::VecDeque;

use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::played::LiveMove;
use flagfall_game::stage::Stage;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::Delay;
use crate::publish::states;
use crate::wire::moves;
use crate::wire::state::LiveState;

/// Events that may wait: many hours of blitz.
pub const MAX_EVENTS: usize = 3072;
/// Pictures that may wait.
pub const MAX_STATES: usize = 1024;

/// Something that the live audience learned.
#[derive(Clone, Debug)]
pub(crate) struct DelayedItem {
    /// When.
    pub(crate) at: Instant,
    /// In which game.
    pub(crate) game: u32,
    /// How many moves it knew with this.
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
    /// The picture; its list of moves is empty unless `whole`, since the events before it make it.
    State {
        state: LiveState,
        /// More than the clock changed.
        revised: bool,
        /// An event before it found no room.
        whole: bool,
    },
}

impl DelayedContent {
    const fn is_state(&self) -> bool {
        matches!(self, DelayedContent::State { .. })
    }
}

/// What the bounds of a line have cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Pictures that went into the next one.
    pub merged: u64,
    /// Events that found no room: the next picture has their moves.
    pub dropped: u64,
}

/// Everything for the public that waits, and what was let go.
#[derive(Clone, Debug)]
pub(crate) struct DelayQueue {
    delay: Delay,
    items: VecDeque<DelayedItem>,
    /// How many of them are pictures.
    states: usize,
    /// The game on the board, its moves, whether it is over, and since when.
    game: u32,
    plies: u32,
    over: bool,
    since: Instant,
    running: Option<Color>,
    /// Records of what was let go say what to let go.
    held: bool,
    /// Nothing is let go before this.
    floor: Instant,
    /// An event was dropped and no picture has its moves yet.
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
            running: None,
            held: false,
            floor: Instant::ZERO,
            missed: false,
            lost: Lost::default(),
        }
    }

    /// Takes what the live audience learns with this effect.
    pub(crate) fn handle_effect(&mut self, at: Instant, effect: &Effect, game: &Game) {
        match effect {
            Effect::LiveMove(told) => self.add_event(at, game, told.ply, DelayedContent::Move(*told)),
            Effect::LiveRevision { from_ply, moves } => {
                let content = DelayedContent::Revision { from_ply: *from_ply, moves: moves.clone() };
                self.add_event(at, game, game.told_plies() as u32, content);
            }
            Effect::State(Audience::Live) => self.add_state(at, game, true),
            // Nobody is shown seconds that ran off long ago, but whose clock ran is shown.
            Effect::Clock if game.clock().running != self.running => self.add_state(at, game, false),
            _ => {}
        }
    }

    /// A step of the game is done: a number of moves or an end may have been waited for.
    pub(crate) fn finish_step(&mut self, at: Instant, game: &Game) {
        let now = (game.number(), game.told_plies() as u32, game.stage() == Stage::Over || game.result().is_some());
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

    fn add_state(&mut self, at: Instant, game: &Game, revised: bool) {
        self.running = game.clock().running;
        let whole = self.missed;
        let (plies, mut state) = (game.told_plies() as u32, states::live_state_without_moves(game));
        if whole {
            state.moves = game.told().map(moves::LiveMove::from).collect();
        }
        let full = self.items.len() - self.states == MAX_EVENTS;
        // While there is no room for events the last picture is as good as all after the last event.
        self.missed = whole && full;
        if full && self.items.back().is_some_and(|last| matches!(last.content, DelayedContent::State { whole: true, .. })) {
            self.items.pop_back();
            self.states -= 1;
            self.lost.merged += 1;
        }
        if self.states == MAX_STATES {
            let oldest = self.items.iter().position(|item| matches!(item.content, DelayedContent::State { whole: false, .. }));
            if oldest.and_then(|oldest| self.items.remove(oldest)).is_some() {
                self.states -= 1;
                self.lost.merged += 1;
            }
        }
        self.items.push_back(DelayedItem {
            at,
            game: game.number(),
            plies,
            content: DelayedContent::State { state, revised, whole },
        });
        self.states += 1;
    }

    /// When the first entry may go; none while moves are waited for.
    fn first_due(&self) -> Option<Instant> {
        let first = self.items.front()?;
        let timed = first.at.after(self.delay.time);
        if self.delay.moves == 0 {
            return Some(timed);
        }
        let followed = self.plies >= first.plies.saturating_add(self.delay.moves);
        (first.game != self.game || self.over || followed).then_some(timed.max(self.since))
    }

    /// When [`DelayQueue::pop_due`] gives something next.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        if self.held { None } else { self.first_due().map(|due| due.max(self.floor)) }
    }

    /// The first entry, if it may go.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<DelayedItem> {
        self.deadline().filter(|due| *due <= now)?;
        self.pop_first()
    }

    fn pop_first(&mut self) -> Option<DelayedItem> {
        let item = self.items.pop_front()?;
        self.states -= usize::from(item.content.is_state());
        Some(item)
    }

    /// From now on only records let anything go: what was let go under another delay stays so.
    pub(crate) fn hold(&mut self) {
        self.held = true;
    }

    /// A record says that one more event was let go: what goes with it, in order.
    pub(crate) fn pop_recorded(&mut self, mut released: impl FnMut(DelayedItem)) {
        while let Some(item) = self.pop_first() {
            let (is_event, at) = (!item.content.is_state(), item.at);
            released(item);
            if is_event {
                // The picture that was made in the same step.
                while self.items.front().is_some_and(|next| next.content.is_state() && next.at == at) {
                    self.pop_first().into_iter().for_each(&mut released);
                }
                return;
            }
        }
    }

    /// The records end at `floor`: pictures that may have been let go by then are taken to be, and the delay holds again.
    ///
    /// A picture of the moment of an event that was not let go waits with it: it is older than what that moment says in the end.
    pub(crate) fn resume(&mut self, floor: Instant, mut released: impl FnMut(DelayedItem)) {
        (self.held, self.floor) = (false, floor);
        let event = self.items.iter().find(|item| !item.content.is_state()).map(|event| event.at);
        let before = |state: &DelayedItem| state.content.is_state() && Some(state.at) != event;
        while self.items.front().is_some_and(before) && self.first_due().is_some_and(|due| due <= floor) {
            self.pop_first().into_iter().for_each(&mut released);
        }
    }
}
