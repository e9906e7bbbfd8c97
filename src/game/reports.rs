//! Records which facts were published to each audience, and which must be published next.

use alloc::vec::Vec;

use flagfall_protocols::time::Instant;
use shakmaty::{Chess, Move};

use crate::config::UntilPress;
use crate::effect::{Audience, Effect};
use crate::laws::outcome::{GameResult, KnownResult};
use crate::reported_moves::ReportedMoves;
use crate::seen::Seen;

/// The kind of change that a part of the game has made for arbiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Changed {
    Nothing,
    /// A change that only the arbiters' state shows.
    State,
    /// A change of a move, finding or decision.
    Game,
}

/// The revision for arbiters, and what must be published again.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    pub(crate) live: ReportedMoves,
    /// The moves for the public, which gets them after its delay.
    pub(crate) public: ReportedMoves,
    /// The moves that were published to arbiters as pending.
    pending_published: Vec<Move>,
    pub(crate) rev: u32,
    pub(crate) ruling_dirty: bool,
    pub(crate) arbiter_dirty: bool,
    /// What was published to both audiences beside moves and times.
    facts: ShownFacts,
}

/// What the live audience and the public see of a game beside its moves and times. A state in which nothing of all this changed would show
/// them that an arbiter did something.
#[derive(Clone, Debug, Default, PartialEq)]
struct ShownFacts {
    game: u32,
    start: Chess,
    /// The number of moves in the segments before the start.
    moves_before: usize,
    result: Option<KnownResult>,
    clock_heard: bool,
    clock_present: bool,
    board_answers: bool,
}

impl Default for Reports {
    fn default() -> Reports {
        Reports {
            live: ReportedMoves::new(Audience::Live),
            public: ReportedMoves::new(Audience::Public),
            pending_published: Vec::new(),
            rev: 0,
            ruling_dirty: false,
            arbiter_dirty: false,
            facts: ShownFacts::default(),
        }
    }
}

impl Reports {
    /// Sets for whom made moves wait from now on. What was reported stays.
    pub(crate) fn set_until_press(&mut self, until_press: UntilPress) {
        self.live.until_press = until_press.holds_for(Audience::Live);
        self.public.until_press = until_press.holds_for(Audience::Public);
    }

    /// The moves that were reported to the live audience or to the public.
    pub(crate) fn moves(&self, audience: Audience) -> &ReportedMoves {
        if audience == Audience::Public { &self.public } else { &self.live }
    }

    /// Notes that a move, finding or decision changed.
    pub(crate) fn revised(&mut self) {
        self.rev += 1;
        self.arbiter_dirty = true;
    }

    /// Notes what a part has changed.
    pub(crate) fn note(&mut self, changed: Changed) {
        match changed {
            Changed::Nothing => {}
            Changed::State => self.arbiter_dirty = true,
            Changed::Game => self.revised(),
        }
    }

    /// Publishes to each audience what is new for it.
    /// `decided` is the result that a decision has given the game.
    pub(crate) fn flush(&mut self, now: Instant, seen: &Seen, decided: Option<GameResult>, out: &mut Vec<Effect>) {
        if core::mem::take(&mut self.ruling_dirty) {
            out.push(Effect::Ruling);
        }
        let facts = self.facts_changed(seen, decided);
        let live = self.live.report(now, self.rev, seen, out) || facts;
        let public = self.public.report(now, self.rev, seen, out) || facts;
        self.arbiter_dirty |= self.pending_changed(seen);
        let arbiter = core::mem::take(&mut self.arbiter_dirty);
        let changed = [(arbiter, Audience::Arbiter), (live, Audience::Live), (public, Audience::Public)];
        out.extend(changed.into_iter().filter(|(changed, _)| *changed).map(|(_, audience)| Effect::State(audience)));
    }

    /// True if other moves are pending than were published to arbiters. Time alone may change the reading of the board.
    fn pending_changed(&mut self, seen: &Seen) -> bool {
        let pending = || seen.play.decoder.line().plies().iter().map(|ply| ply.mv);
        let changed = !pending().eq(self.pending_published.iter().copied());
        if changed {
            self.pending_published.clear();
            self.pending_published.extend(pending());
        }
        changed
    }

    /// True if both audiences must see another game, start or result, or that the board or its clock was lost or found.
    fn facts_changed(&mut self, seen: &Seen, decided: Option<GameResult>) -> bool {
        let (clock, play) = (&seen.clock.chessclock, &seen.play);
        let facts = ShownFacts {
            game: seen.phase.number,
            start: play.decoder.record.start().clone(),
            moves_before: play.segments.iter().map(|record| record.moves().len()).sum(),
            result: seen.known_result(decided),
            clock_heard: clock.last_report().is_some(),
            clock_present: clock.present(),
            board_answers: seen.board_answers,
        };
        let changed = facts != self.facts;
        self.facts = facts;
        changed
    }
}
