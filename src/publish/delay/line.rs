//! The line in which everything for the public waits.

use std::collections::VecDeque;

use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::played::LiveMove;
use flagfall_game::stage::Stage;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::Delay;
use crate::publish::picture;
use crate::wire::moves;
use crate::wire::state::LiveState;

/// Events that may wait: many hours of blitz.
pub const MAX_EVENTS: usize = 3072;
/// Pictures that may wait.
pub const MAX_STATES: usize = 1024;

/// Something that the live audience learned.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// When.
    pub(crate) at: Instant,
    /// In which game.
    pub(crate) game: u32,
    /// How many moves it knew with this.
    plies: u32,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    Move(LiveMove),
    Revision {
        from_ply: u32,
        moves: Vec<LiveMove>,
    },
    /// The picture; its list of moves is empty unless `whole`, since the events before it make it.
    State {
        picture: LiveState,
        /// More than the clock changed.
        revised: bool,
        /// An event before it found no room.
        whole: bool,
    },
}

impl What {
    const fn is_state(&self) -> bool {
        matches!(self, What::State { .. })
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
pub(crate) struct Line {
    delay: Delay,
    entries: VecDeque<Entry>,
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

impl Line {
    pub(crate) fn new(delay: Delay) -> Line {
        Line {
            delay,
            entries: VecDeque::new(),
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
    pub(crate) fn take(&mut self, at: Instant, effect: &Effect, game: &Game) {
        match effect {
            Effect::LiveMove(told) => self.event(at, game, told.ply, What::Move(*told)),
            Effect::LiveRevision { from_ply, moves } => {
                let what = What::Revision { from_ply: *from_ply, moves: moves.clone() };
                self.event(at, game, game.told_plies() as u32, what);
            }
            Effect::State(Audience::Live) => self.state(at, game, true),
            // Nobody is shown seconds that ran off long ago, but whose clock ran is shown.
            Effect::Clock if game.clock().running != self.running => self.state(at, game, false),
            _ => {}
        }
    }

    /// A step of the game is done: a number of moves or an end may have been waited for.
    pub(crate) fn stepped(&mut self, at: Instant, game: &Game) {
        let now = (game.number(), game.told_plies() as u32, game.stage() == Stage::Over || game.result().is_some());
        if now != (self.game, self.plies, self.over) {
            (self.game, self.plies, self.over) = now;
            self.since = at;
        }
    }

    fn event(&mut self, at: Instant, game: &Game, plies: u32, what: What) {
        if self.entries.len() - self.states == MAX_EVENTS {
            self.lost.dropped += 1;
            self.missed = true;
            return;
        }
        self.entries.push_back(Entry { at, game: game.number(), plies, what });
    }

    fn state(&mut self, at: Instant, game: &Game, revised: bool) {
        self.running = game.clock().running;
        let whole = self.missed;
        let (plies, mut picture) = (game.told_plies() as u32, picture::without_moves(game));
        if whole {
            picture.moves = game.told().map(moves::LiveMove::from).collect();
        }
        let full = self.entries.len() - self.states == MAX_EVENTS;
        // While there is no room for events the last picture is as good as all after the last event.
        self.missed = whole && full;
        if full && self.entries.back().is_some_and(|last| matches!(last.what, What::State { whole: true, .. })) {
            self.entries.pop_back();
            self.states -= 1;
            self.lost.merged += 1;
        }
        if self.states == MAX_STATES {
            let oldest = self.entries.iter().position(|entry| matches!(entry.what, What::State { whole: false, .. }));
            if oldest.and_then(|oldest| self.entries.remove(oldest)).is_some() {
                self.states -= 1;
                self.lost.merged += 1;
            }
        }
        self.entries.push_back(Entry { at, game: game.number(), plies, what: What::State { picture, revised, whole } });
        self.states += 1;
    }

    /// When the first entry may go; none while moves are waited for.
    fn due(&self) -> Option<Instant> {
        let first = self.entries.front()?;
        let timed = first.at.after(self.delay.time);
        if self.delay.moves == 0 {
            return Some(timed);
        }
        let followed = self.plies >= first.plies.saturating_add(self.delay.moves);
        (first.game != self.game || self.over || followed).then_some(timed.max(self.since))
    }

    /// When [`Line::pop`] gives something next.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        if self.held { None } else { self.due().map(|due| due.max(self.floor)) }
    }

    /// The first entry, if it may go.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<Entry> {
        self.deadline().filter(|due| *due <= now)?;
        self.next()
    }

    fn next(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?;
        self.states -= usize::from(entry.what.is_state());
        Some(entry)
    }

    /// From now on only records let anything go: what was let go under another delay stays so.
    pub(crate) fn hold(&mut self) {
        self.held = true;
    }

    /// A record says that one more event was let go: what goes with it, in order.
    pub(crate) fn pop_recorded(&mut self, mut taken: impl FnMut(Entry)) {
        while let Some(entry) = self.next() {
            let (is_event, at) = (!entry.what.is_state(), entry.at);
            taken(entry);
            if is_event {
                // The picture that was made in the same step.
                while self.entries.front().is_some_and(|next| next.what.is_state() && next.at == at) {
                    self.next().into_iter().for_each(&mut taken);
                }
                return;
            }
        }
    }

    /// The records end at `floor`: pictures that may have been let go by then are taken to be, and the delay holds again.
    ///
    /// A picture of the moment of an event that was not let go waits with it: it is older than what that moment says in the end.
    pub(crate) fn go_on(&mut self, floor: Instant, mut taken: impl FnMut(Entry)) {
        (self.held, self.floor) = (false, floor);
        let event = self.entries.iter().find(|entry| !entry.what.is_state()).map(|event| event.at);
        let before = |picture: &Entry| picture.what.is_state() && Some(picture.at) != event;
        while self.entries.front().is_some_and(before) && self.due().is_some_and(|due| due <= floor) {
            self.next().into_iter().for_each(&mut taken);
        }
    }
}
