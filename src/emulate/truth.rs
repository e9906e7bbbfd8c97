//! Defines what really happened in a simulated game. It is known from the actions of the hands, never from the station.

use std::time::Duration;

use serde::Serialize;

/// A whole game as it was played.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Truth {
    /// The moves that count.
    pub plies: Vec<Ply>,
    /// Alarms that have a natural cause, and when.
    pub explained: Vec<Explained>,
    /// What went wrong on purpose.
    pub irregularities: Vec<Irregularity>,
    /// Whether there is no clock, so that no press is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clockless: bool,
    /// When the hands are done, in microseconds.
    pub end_us: u64,
}

/// One move.
#[derive(Clone, Debug, Serialize)]
pub struct Ply {
    /// Standard algebraic notation.
    pub san: String,
    /// UCI notation.
    pub uci: String,
    /// When the first man was touched, in microseconds since the beginning.
    pub lifted_us: u64,
    /// When the last man of the move stood where it belongs.
    pub released_us: u64,
    /// When the player pressed; none if he did not.
    pub pressed_us: Option<u64>,
    /// Whether his press moved the lever; it does not after an earlier forgotten press.
    pub lever: bool,
    /// Squares that the move changes, bit 0 = a1.
    #[serde(skip)]
    pub squares: u64,
    /// Whether a king goes to one of the four squares in the centre.
    #[serde(skip)]
    pub king_to_centre: bool,
    /// What was unusual about it.
    pub odd: Vec<&'static str>,
}

/// An alarm of these kinds opened between these moments has a natural cause.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// Kinds of alarms.
    pub kinds: Vec<&'static str>,
    /// From this time, in microseconds.
    pub from_us: u64,
    /// To this time.
    pub to_us: u64,
    /// What happened.
    pub cause: &'static str,
}

/// An event that must be reported to an arbiter or operator.
#[derive(Clone, Debug, Serialize)]
pub struct Irregularity {
    /// Its kind.
    pub kind: &'static str,
    /// The ply in whose time it happens, from 1.
    pub ply: usize,
    /// When it begins, in microseconds.
    pub from_us: u64,
    /// When it is over and everything is corrected.
    pub to_us: u64,
    /// Any one of these alarms must be raised; none if it needs no alarm.
    pub expected: Vec<&'static str>,
    /// The time in which the alarm must be raised, in microseconds.
    pub expected_us: [u64; 2],
    /// From this time on the position can be in step again.
    pub in_step_from_us: Option<u64>,
}

impl Truth {
    /// Adds a natural cause.
    pub fn explain(&mut self, cause: &'static str, kinds: &[&'static str], from: Duration, to: Duration) {
        let [from_us, to_us] = [from, to].map(micros);
        self.explained.push(Explained { kinds: kinds.to_vec(), from_us, to_us, cause });
    }
}

/// Converts a time to whole microseconds.
pub fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}
