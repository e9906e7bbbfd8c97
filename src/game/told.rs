//! Records what one audience beside arbiters was told of the moves, and tells it what is new.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::Instant;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use crate::effect::{Audience, Effect};
use crate::live_moves::{LiveMoves, PublishedMove};
use crate::reconstruct::notation::Notation;
use crate::seen::Seen;

/// The moves that an audience was told.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    audience: Audience,
    /// A made move waits for its press.
    pub(crate) until_press: bool,
    pub(crate) moves: LiveMoves,
    /// The revision for arbiters at which the moves were compared last.
    compared_at: u32,
    /// That revision, the number of moves and White's side of the clock, with which their times were compared last.
    times_compared_at: Option<(u32, usize, ClockSide)>,
}

impl Told {
    pub(crate) fn new(audience: Audience) -> Told {
        let moves = LiveMoves::default();
        Told { audience, until_press: false, moves, compared_at: 0, times_compared_at: None }
    }

    /// Tells the audience which moves are new or others, and their times. `rev` is the revision for arbiters. Returns whether there was
    /// anything.
    pub(crate) fn tell(&mut self, now: Instant, rev: u32, seen: &Seen, out: &mut Vec<Effect>) -> bool {
        let moves = self.tell_moves(now, rev, seen, out);
        self.correct_times(rev, seen, out) || moves
    }

    /// Gives told moves the times that the record has of them. A move may have been told before its press, and the press adds time.
    fn correct_times(&mut self, rev: u32, seen: &Seen, out: &mut Vec<Effect>) -> bool {
        // A change of the record is a revision. The moves are many, and nearly all events change none of them.
        let at = Some((rev, self.moves.moves().len(), seen.clock.chessclock.white_side()));
        if core::mem::replace(&mut self.times_compared_at, at) == at {
            return false;
        }
        let moves = self.moves.follow_times(seen.play.decoder.record.moves());
        let corrected = !moves.is_empty();
        if corrected {
            out.push(Effect::LiveTimes { audience: self.audience, moves });
        }
        corrected
    }

    fn tell_moves(&mut self, now: Instant, rev: u32, seen: &Seen, out: &mut Vec<Effect>) -> bool {
        let decoder = &seen.play.decoder;
        let (record, mode, line) = (decoder.record.moves(), decoder.record.mode(), decoder.line());
        let known = self.moves.moves().len();
        let shown = seen.shown_plies(now, known.saturating_sub(record.len()));
        let mut total = record.len() + shown;
        // A change of the record is a revision. Without one, sure moves of the same number are the same moves.
        let revised = core::mem::replace(&mut self.compared_at, rev) != rev;
        if known == total && shown == 0 && !revised {
            return false;
        }
        // The comparison makes no text, because it runs with every clock message while a made move waits for its press.
        let uci = |index: usize| match record.get(index) {
            Some(known) => known.uci(mode),
            None => UciMove::from_move(line.plies()[index - record.len()].mv, mode),
        };
        let same = (0..known.min(total)).take_while(|&index| self.moves.moves()[index].uci == uci(index)).count();
        // While the clock of the player runs who made it, the last move waits. After the next move that clock agrees with the board again;
        // a clock that is not there or stands, and a game that the kings have ended, have nothing to wait for.
        let ended = self.until_press && seen.ended_without_move();
        let last = shown.checked_sub(1).map(|last| line.plies()[last].color);
        if self.until_press && !ended && same < total && last.is_some() && last == seen.clock.chessclock.runs() {
            total -= 1;
        }
        // What was published stays published while men are only lifted or knocked over.
        if same < total && shown > 0 && !ended && !decoder.is_believed(now, &seen.board) {
            total = same.max(record.len());
        }
        if same == total && same == known {
            return false;
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
        self.moves.truncate(same);
        fresh.into_iter().for_each(|told| self.moves.push(told));
        let (audience, moves) = (self.audience, self.moves.since(same));
        if same < known {
            out.push(Effect::LiveRevision { audience, from_ply: same as u32 + 1, moves: moves.collect() });
        } else {
            out.extend(moves.map(|told| Effect::LiveMove { audience, told }));
        }
        true
    }
}
