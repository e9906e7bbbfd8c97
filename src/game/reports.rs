//! What each audience has been told, and what it is to be told.

use alloc::vec::Vec;

use flagfall_protocols::time::Instant;
use shakmaty::Move;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use crate::effect::{Audience, Effect};
use crate::reconstruct::notation::Notation;
use crate::seen::Seen;
use crate::told::{Told, ToldMove};

/// What a part of the game has changed for arbiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Changed {
    Nothing,
    /// Something that only their state shows.
    State,
    /// A move, finding or decision.
    Game,
}

/// Revisions and what is out of date.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    /// The moves that the live audience has been told.
    pub(crate) told: Told,
    /// The moves that arbiters were told as pending.
    pending_told: Vec<Move>,
    pub(crate) rev: u32,
    pub(crate) live_rev: u32,
    pub(crate) ruling_dirty: bool,
    pub(crate) arbiter_dirty: bool,
    pub(crate) live_dirty: bool,
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

    /// Reports to each audience what is new for it.
    pub(crate) fn flush(&mut self, now: Instant, seen: &Seen, out: &mut Vec<Effect>) {
        if core::mem::take(&mut self.ruling_dirty) {
            out.push(Effect::Ruling);
        }
        self.report_live_moves(now, seen, out);
        self.arbiter_dirty |= self.pending_changed(seen);
        if core::mem::take(&mut self.arbiter_dirty) {
            out.push(Effect::State(Audience::Arbiter));
        }
        if core::mem::take(&mut self.live_dirty) {
            self.live_rev += 1;
            out.push(Effect::State(Audience::Live));
        }
    }

    /// Whether other moves are pending than arbiters were told: time alone may let another reading of the board win.
    fn pending_changed(&mut self, seen: &Seen) -> bool {
        let pending = || seen.play.decoder.line().plies().iter().map(|ply| ply.mv);
        let changed = !pending().eq(self.pending_told.iter().copied());
        if changed {
            self.pending_told.clear();
            self.pending_told.extend(pending());
        }
        changed
    }

    /// Reports to the live audience the moves that it does not know yet.
    fn report_live_moves(&mut self, now: Instant, seen: &Seen, out: &mut Vec<Effect>) {
        let decoder = &seen.play.decoder;
        let (record, mode, line) = (decoder.record.moves(), decoder.record.mode(), decoder.line());
        let shown = seen.play.shown_plies(now);
        let total = record.len() + shown;
        let known = self.told.moves().len();
        // Where nothing tentative is or was shown, equal length means equal moves.
        let last_is_same = || self.told.moves().last().map(|told| told.uci) == record.last().map(|known| known.uci(mode));
        if known == total && shown == 0 && last_is_same() {
            return;
        }
        // Compared without making text: this is asked with every clock message while a made move waits for its press.
        let uci = |index: usize| match record.get(index) {
            Some(known) => known.uci(mode),
            None => UciMove::from_move(line.plies()[index - record.len()].mv, mode),
        };
        let same = (0..known.min(total)).take_while(|&index| self.told.moves()[index].uci == uci(index)).count();
        if same == total && same == known {
            return;
        }
        let times = seen.clock.view().times;
        let fresh: Vec<ToldMove> = (same..total)
            .map(|index| match record.get(index) {
                Some(known) => ToldMove::new(known.uci(mode), known.san, &known.clocks),
                None => {
                    let before = index - record.len();
                    let position = line.node(decoder.record.node(), before).position.clone();
                    let san = SanPlus::from_move(position, line.plies()[before].mv);
                    ToldMove::new(uci(index), Notation::of(&san), &times)
                }
            })
            .collect();
        self.told.truncate(same);
        fresh.into_iter().for_each(|told| self.told.push(told));
        let moves = self.told.since(same);
        if same < known {
            out.push(Effect::LiveRevision { from_ply: same as u32 + 1, moves: moves.collect() });
        } else {
            out.extend(moves.map(Effect::LiveMove));
        }
        self.live_dirty = true;
    }
}
