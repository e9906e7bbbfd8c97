//! Simulates the players of a recorded game on an emulated board: turns the moves and the noise model into hand motions and
//! presses, and keeps the truth about them.
//!
//! The moves come first, one after the other, each with its own time. Other actions of hands and sensors are added around them
//! where that is physically possible.

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

/// The shortest time between two presses.
const AFTER_PRESS: Duration = Duration::from_millis(120);
/// The time after which the driver's start-up questions are answered.
const STARTED: Duration = Duration::from_secs(6);
/// The time for which the board stays after the last action of hands and clock.
const QUIET: Duration = Duration::from_secs(8);

/// An entry of an arbiter during a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Acknowledge the open alarms of this kind.
    Acknowledge(&'static str),
    /// Enter this command.
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
    /// The time control of the daemon, with as much more main time as the hands need.
    pub control: Control,
    /// What really happens.
    pub truth: Truth,
    /// The end of the game.
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
    /// From this time on the player to move thinks.
    ready: Duration,
    /// No hand comes to the board before this time.
    free: Duration,
    /// The player who forgot to press and whose clock still runs.
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
