//! A board's log played through a decoder of its own, where its presses and positions alone do not tell the moves
//! (`reconstruct/README.md#3.6`).

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Move;

use crate::interval::Interval;
use crate::men::Men;
use crate::pair::Pair;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::log::{Replay, Step};
use crate::reconstruct::{ClockView, Decoder};

/// A change that the log calls quick came within 250 ms of the one before.
const QUICK: Duration = Duration::from_millis(120);
/// Any other one came later than 250 ms: how much later is not told, and a piece that paused must not seem to have rested.
const LATER: Duration = Duration::from_millis(300);
/// A press is in its place among the changes.
const PRESS: Duration = Duration::from_millis(100);
/// What is left in the end has so long to settle.
const END: Duration = Duration::from_secs(4);

impl Decoder {
    /// The moves since the last sure one that the log tells, if they end in `target`.
    pub(super) fn replay_from_log(&self, replay: &Replay, target: &Men, heard: ClockView) -> Option<Vec<Move>> {
        let mut own = Decoder::new(self.record.clone(), Duration::from_millis(250), self.tuning);
        let known = own.record.moves().len();
        let mut board = PhysicalBoard::showing(&own.record.node().men);
        let mut clock = ClockView { present: true, runs: Some(own.record.turn()), changed_at: Instant::ZERO, ..heard };
        clock.times = Pair::default();
        let mut now = Instant::ZERO.after(LATER * 100);
        let mut told = Vec::new();
        for step in &replay.steps {
            match *step {
                Step::Square { square, reading, quick } => {
                    let wait = if quick { QUICK } else { LATER };
                    own.review(now.after(wait.saturating_sub(PRESS)), &board, &clock, &mut told);
                    now = now.after(wait);
                    if board.square(now, square, reading) {
                        own.board_changed(now, &board);
                    }
                }
                Step::Press { side, .. } => {
                    let by = if side == clock.white { Color::White } else { Color::Black };
                    let at = Interval { earliest: now, latest: now.after(PRESS) };
                    now = at.latest;
                    (clock.runs, clock.changed_at) = (Some(by.other()), now);
                    own.press(at, by, &board, &clock, &mut told);
                }
            }
            own.review(now, &board, &clock, &mut told);
        }
        // The log ends where the board is now: nothing is awaited, but what is proved may settle.
        clock.runs = heard.runs;
        for part in 1..=8 {
            own.review(now.after(END * part / 8), &board, &clock, &mut told);
        }
        if own.line().top(own.record.node()).men != *target {
            return None;
        }
        let sure = own.record.moves().played().skip(known);
        Some(sure.chain(own.line().plies().iter().map(|ply| ply.mv)).collect())
    }
}
