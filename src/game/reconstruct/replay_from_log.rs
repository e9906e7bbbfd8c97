//! Replays a board's log through a second decoder with made-up times, if the presses and positions of the log alone leave a doubt
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

/// The time before a change that the log calls quick: it came within 250 ms of the change before.
const QUICK: Duration = Duration::from_millis(120);
/// The time before any other change. It came after more than 250 ms, but the log does not show how much. A longer time would make
/// a man that paused look like a man at rest.
const LATER: Duration = Duration::from_millis(300);
/// The time that a press takes among the changes.
const PRESS: Duration = Duration::from_millis(100);
/// The time in which the last moves can become sure.
const END: Duration = Duration::from_secs(4);

impl Decoder {
    /// The moves of the log after the last sure move, if they end in `target`.
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
        // The log ends at the present position: nothing more will come, but moves that are proved may become sure.
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
