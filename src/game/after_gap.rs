//! Decides whether a game goes on after a gap that nothing explains (`reconstruct/README.md#3.6`).
//!
//! The board may show the game after too many moves for a search, or another game, because the cables of two boards were exchanged.
//! It is this game only if men, clock and time agree: legal moves may lead from the last sure position to the board, in as many
//! moves as the time allows, and the clock has counted exactly this time.

use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::clock::control::{Method, Period};
use crate::hidden_moves::ClockBeforeGap;
use crate::joining::{Joining, Under};
use crate::pair::Pair;
use crate::reconstruct::search;
use crate::seen::Seen;

/// The shortest time in which a player makes and presses a move, milliseconds. In bullet games with pre-arranged moves players need
/// about 450.
const FASTEST_MOVE: i64 = 400;
/// The most plies that are asked for. The search counts 99 moves for a man that cannot reach its square, and so many moves of one
/// player must not be possible.
const MOST_PLIES: i64 = 120;
/// The largest error of the times, milliseconds: both times are shown in whole seconds, and the report comes up to a second late.
const ERROR: i64 = 3000;

/// The clock before and after a time in which the board was not heard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockOverGap {
    pub(crate) before: ClockBeforeGap,
    /// When the clock was first heard again.
    pub(crate) heard: Instant,
    pub(crate) times: Pair<Option<ClockTime>>,
}

impl ClockOverGap {
    /// The most plies that were played in the gap in this period. None if this clock cannot have counted the time of the gap.
    fn most_plies(&self, period: Option<&Period>) -> Option<u8> {
        let passed = self.heard.since(self.before.heard).as_millis() as i64;
        let time = |times: &Pair<Option<ClockTime>>, color| times.get(color).map(|time| i64::from(time.0));
        let used = |color| Some(time(&self.before.times, color)? - time(&self.times, color)?);
        let (white, black) = (used(Color::White)?, used(Color::Black)?);
        let (method, per_move) = period.map_or((Method::TimeOnly, 0), |period| (period.method, i64::from(period.per_move_ms)));
        let most = passed / FASTEST_MOVE;
        // The time that was added or that ran in delays.
        let extra = passed - white - black;
        let counted = -ERROR <= extra && extra <= per_move * most + ERROR;
        let rose = |used: i64| -used > per_move * (most / 2 + 1) + ERROR;
        if !counted || rose(white) || rose(black) {
            return None;
        }
        // Every move of this method adds the same time.
        let added = if method == Method::Fischer && per_move > 0 { (extra + ERROR) / per_move } else { most };
        u8::try_from(most.min(added).min(MOST_PLIES)).ok()
    }
}

impl Seen {
    /// Begins to look for the position from which the game goes on after a gap that nothing explains, if it can be this game.
    pub(crate) fn look_for_step(&mut self, now: Instant) {
        let decoder = &self.play.decoder;
        if self.joining.undecided || self.joining.follows_gap() || !decoder.is_lost(now) || !self.board.identifies() {
            return;
        }
        let Some(turn) = self.clock.chessclock.runs().filter(|_| self.play.after_illegal.is_none()) else { return };
        let period = self.clock.control.as_ref().map(|control| control.period(self.clock.chessclock.period(turn)));
        let most = self.clock_over_gap.and_then(|clock| clock.most_plies(period));
        let before = &decoder.record.node().position;
        if most.is_some_and(|most| search::may_lead(before, self.board.men(), most)) {
            let under = Under { mode: self.config.castling_mode(), rulebook: &self.config.rulebook };
            self.joining = Joining::after_gap(turn, now, decoder, &self.board, under);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::control::TimeControl;

    /// The most plies of a gap of 40 seconds in which the players used these seconds.
    fn most(control: &str, white: u32, black: u32) -> Option<u8> {
        let times = |white: u32, black: u32| Pair { white: Some(ClockTime(white * 1000)), black: Some(ClockTime(black * 1000)) };
        let heard = Instant(5_000_000);
        let before = ClockBeforeGap { lost: heard, ran: Color::White, heard, times: times(300, 300) };
        let over = ClockOverGap { before, heard: Instant(45_000_000), times: times(300 - white, 300 - black) };
        let control = TimeControl::parse(control).expect("a time control");
        over.most_plies(Some(control.period(0)))
    }

    #[test]
    fn a_clock_that_counted_the_time_of_the_gap_shows_how_many_plies_there_were_at_most() {
        assert_eq!(most("300", 15, 25), Some(100));
        assert_eq!(most("300", 14, 25), Some(100), "whole seconds are shown");
        assert_eq!(most("300", 15, 15), None, "it stood, or it is another one");
        assert_eq!(most("300", 40, 25), None, "so much time has not passed");
        // Ten or eleven moves added two seconds each.
        assert_eq!(most("300+2", 10, 10), Some(11));
        assert_eq!(most("300+2", 25, 25), None);
        // In delays any time may have run.
        assert_eq!(most("300d5", 10, 10), Some(100));
    }
}
