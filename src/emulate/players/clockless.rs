//! Plays a game on a board without a clock. The players use a clock that is not connected, so nothing reports their presses.

use std::time::Duration;

use flagfall_hardware::emulator::chesslink::{ChesslinkSettings, Reports};
use flagfall_hardware::emulator::dgt_pegasus::PegasusSettings;
use flagfall_hardware::emulator::script::{Action, Script};

use super::{Performance, perform};
use crate::emulate::boards::{BoardKind, SimulatedBoard};
use crate::emulate::dice::Dice;
use crate::emulate::noise::Noise;
use crate::emulate::score_sheet::ScoreSheet;
use crate::emulate::truth::Truth;

/// Plays a game on a board that has no clock, or on a DGT board whose clock is not connected. No irregularities are simulated,
/// since the program can notice them only with a clock.
pub(super) fn perform_without_clock(kind: BoardKind, sheet: &ScoreSheet, noise: &Noise, dice: &mut Dice) -> Performance {
    let without = Noise { press_forgotten: 0.0, clock_corrected: 0.0, irregularities: 0.0, ..noise.clone() };
    let board = match kind {
        BoardKind::Dgt => SimulatedBoard::Dgt,
        BoardKind::Frames => SimulatedBoard::Frames(ChesslinkSettings {
            scan: dice.span(noise.frame_scan_s),
            reports: Reports::Changes { equal: noise.frame_equal_scans },
            ..ChesslinkSettings::default()
        }),
        BoardKind::Occupancy => {
            SimulatedBoard::Occupancy(PegasusSettings { poll: dice.span(noise.occupancy_poll_s), ..PegasusSettings::default() })
        }
    };
    let mut play = perform(sheet, &without, dice);
    play.board = board;
    play.script = without_clock_actions(&play.script);
    forget_presses(&mut play.truth, play.end);
    if kind == BoardKind::Occupancy {
        play.truth.explain("unidentified", &["ambiguous", "promotion_unconfirmed"], Duration::ZERO, play.end);
    }
    play
}

fn without_clock_actions(script: &Script) -> Script {
    let mut hands = Script::new();
    let at_clock = |action: &Action| matches!(action, Action::Press(_) | Action::Run | Action::Stop | Action::Set { .. });
    for step in script.steps().iter().filter(|step| !at_clock(&step.action)) {
        hands.push(step.at, step.action);
    }
    hands
}

fn forget_presses(truth: &mut Truth, end: Duration) {
    truth.clockless = true;
    truth.irregularities.clear();
    for ply in &mut truth.plies {
        (ply.pressed_us, ply.lever) = (None, false);
    }
    // After the game the men stay where they are.
    truth.end_us = truth.end_us.min(end.as_micros() as u64);
}
