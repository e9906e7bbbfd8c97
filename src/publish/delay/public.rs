//! The public's picture of a board, made of what was let go.

use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_protocols::time::Instant;

use super::Delay;
use super::line::{Entry, Line, Lost, What};
use crate::publish::{Message, Messages};
use crate::wire::moves::LiveMove;
use crate::wire::state::LiveState;

/// What the public knows of a board, and what waits.
#[derive(Clone, Debug)]
pub(crate) struct Public {
    line: Line,
    /// None before the first.
    picture: Option<LiveState>,
    /// When that was.
    at: Instant,
    /// Pictures that were let go and changed more than the clock.
    rev: u32,
    /// An event was let go and its picture not yet.
    between: bool,
}

impl Public {
    pub(crate) fn new(delay: Delay) -> Public {
        Public { line: Line::new(delay), picture: None, at: Instant::ZERO, rev: 0, between: false }
    }

    /// Takes what the live audience learns with this effect.
    pub(crate) fn take(&mut self, at: Instant, effect: &Effect, game: &Game) {
        self.line.take(at, effect, game);
    }

    /// A step of the game is done.
    pub(crate) fn stepped(&mut self, at: Instant, game: &Game) {
        self.line.stepped(at, game);
    }

    /// When something may go.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.line.deadline()
    }

    /// What the bounds of the line have cost.
    pub(crate) fn lost(&self) -> Lost {
        self.line.lost
    }

    /// Lets go what may go now: every event, and the last picture.
    pub(crate) fn wake(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        let mut changed = false;
        while let Some(entry) = self.line.pop(now) {
            changed |= self.let_go(now, entry, messages, out);
        }
        if changed {
            self.present(now, messages, out);
        }
    }

    /// The picture as the public has it, if there is one.
    pub(crate) fn present(&self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        if let Some(picture) = self.picture.as_ref().filter(|_| !self.between) {
            messages.add_public_state(now, self.at, self.rev, picture, out);
        }
    }

    /// Only records let anything go: see [`Line::hold`].
    pub(crate) fn hold(&mut self) {
        self.line.hold();
    }

    /// A record at `now` says that one more event was let go.
    pub(crate) fn wake_recorded(&mut self, now: Instant, messages: &mut Messages, out: &mut Vec<Message>) {
        let mut entries = Vec::new();
        self.line.pop_recorded(|entry| entries.push(entry));
        for entry in entries {
            self.let_go(now, entry, messages, out);
        }
    }

    /// The records end here: see [`Line::go_on`].
    pub(crate) fn go_on(&mut self, floor: Instant) {
        let mut entries = Vec::new();
        self.line.go_on(floor, |entry| entries.push(entry));
        for entry in entries {
            self.fold(entry);
        }
    }

    /// Whether it was a picture; an event becomes a message.
    fn let_go(&mut self, now: Instant, entry: Entry, messages: &mut Messages, out: &mut Vec<Message>) -> bool {
        messages.add_public_event(now, &entry, out);
        self.fold(entry)
    }

    fn fold(&mut self, entry: Entry) -> bool {
        let known = self.picture.get_or_insert_with(|| LiveState { game_no: entry.game, ..LiveState::default() });
        if known.game_no != entry.game {
            known.game_no = entry.game;
            known.moves.clear();
        }
        match entry.what {
            What::Move(told) => {
                known.moves.truncate(told.ply.saturating_sub(1) as usize);
                known.moves.push(LiveMove::from(told));
                self.between = true;
                false
            }
            What::Revision { from_ply, moves } => {
                known.moves.truncate(from_ply.saturating_sub(1) as usize);
                known.moves.extend(moves.into_iter().map(LiveMove::from));
                self.between = true;
                false
            }
            What::State { mut picture, revised, whole } => {
                if !whole {
                    picture.moves = std::mem::take(&mut known.moves);
                }
                *known = picture;
                self.at = entry.at;
                self.rev += u32::from(revised);
                self.between = false;
                true
            }
        }
    }
}
