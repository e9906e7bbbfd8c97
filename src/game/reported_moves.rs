//! Keeps the moves that were reported to one audience beside arbiters, in little memory, and reports what is new.

use alloc::vec::Vec;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use crate::effect::{Audience, Effect};
use crate::pair::Pair;
use crate::played::LiveMove;
use crate::reconstruct::moves::{Moves, room_for_one};
use crate::reconstruct::notation::{Notation, Times};
use crate::seen::Seen;

/// The moves that were reported to an audience.
#[derive(Clone, Debug)]
pub(crate) struct ReportedMoves {
    audience: Audience,
    /// A made move waits for its press.
    pub(crate) until_press: bool,
    moves: Vec<ReportedMove>,
    /// The revision for arbiters at which the moves were compared last.
    compared_at: u32,
    /// That revision, the number of moves and White's side of the clock, with which their times were compared last.
    times_compared_at: Option<(u32, usize, ClockSide)>,
}

/// One move as it was reported.
#[derive(Clone, Copy, Debug)]
struct ReportedMove {
    uci: UciMove,
    san: Notation,
    clocks: Times,
}

impl ReportedMove {
    fn new(uci: UciMove, san: Notation, clocks: &Pair<Option<ClockTime>>) -> ReportedMove {
        ReportedMove { uci, san, clocks: Times::of(clocks) }
    }

    /// The move with this index, as it is published.
    fn live(&self, index: usize) -> LiveMove {
        LiveMove { ply: index as u32 + 1, san: self.san, uci: self.uci, clocks: self.clocks.pair() }
    }
}

impl ReportedMoves {
    pub(crate) fn new(audience: Audience) -> ReportedMoves {
        ReportedMoves { audience, until_press: false, moves: Vec::new(), compared_at: 0, times_compared_at: None }
    }

    pub(crate) fn count(&self) -> usize {
        self.moves.len()
    }

    /// Begins another game.
    pub(crate) fn clear(&mut self) {
        self.moves.clear();
    }

    /// The moves from index `from` on, as they are published.
    pub(crate) fn since(&self, from: usize) -> impl ExactSizeIterator<Item = LiveMove> {
        self.moves.iter().enumerate().skip(from).map(|(index, reported)| reported.live(index))
    }

    /// Reports moves that are new or others, and their times. `rev` is the revision for arbiters. Returns whether there was anything.
    pub(crate) fn report(&mut self, now: Instant, rev: u32, seen: &Seen, out: &mut Vec<Effect>) -> bool {
        let moves = self.report_moves(now, rev, seen, out);
        self.correct_times(rev, seen, out) || moves
    }

    /// Gives the moves the times that the record has of them. A move may have been reported before its press, and the press adds time.
    fn correct_times(&mut self, rev: u32, seen: &Seen, out: &mut Vec<Effect>) -> bool {
        // A change of the record is a revision. The moves are many, and nearly all events change none of them.
        let at = Some((rev, self.moves.len(), seen.clock.chessclock.white_side()));
        if core::mem::replace(&mut self.times_compared_at, at) == at {
            return false;
        }
        let moves = self.follow_times(seen.play.decoder.record.moves());
        let corrected = !moves.is_empty();
        if corrected {
            out.push(Effect::LiveTimes { audience: self.audience, moves });
        }
        corrected
    }

    /// Gives the moves the times of the record, whose moves they are, and returns those that had other times.
    fn follow_times(&mut self, record: &Moves) -> Vec<LiveMove> {
        let mut corrected = Vec::new();
        for (index, (reported, clocks)) in self.moves.iter_mut().zip(record.clocks()).enumerate() {
            if reported.clocks != clocks {
                reported.clocks = clocks;
                corrected.push(reported.live(index));
            }
        }
        corrected
    }

    fn report_moves(&mut self, now: Instant, rev: u32, seen: &Seen, out: &mut Vec<Effect>) -> bool {
        let decoder = &seen.play.decoder;
        let (record, mode, line) = (decoder.record.moves(), decoder.record.mode(), decoder.line());
        let known = self.moves.len();
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
        let same = (0..known.min(total)).take_while(|&index| self.moves[index].uci == uci(index)).count();
        // While the clock of the player runs who made it, the last move waits. After the next move that clock agrees with the board again;
        // a clock that is not there or stands, and a game that the kings have ended, have nothing to wait for.
        let ended = self.until_press && seen.ended_without_move();
        let last = shown.checked_sub(1).map(|last| line.plies()[last].color);
        let (clock, configured) = (&seen.clock, seen.config.white_clock.is_some());
        let waits = last.is_some_and(|made| clock.sides.may_wait(made, clock.chessclock.runs(), configured));
        if self.until_press && !ended && same < total && waits {
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
        self.moves.truncate(same);
        for index in same..total {
            let reported = match record.get(index) {
                Some(known) => ReportedMove::new(known.uci(mode), known.san, &known.clocks),
                None => {
                    let before = index - record.len();
                    let position = line.node(decoder.record.node(), before).position.clone();
                    let san = SanPlus::from_move(position, line.plies()[before].mv);
                    ReportedMove::new(uci(index), Notation::of(&san), &times)
                }
            };
            room_for_one(&mut self.moves);
            self.moves.push(reported);
        }
        let (audience, moves) = (self.audience, self.since(same));
        if same < known {
            out.push(Effect::LiveRevision { audience, from_ply: same as u32 + 1, moves: moves.collect() });
        } else {
            out.extend(moves.map(|played| Effect::LiveMove { audience, played }));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_little_room() {
        assert!(size_of::<ReportedMove>() <= 20, "{}", size_of::<ReportedMove>());
    }
}
