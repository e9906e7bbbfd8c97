//! Defines scripts, which describe the actions of people at a board as text, one action per line.
//!
//! ```text
//! # a comment
//! 0       board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR
//! 1.5     run
//! 3       lift e2
//! +0.45   place e4
//! +0.3    press left
//! ```
//!
//! The time is in seconds since the script began, or with `+` since the previous line. Times never go back.
//!
//! | verb | action |
//! | --- | --- |
//! | `board PLACEMENT` | all pieces are put on the board at once, as in a FEN |
//! | `lift SQ` | the piece goes into the hand, on top of the pieces there |
//! | `place SQ [PIECE]` | the top of the hand, or a piece from the box, is put down; a piece that stood there is pushed off |
//! | `drop` | the top of the hand is put beside the board |
//! | `slide FROM TO SECONDS` | the piece moves square by square on a straight line and pushes off the pieces in its way |
//! | `move FROM TO` | lift, and 0.4 s later place |
//! | `press left\|right` | the lever of that side goes down |
//! | `run`, `stop` | the clock is started or stopped by its button |
//! | `set left H:MM:SS right H:MM:SS` | both times are set; only while stopped |
//! | `additional H:MM:SS` | from now on the clock adds this with each move; only while stopped |
//! | `bronstein H:MM:SS` | from now on the clock gives the used time back at each press, up to this; only while stopped |
//! | `delay H:MM:SS` | from now on the clock does not run for this at the start of each move (US delay); only while stopped |
//! | `connect`, `disconnect` | the clock's cable is plugged in or pulled |
//! | `replace` | the cable is pulled, and two seconds later another clock is connected, set as this one was at the start |
//! | `flagsign off left\|right` | the flag sign is removed from the display |
//! | `power on\|off` | the board is switched on or off |
//! | `misread SQ PIECE\|empty SECONDS` | the sensor of a square reports a wrong piece |
//! | `dropout SQ SECONDS` | the sensor of a square sees no piece |
//!
//! Pieces are FEN letters.

use std::fmt;
use std::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Piece, Placement, Square};
use flagfall_protocols::time::ClockTime;

mod parse;

pub use parse::{Problem, ScriptError};

/// One action of a person at the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the module's table says what each does")]
pub enum Action {
    Board(Placement),
    Lift(Square),
    Place(Square, Option<Piece>),
    Drop,
    Slide { from: Square, to: Square, lasts: Duration },
    Move { from: Square, to: Square },
    Press(ClockSide),
    Run,
    Stop,
    Set { left: ClockTime, right: ClockTime },
    Additional(ClockTime),
    Bronstein(ClockTime),
    Delay(ClockTime),
    Connect,
    Disconnect,
    Replace,
    FlagSignOff(ClockSide),
    Power(bool),
    Misread { square: Square, piece: Option<Piece>, lasts: Duration },
    Dropout { square: Square, lasts: Duration },
}

/// An action and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The time since the script began, in whole microseconds.
    pub at: Duration,
    /// The action.
    pub action: Action,
}

/// A list of actions in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// The time between the lift and the placing of a `move`.
    pub const MOVE_LASTS: Duration = Duration::from_millis(400);
    /// The time without a clock when it is replaced.
    pub const REPLACE_LASTS: Duration = Duration::from_secs(2);

    /// Creates a script without actions.
    pub const fn new() -> Script {
        Script { steps: Vec::new() }
    }

    /// Reads a script.
    ///
    /// # Errors
    /// The first line that cannot be read, with the wrong word.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        parse::script(text)
    }

    /// Adds an action after those at the same time or earlier. `at` is rounded down to whole microseconds.
    pub fn push(&mut self, at: Duration, action: Action) {
        let step = Step { at: Duration::from_micros(at.as_micros() as u64), action };
        let index = self.steps.partition_point(|earlier| earlier.at <= step.at);
        self.steps.insert(index, step);
    }

    /// Adds an action `after` the last one.
    pub fn then(&mut self, after: Duration, action: Action) {
        self.push(self.end().saturating_add(after), action);
    }

    /// Returns the actions in order of time.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the beginning of the last action.
    pub fn end(&self) -> Duration {
        self.steps.last().map_or(Duration::ZERO, |step| step.at)
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Seconds(self.at), self.action)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Action::Board(placement) => write!(f, "board {placement}"),
            Action::Lift(square) => write!(f, "lift {square}"),
            Action::Place(square, None) => write!(f, "place {square}"),
            Action::Place(square, Some(piece)) => write!(f, "place {square} {}", piece.letter()),
            Action::Drop => f.write_str("drop"),
            Action::Slide { from, to, lasts } => write!(f, "slide {from} {to} {}", Seconds(lasts)),
            Action::Move { from, to } => write!(f, "move {from} {to}"),
            Action::Press(side) => write!(f, "press {}", name(side)),
            Action::Run => f.write_str("run"),
            Action::Stop => f.write_str("stop"),
            Action::Set { left, right } => write!(f, "set left {left} right {right}"),
            Action::Additional(time) => write!(f, "additional {time}"),
            Action::Bronstein(time) => write!(f, "bronstein {time}"),
            Action::Delay(time) => write!(f, "delay {time}"),
            Action::Connect => f.write_str("connect"),
            Action::Disconnect => f.write_str("disconnect"),
            Action::Replace => f.write_str("replace"),
            Action::FlagSignOff(side) => write!(f, "flagsign off {}", name(side)),
            Action::Power(on) => f.write_str(if on { "power on" } else { "power off" }),
            Action::Misread { square, piece: Some(piece), lasts } => {
                write!(f, "misread {square} {} {}", piece.letter(), Seconds(lasts))
            }
            Action::Misread { square, piece: None, lasts } => write!(f, "misread {square} empty {}", Seconds(lasts)),
            Action::Dropout { square, lasts } => write!(f, "dropout {square} {}", Seconds(lasts)),
        }
    }
}

const fn name(side: ClockSide) -> &'static str {
    match side {
        ClockSide::Left => "left",
        ClockSide::Right => "right",
    }
}

/// Seconds with as many decimals as needed, at most six.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.subsec_micros();
        write!(f, "{}", self.0.as_secs())?;
        if micros > 0 {
            let decimals = format!("{micros:06}");
            write!(f, ".{}", decimals.trim_end_matches('0'))?;
        }
        Ok(())
    }
}
