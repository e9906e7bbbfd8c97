//! What really happened at a simulated board: known from what the hands did, never from what was made of it.

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
    /// There is no clock: nobody is known to have pressed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clockless: bool,
    /// The hands are done, microseconds.
    pub end_us: u64,
}

/// One move.
#[derive(Clone, Debug, Serialize)]
pub struct Ply {
    /// Standard algebraic notation.
    pub san: String,
    /// UCI notation.
    pub uci: String,
    /// The first man was touched, microseconds since the beginning.
    pub lifted_us: u64,
    /// The last man of the move stood where it belongs.
    pub released_us: u64,
    /// The player pressed; none if he did not.
    pub pressed_us: Option<u64>,
    /// His press moved the lever: it does not where an earlier press was forgotten.
    pub lever: bool,
    /// Squares that the move changes, bit 0 = a1.
    #[serde(skip)]
    pub squares: u64,
    /// A king goes to one of the four squares in the centre.
    #[serde(skip)]
    pub king_to_centre: bool,
    /// What was odd about it.
    pub odd: Vec<&'static str>,
}

/// An alarm of these kinds opened between these moments has a natural cause.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// Kinds of alarms.
    pub kinds: Vec<&'static str>,
    /// From here, microseconds.
    pub from_us: u64,
    /// To here.
    pub to_us: u64,
    /// What happened.
    pub cause: &'static str,
}

/// Something that an arbiter or operator is to be told of.
#[derive(Clone, Debug, Serialize)]
pub struct Irregularity {
    /// What it is.
    pub kind: &'static str,
    /// Ply in whose time it happens, from 1.
    pub ply: usize,
    /// It begins, microseconds.
    pub from_us: u64,
    /// It is over: everything is put right.
    pub to_us: u64,
    /// Any one of these alarms must be raised; none if it is no matter for an alarm.
    pub expected: Vec<&'static str>,
    /// ... from here to there, microseconds.
    pub expected_us: [u64; 2],
    /// From here on the position can be in step again.
    pub in_step_from_us: Option<u64>,
}

impl Truth {
    /// Adds a natural cause.
    pub fn explain(&mut self, cause: &'static str, kinds: &[&'static str], from: Duration, to: Duration) {
        let [from_us, to_us] = [from, to].map(micros);
        self.explained.push(Explained { kinds: kinds.to_vec(), from_us, to_us, cause });
    }
}

/// Whole microseconds.
pub fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}
