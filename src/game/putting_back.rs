//! Recognises moves that were none: after the game the men were put back to the initial position (`reconstruct/README.md#4.3`).

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::reconstruct::line::{Tentative, man_of};
use crate::reconstruct::record::How;
use crate::reconstruct::setup::initial_men;
use crate::seen::Seen;

/// The shortest pause between two changes of the board that is remembered.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
/// The largest number of pauses that are remembered: two for each man.
const MAX_PAUSES: usize = 64;
/// A pause of this length never separates the last move from the putting back of the men.
const NO_PAUSE: Duration = Duration::from_secs(3);
/// A longer pause always does.
const LONG_PAUSE: Duration = Duration::from_secs(10);

/// The last pauses between changes of the board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pauses {
    last_change: Instant,
    /// When each pause began, and how long it was.
    pauses: Vec<(Instant, Duration)>,
}

impl Pauses {
    /// Notes a change of the board.
    pub(crate) fn note(&mut self, now: Instant) {
        let began = core::mem::replace(&mut self.last_change, now);
        if now.since(began) >= SHORTEST_PAUSE {
            if self.pauses.len() == MAX_PAUSES {
                self.pauses.remove(0);
            }
            self.pauses.push((began, now.since(began)));
        }
    }

    /// True if the hands that put the men back went on after a move that was made at `made`: they did not pause for longer than later.
    fn went_on_after(&self, made: Instant) -> bool {
        let mut later = self.pauses.iter().filter(|(began, _)| *began >= made).map(|(_, lasted)| *lasted);
        let Some(first) = later.next() else { return false };
        let usual = later.max().unwrap_or_default() * 3 / 2;
        first <= usual.clamp(NO_PAUSE, LONG_PAUSE)
    }
}

impl Seen {
    /// The numbers of sure moves and of pending moves that stay, now that the board shows the initial position: later ones only put men
    /// back.
    pub(crate) fn plies_before_putting_back(&self) -> (usize, usize) {
        let (moves, line) = (self.play.decoder.record.moves(), self.play.decoder.line().plies());
        let stopped = self.clocks_stopped_since();
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

    /// When the clocks were stopped, if they have run in this game.
    pub(crate) fn clocks_stopped_since(&self) -> Option<Instant> {
        let clock = &self.clock.chessclock;
        (self.clock.has_run && clock.present() && clock.runs().is_none()).then(|| clock.changed_at())
    }

    /// True if a move that was not pressed was none. After the clocks were stopped, no move is made. If no clock shows the end of the game,
    /// a man that came to the square on which it begins the next game was put back there, unless a pause followed that is longer than those
    /// between the other men.
    fn puts_back(&self, (mv, color): (Move, Color), made: Interval, stopped: Option<Instant>) -> bool {
        let (man, to) = man_of(mv, color);
        let home = if self.board.identifies() { *self.board.men() } else { initial_men() };
        match stopped {
            Some(stopped) => made.earliest > stopped,
            None => home[usize::from(to)] == man && self.phase.pauses.went_on_after(made.latest),
        }
    }
}
