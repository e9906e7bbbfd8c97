//! Recognises moves that were none: after the game the men were put back to the initial position (`reconstruct/README.md#4.3`).

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::reconstruct::line::{Tentative, man_of};
use crate::reconstruct::moves::MoveRecord;
use crate::reconstruct::record::How;
use crate::reconstruct::setup::initial_men;
use crate::seen::Seen;

impl Seen {
    /// The numbers of sure moves and of the first `line` made moves after them that stay, now that the board shows the initial position: later
    /// ones only put men back.
    pub(crate) fn plies_before_putting_back(&self, line: usize) -> (usize, usize) {
        let (moves, line) = (self.play.decoder.record.moves(), &self.play.decoder.made()[..line]);
        let stopped = self.clock.stopped();
        let pending = |ply: &&Tentative| ply.pressed.is_none() && self.puts_back((ply.mv, ply.color), ply.made, stopped);
        let pending = line.len() - line.iter().rev().take_while(pending).count();
        let sure = |index: &usize| {
            moves.get(*index).is_some_and(|last| {
                let unpressed = last.pressed.is_none() && matches!(last.how, How::Settled | How::NextMove);
                unpressed && self.puts_back((last.mv, last.color), last.made, stopped)
            })
        };
        let put_back = if pending == 0 { (0..moves.len()).rev().take_while(sure).count() } else { 0 };
        (moves.len() - put_back, pending)
    }

    /// The move whose man was the first that was put back, if that was taken for another move in its place: the one after `plies` moves.
    pub(crate) fn move_before_putting_back(&self, plies: usize) -> Option<MoveRecord> {
        let instead = self.play.decoder.record.moves().get(plies)?;
        self.play
            .went_on
            .filter(|(before, stood)| *before == plies && stood.mv.from() == instead.mv.from())
            .map(|(_, stood)| stood)
    }

    /// True if the last move was made after the clocks were stopped: where the men are put back by legal moves, the board always shows what
    /// is read.
    pub(crate) fn is_put_back_by_moves(&self) -> bool {
        let decoder = &self.play.decoder;
        let record = decoder.record.moves().last().map(|last| (last.made, last.pressed));
        let last = decoder.made().last().map(|last| (last.made, last.pressed)).or(record);
        let later = |stopped: Instant| last.is_some_and(|(made, pressed)| pressed.is_none() && made.earliest > stopped);
        self.clock.stopped().is_some_and(later)
    }

    /// True if a move that was not pressed was none. After the clocks were stopped, no move is made. If no clock shows the end of the game,
    /// a man that came to the square on which it begins the next game was put back there, unless the kings showed a result later, or a pause
    /// followed that is longer than those between the other men.
    fn puts_back(&self, (mv, color): (Move, Color), made: Interval, stopped: Option<Instant>) -> bool {
        let (man, to) = man_of(mv, color);
        let home = if self.board.identifies() { *self.board.men() } else { initial_men() };
        let shown = self.phase.hints.last().is_some_and(|hint| made.latest <= hint.at);
        match stopped {
            Some(stopped) => made.earliest > stopped,
            None => home[usize::from(to)] == man && !shown && self.phase.pauses.went_on_after(made.latest),
        }
    }
}
