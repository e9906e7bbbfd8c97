//! Players at a simulated board: from a recorded game and the noise model to hand motions, presses, and the truth about them.
//!
//! The moves come first, one after the other, each in its own time. What else hands and sensors do is laid around them where
//! it is physically possible.

mod board_timeline;
mod clockless;
mod clockwork;
mod faults;
mod interruptions;
mod irregular;
mod move_motions;
mod planned;
mod play_move;
mod setting;

use std::time::Duration;

use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use flagfall_protocols::event::ClockSide;
use shakmaty::{Chess, Color};

use super::boards::{BoardKind, SimulatedBoard};
use super::dice::Dice;
use super::noise::Noise;
use super::score_sheet::ScoreSheet;
use super::times::{Control, own_times};
use super::truth::{Truth, micros};
use crate::wire::command::Command;
use board_timeline::BoardTimeline;
use clockwork::Clockwork;
use planned::PlannedIrregularity;

/// Between two presses.
const AFTER_PRESS: Duration = Duration::from_millis(120);
/// The driver's start-up questions are answered by then.
const STARTED: Duration = Duration::from_secs(6);
/// After the hands and the clock the board stays so long.
const QUIET: Duration = Duration::from_secs(8);

/// What an arbiter enters while a game is on.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Open alarms of this kind are dealt with.
    Acknowledge(&'static str),
    /// This.
    Give(Command),
}

/// Everything that a simulated game needs.
#[derive(Clone, Debug)]
pub struct Performance {
    /// The board and its clock.
    pub settings: Settings,
    /// The kind of board.
    pub board: SimulatedBoard,
    /// What hands do.
    pub script: Script,
    /// When the link goes away and comes back, in order.
    pub links: Vec<(Duration, bool)>,
    /// What an arbiter enters, in order.
    pub orders: Vec<(Duration, Order)>,
    /// As the daemon is told it: with so much more main time that hands have the time they need.
    pub control: Control,
    /// What really happens.
    pub truth: Truth,
    /// Nothing more happens from here on.
    pub end: Duration,
}

/// Plays a recorded game at a board of this kind.
pub fn perform_at(board: BoardKind, sheet: &ScoreSheet, noise: &Noise, dice: &mut Dice) -> Performance {
    match board {
        BoardKind::Dgt => perform(sheet, noise, dice),
        other => clockless::perform_without_clock(other, sheet, noise, dice),
    }
}

/// Plays a recorded game at a DGT board with its clock.
pub fn perform(sheet: &ScoreSheet, noise: &Noise, dice: &mut Dice) -> Performance {
    let control = Control::from_sheet(sheet);
    let own = own_times(sheet, &control, dice);
    let settings = setting::board(noise, dice);
    let planned = planned::draw_irregularity(dice, noise.irregularities, sheet, &control);
    let begin = STARTED + dice.span([0.0, 2.0]);
    let mut players = Players {
        noise,
        slow: control.slow(),
        position: Chess::default(),
        timeline: BoardTimeline::new(&Chess::default()),
        clockwork: Clockwork::new(begin),
        truth: Truth::default(),
        ready: begin,
        free: begin,
        forgotten: None,
        planned,
        links: Vec::new(),
        orders: Vec::new(),
        dice,
    };
    for (index, (&mv, own)) in sheet.moves.iter().zip(own).enumerate() {
        let last = index + 1 == sheet.moves.len();
        let pressed = !last || sheet.clocks[index].is_some() || !sheet.has_clocks();
        players.play_move(mv, own, pressed, last);
    }
    let ends_by_flag = sheet.time_forfeit();
    players.finish(ends_by_flag);
    let wrong = planned.map(|planned| planned.kind);
    let more = players.clockwork.more_time_needed(setting::clock(&control, wrong));
    let control = control.with_more(more);
    let clock = setting::clock(&control, wrong);
    let timing = players.clockwork.timing(clock.clone());
    players.note_clock_faults(timing.end);
    match timing.flag {
        Some((_, fell)) if ends_by_flag => interruptions::add_flag(&mut players.truth, fell),
        Some((_, fell)) => players.note_flag_after_end(fell),
        None => {}
    }
    let Players { mut timeline, mut truth, mut links, mut orders, .. } = players;
    truth.end_us = micros(timing.end);
    interruptions::add_hands(noise, dice, &mut timeline, &mut truth, timing.end);
    let mut actions = timeline.actions();
    actions.extend(timing.actions);
    actions.extend(interruptions::sensor_faults(noise, dice, &timeline, &mut truth, timing.end));
    interruptions::explain_alarms(&mut truth, &sheet.moves, timing.end);
    links.sort_by_key(|(at, _)| *at);
    orders.sort_by_key(|(at, _)| *at);
    let settings = Settings { clock: Some(clock), ..settings };
    Performance {
        settings,
        board: SimulatedBoard::Dgt,
        script: board_timeline::script(actions),
        links,
        orders,
        control,
        truth,
        end: timing.end + QUIET,
    }
}

struct Players<'a> {
    noise: &'a Noise,
    dice: &'a mut Dice,
    slow: bool,
    position: Chess,
    timeline: BoardTimeline,
    clockwork: Clockwork,
    truth: Truth,
    /// The player to move thinks from here on.
    ready: Duration,
    /// No hand comes to the board before.
    free: Duration,
    /// Who forgot to press, since when: his clock still runs.
    forgotten: Option<Color>,
    planned: Option<PlannedIrregularity>,
    links: Vec<(Duration, bool)>,
    orders: Vec<(Duration, Order)>,
}

/// White sits at the left of the clock.
const fn side(color: Color) -> ClockSide {
    match color {
        Color::White => ClockSide::Left,
        Color::Black => ClockSide::Right,
    }
}
