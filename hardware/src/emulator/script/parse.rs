//! Parses scripts of hand motions. Every error names its line and word.

use std::fmt;
use std::str::SplitWhitespace;
use std::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::{Piece, Placement, Square};
use flagfall_protocols::time::ClockTime;

use super::{Action, Script};
use crate::emulator::simulated_board;

/// The largest number of lines of a script.
const MAX_LINES: usize = 1_000_000;
/// The latest time of an action and its longest duration, in seconds: one year.
const MAX_SECONDS: u64 = 31_536_000;

/// The errors of a word in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the text of each problem describes it")]
pub enum Problem {
    NotSeconds,
    GoesBack,
    UnknownVerb,
    NotASquare,
    NotAPiece,
    NotAPlacement,
    NotASide,
    NotAClockTime,
    NotStraight,
    /// The word that should stand here.
    Expected(&'static str),
    Superfluous,
    TooLong,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::NotSeconds => "is not a number of seconds with at most six decimals, up to a year",
            Problem::GoesBack => "is earlier than the line before",
            Problem::UnknownVerb => "is no action",
            Problem::NotASquare => "is not a square a1..h8",
            Problem::NotAPiece => "is not a piece PNBRQKpnbrqk",
            Problem::NotAPlacement => "is not the placement field of a FEN",
            Problem::NotASide => "is neither left nor right",
            Problem::NotAClockTime => "is not a time 0:00:00..9:59:59",
            Problem::NotStraight => "is not on a straight line with the square before",
            Problem::Expected(word) => return write!(f, "should be `{word}`"),
            Problem::Superfluous => "is one word too many",
            Problem::TooLong => "is on the line where the script becomes too long",
        })
    }
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Number of the line, counted from 1.
    pub line: usize,
    /// Number of the word in the line, counted from 1. The first word is the time.
    pub word_number: usize,
    /// The word; empty if a word is missing.
    pub word: String,
    /// The error.
    pub problem: Problem,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScriptError { line, word_number, word, problem } = self;
        match word.is_empty() {
            true => write!(f, "line {line}, word {word_number}: a word is missing here (the empty one {problem})"),
            false => write!(f, "line {line}, word {word_number}: `{word}` {problem}"),
        }
    }
}

impl std::error::Error for ScriptError {}

pub(super) fn script(text: &str) -> Result<Script, ScriptError> {
    let mut script = Script::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = Words { words: line.split_whitespace(), number: 0, word: "" };
        let end = script.end();
        let step = match index < MAX_LINES {
            true => words.step(end),
            false => Err(Problem::TooLong),
        };
        match step {
            Ok(Some((at, action))) => script.push(at, action),
            Ok(None) => {}
            Err(problem) => {
                let word = words.word.chars().take(80).collect();
                return Err(ScriptError { line: index + 1, word_number: words.number, word, problem });
            }
        }
    }
    Ok(script)
}

/// The words of a line, and the most recently read word.
struct Words<'a> {
    words: SplitWhitespace<'a>,
    number: usize,
    word: &'a str,
}

impl<'a> Words<'a> {
    /// Returns the next word, or an empty one.
    fn next(&mut self) -> &'a str {
        self.number += 1;
        self.word = self.words.next().unwrap_or_default();
        self.word
    }

    fn step(&mut self, end: Duration) -> Result<Option<(Duration, Action)>, Problem> {
        let time = self.next();
        if time.is_empty() {
            return Ok(None);
        }
        let at = match time.strip_prefix('+') {
            Some(after) => end.saturating_add(seconds(after)?),
            None => seconds(time)?,
        };
        if at < end {
            return Err(Problem::GoesBack);
        }
        if at.as_secs() > MAX_SECONDS {
            return Err(Problem::NotSeconds);
        }
        let action = self.action()?;
        match self.next() {
            "" => Ok(Some((at, action))),
            _ => Err(Problem::Superfluous),
        }
    }

    fn action(&mut self) -> Result<Action, Problem> {
        Ok(match self.next() {
            "board" => Action::Board(placement(self.next())?),
            "lift" => Action::Lift(square(self.next())?),
            "place" => {
                let square = square(self.next())?;
                // The piece may be missing, so this test must not count as a word.
                let piece = match self.words.clone().next() {
                    Some(_) => Some(piece(self.next())?),
                    None => None,
                };
                Action::Place(square, piece)
            }
            "drop" => Action::Drop,
            "slide" => {
                let (from, to) = (square(self.next())?, square(self.next())?);
                if simulated_board::line_between(from, to).is_none() {
                    return Err(Problem::NotStraight);
                }
                Action::Slide { from, to, lasts: seconds(self.next())? }
            }
            "move" => Action::Move { from: square(self.next())?, to: square(self.next())? },
            "press" => Action::Press(side(self.next())?),
            "run" => Action::Run,
            "stop" => Action::Stop,
            "set" => {
                self.expect("left")?;
                let left = clock_time(self.next())?;
                self.expect("right")?;
                Action::Set { left, right: clock_time(self.next())? }
            }
            "additional" => Action::Additional(clock_time(self.next())?),
            "bronstein" => Action::Bronstein(clock_time(self.next())?),
            "delay" => Action::Delay(clock_time(self.next())?),
            "connect" => Action::Connect,
            "disconnect" => Action::Disconnect,
            "replace" => Action::Replace,
            "flagsign" => {
                self.expect("off")?;
                Action::FlagSignOff(side(self.next())?)
            }
            "power" => Action::Power(match self.next() {
                "on" => true,
                "off" => false,
                _ => return Err(Problem::Expected("on` or `off")),
            }),
            "misread" => {
                let square = square(self.next())?;
                let piece = match self.next() {
                    "empty" => None,
                    word => Some(piece(word)?),
                };
                Action::Misread { square, piece, lasts: seconds(self.next())? }
            }
            "dropout" => Action::Dropout { square: square(self.next())?, lasts: seconds(self.next())? },
            _ => return Err(Problem::UnknownVerb),
        })
    }

    fn expect(&mut self, word: &'static str) -> Result<(), Problem> {
        if self.next() == word { Ok(()) } else { Err(Problem::Expected(word)) }
    }
}

fn seconds(word: &str) -> Result<Duration, Problem> {
    let (whole, decimals) = word.split_once('.').unwrap_or((word, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 6 {
        return Err(Problem::NotSeconds);
    }
    let whole = whole.parse().ok().filter(|&whole: &u64| whole <= MAX_SECONDS).ok_or(Problem::NotSeconds)?;
    let micros: u64 = format!("{decimals:0<6}").parse().map_err(|_| Problem::NotSeconds)?;
    Ok(Duration::from_secs(whole) + Duration::from_micros(micros))
}

fn square(word: &str) -> Result<Square, Problem> {
    Square::parse(word).ok_or(Problem::NotASquare)
}

fn piece(word: &str) -> Result<Piece, Problem> {
    let mut letters = word.chars();
    match (letters.next().and_then(Piece::from_letter), letters.next()) {
        (Some(piece), None) => Ok(piece),
        _ => Err(Problem::NotAPiece),
    }
}

fn placement(word: &str) -> Result<Placement, Problem> {
    // `?` is for boards that do not identify pieces. A script moves real pieces.
    Placement::parse(word).filter(|_| !word.contains('?')).ok_or(Problem::NotAPlacement)
}

fn side(word: &str) -> Result<ClockSide, Problem> {
    match word {
        "left" => Ok(ClockSide::Left),
        "right" => Ok(ClockSide::Right),
        _ => Err(Problem::NotASide),
    }
}

fn clock_time(word: &str) -> Result<ClockTime, Problem> {
    let parsed = match word.as_bytes() {
        [h, b':', m1, m2, b':', s1, s2] if [h, m1, m2, s1, s2].iter().all(|digit| digit.is_ascii_digit()) => {
            let digit = |byte: &u8| u32::from(byte - b'0');
            let (minutes, seconds) = (digit(m1) * 10 + digit(m2), digit(s1) * 10 + digit(s2));
            (minutes < 60 && seconds < 60).then(|| ClockTime::hms(digit(h), minutes, seconds))
        }
        _ => None,
    };
    parsed.ok_or(Problem::NotAClockTime)
}
