//! Records which facts were published to each audience, and which must be published next.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::Instant;
use shakmaty::Move;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use crate::effect::{Audience, Effect};
use crate::laws::outcome::{GameResult, KnownResult};
use crate::live_moves::{LiveMoves, PublishedMove};
use crate::reconstruct::notation::Notation;
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

/// The revisions, and what must be published again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    /// The moves that were published to the live audience.
    pub(crate) live_moves: LiveMoves,
    /// The moves that were published to arbiters as pending.
    pending_published: Vec<Move>,
    pub(crate) rev: u32,
    pub(crate) live_rev: u32,
    /// The revision at which the moves of the live audience were compared last.
    live_compared_at: u32,
    /// The revision, the number of moves of the live audience and White's side of the clock, with which their times were compared last.
    times_compared_at: Option<(u32, usize, ClockSide)>,
    pub(crate) ruling_dirty: bool,
    pub(crate) arbiter_dirty: bool,
    pub(crate) live_dirty: bool,
    /// What was published to the live audience beside moves and times.
    live_facts: LiveFacts,
}

/// What the live audience sees of a game beside its moves and times. A state in which nothing of all this changed would show
/// this audience that an arbiter did something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LiveFacts {
    result: Option<KnownResult>,
    clock_heard: bool,
    clock_present: bool,
    board_answers: bool,
}

impl Reports {
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
        self.report_live_moves(now, seen, out);
        self.correct_live_times(seen, out);
        self.live_dirty |= self.live_facts_changed(seen, decided);
        self.arbiter_dirty |= self.pending_changed(seen);
        if core::mem::take(&mut self.arbiter_dirty) {
            out.push(Effect::State(Audience::Arbiter));
        }
        if core::mem::take(&mut self.live_dirty) {
            self.live_rev += 1;
            out.push(Effect::State(Audience::Live));
        }
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

    /// True if the live audience must see another result, or that the board or its clock was lost or found.
    fn live_facts_changed(&mut self, seen: &Seen, decided: Option<GameResult>) -> bool {
        let clock = &seen.clock.chessclock;
        let facts = LiveFacts {
            result: seen.known_result(decided),
            clock_heard: clock.last_report().is_some(),
            clock_present: clock.present(),
            board_answers: seen.board_answers,
        };
        core::mem::replace(&mut self.live_facts, facts) != facts
    }

    /// Gives published moves the times that the record has of them. A move may have been published before its press, and the
    /// press adds time.
    fn correct_live_times(&mut self, seen: &Seen, out: &mut Vec<Effect>) {
        // A change of the record is a revision. The moves are many, and nearly all events change none of them.
        let at = Some((self.rev, self.live_moves.moves().len(), seen.clock.chessclock.white_side()));
        if core::mem::replace(&mut self.times_compared_at, at) == at {
            return;
        }
        let corrected = self.live_moves.follow_times(seen.play.decoder.record.moves());
        if !corrected.is_empty() {
            out.push(Effect::LiveTimes(corrected));
            self.live_dirty = true;
        }
    }

    /// Publishes to the live audience the moves that are new for it.
    fn report_live_moves(&mut self, now: Instant, seen: &Seen, out: &mut Vec<Effect>) {
        let decoder = &seen.play.decoder;
        let (record, mode, line) = (decoder.record.moves(), decoder.record.mode(), decoder.line());
        let known = self.live_moves.moves().len();
        let shown = seen.shown_plies(now, known.saturating_sub(record.len()));
        let mut total = record.len() + shown;
        // A change of the record is a revision. Without one, sure moves of the same number are the same moves.
        let revised = core::mem::replace(&mut self.live_compared_at, self.rev) != self.rev;
        if known == total && shown == 0 && !revised {
            return;
        }
        // The comparison makes no text, because it runs with every clock message while a made move waits for its press.
        let uci = |index: usize| match record.get(index) {
            Some(known) => known.uci(mode),
            None => UciMove::from_move(line.plies()[index - record.len()].mv, mode),
        };
        let same = (0..known.min(total)).take_while(|&index| self.live_moves.moves()[index].uci == uci(index)).count();
        // What was published stays published while men are only lifted or knocked over.
        if same < total && shown > 0 && !decoder.is_believed(now, &seen.board) {
            total = same.max(record.len());
        }
        if same == total && same == known {
            return;
        }
        let times = seen.clock.view().times;
        let fresh: Vec<PublishedMove> = (same..total)
            .map(|index| match record.get(index) {
                Some(known) => PublishedMove::new(known.uci(mode), known.san, &known.clocks),
                None => {
                    let before = index - record.len();
                    let position = line.node(decoder.record.node(), before).position.clone();
                    let san = SanPlus::from_move(position, line.plies()[before].mv);
                    PublishedMove::new(uci(index), Notation::of(&san), &times)
                }
            })
            .collect();
        self.live_moves.truncate(same);
        fresh.into_iter().for_each(|told| self.live_moves.push(told));
        let moves = self.live_moves.since(same);
        if same < known {
            out.push(Effect::LiveRevision { from_ply: same as u32 + 1, moves: moves.collect() });
        } else {
            out.extend(moves.map(Effect::LiveMove));
        }
        self.live_dirty = true;
    }
}
