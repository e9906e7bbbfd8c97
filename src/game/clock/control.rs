//! Parses and describes time controls: periods, required moves, additional time (Articles 6.3.1 and 6.3.2).

use alloc::vec::Vec;
use core::fmt;

/// The largest number of periods in a time control.
pub const MAX_PERIODS: usize = 8;

/// The method by which a clock adds or withholds time with each move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// There is main time only.
    #[default]
    TimeOnly,
    /// Time is added with each move (6.3.1), and unused time is kept.
    Fischer,
    /// A fixed extra time comes with each move, and is given back up to the time that was used (6.3.2).
    Bronstein,
    /// The main thinking time runs only after the fixed extra time (6.3.2).
    UsDelay,
}

/// One period of a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Main thinking time of the period, milliseconds.
    pub main_ms: u32,
    /// Moves to be completed in this period; none if the period is for all remaining moves.
    pub moves: Option<u32>,
    /// How time is added or withheld with each move.
    pub method: Method,
    /// Additional or fixed extra time per move, milliseconds.
    pub per_move_ms: u32,
}

/// A time control. It has at least one period, and every period but the last has a number of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeControl {
    periods: Vec<Period>,
}

/// The reason why a text is not a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControlError {
    /// The byte of the text at which the problem begins.
    pub byte: usize,
    /// The problem at that byte.
    pub problem: &'static str,
}

impl fmt::Display for TimeControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "time control, byte {}: {}", self.byte, self.problem)
    }
}

impl core::error::Error for TimeControlError {}

impl TimeControl {
    /// Parses the PGN notation: periods are separated by `:`, and each is `[moves/]seconds`, followed by nothing, `+seconds`
    /// (Fischer), `bseconds` (Bronstein) or `dseconds` (US delay). Examples are `40/5400+30:1800+30` and `300d3`.
    ///
    /// # Errors
    /// Names the byte and the problem if the text is not such a notation, if a number is out of range (a clock shows 9:59:59
    /// at most), or if the periods do not follow each other.
    pub fn parse(text: &str) -> Result<TimeControl, TimeControlError> {
        let mut periods = Vec::new();
        let mut byte = 0;
        for part in text.split(':') {
            if periods.len() == MAX_PERIODS {
                return Err(TimeControlError { byte, problem: "there are more than 8 periods" });
            }
            if periods.last().is_some_and(|last: &Period| last.moves.is_none()) {
                return Err(TimeControlError { byte, problem: "a period follows one without a number of moves" });
            }
            periods.push(parse_period(part, byte)?);
            byte += part.len() + 1;
        }
        if periods.last().is_some_and(|last| last.moves.is_some()) {
            return Err(TimeControlError { byte: text.len(), problem: "the last period has a number of moves" });
        }
        Ok(TimeControl { periods })
    }

    /// The period with this index, or the last period if the index is too high.
    pub fn period(&self, index: usize) -> &Period {
        &self.periods[index.min(self.periods.len() - 1)]
    }

    /// The period after this one.
    pub fn next_period(&self, index: usize) -> Option<&Period> {
        self.periods.get(index + 1)
    }

    /// True if no period follows this one.
    pub fn is_last(&self, index: usize) -> bool {
        index + 1 >= self.periods.len()
    }

    /// Moves that must be completed, counted from move 1, by the end of this period; none in the last.
    pub fn required(&self, index: usize) -> Option<u32> {
        self.periods.get(..=index)?.iter().map(|period| period.moves).sum()
    }

    /// True if time is added or given back with each move in at least one period.
    pub fn adds_time(&self) -> bool {
        self.periods.iter().any(|period| period.method != Method::TimeOnly)
    }

    /// The periods, at least one.
    pub(super) fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// The same time control with `per_move_ms` more additional time in every period (Guideline III.4).
    pub fn with_additional_time(mut self, per_move_ms: u32) -> TimeControl {
        for period in &mut self.periods {
            period.method = Method::Fischer;
            period.per_move_ms = per_move_ms;
        }
        self
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.main_ms / 1000)?;
        let sign = match self.method {
            Method::TimeOnly => return Ok(()),
            Method::Fischer => '+',
            Method::Bronstein => 'b',
            Method::UsDelay => 'd',
        };
        write!(f, "{sign}{}", self.per_move_ms / 1000)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, period) in self.periods.iter().enumerate() {
            if i > 0 {
                f.write_str(":")?;
            }
            write!(f, "{period}")?;
        }
        Ok(())
    }
}

fn parse_period(part: &str, at: usize) -> Result<Period, TimeControlError> {
    let (moves, rest, rest_at) = match part.split_once('/') {
        Some((moves, rest)) => (Some(number(moves, at, 1..=999)?), rest, at + moves.len() + 1),
        None => (None, part, at),
    };
    let (main, method, extra) = match rest.find(['+', 'b', 'd']) {
        None => (rest, Method::TimeOnly, None),
        Some(i) => {
            let method = match rest.as_bytes()[i] {
                b'+' => Method::Fischer,
                b'b' => Method::Bronstein,
                _ => Method::UsDelay,
            };
            (&rest[..i], method, Some((&rest[i + 1..], rest_at + i + 1)))
        }
    };
    let main_ms = number(main, rest_at, 0..=35_999)? * 1000;
    let per_move_ms = match extra {
        Some((text, byte)) => number(text, byte, 0..=3_599)? * 1000,
        None => 0,
    };
    if main_ms == 0 && per_move_ms == 0 {
        return Err(TimeControlError { byte: rest_at, problem: "a period has no time" });
    }
    let method = if per_move_ms == 0 { Method::TimeOnly } else { method };
    Ok(Period { main_ms, moves, method, per_move_ms })
}

fn number(text: &str, byte: usize, range: core::ops::RangeInclusive<u32>) -> Result<u32, TimeControlError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(TimeControlError { byte, problem: "a whole number is expected" });
    }
    match text.parse() {
        Ok(value) if range.contains(&value) => Ok(value),
        _ => Err(TimeControlError { byte, problem: "the number is out of range" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_reads_and_prints() {
        for text in ["300", "300+5", "40/5400+30:1800+30", "300d3", "300b3", "40/7200:20/3600:900+30"] {
            let control = TimeControl::parse(text).expect(text);
            assert_eq!(alloc::format!("{control}"), text);
        }
    }

    #[test]
    fn required_moves_add_up() {
        let control = TimeControl::parse("40/7200:20/3600:900+30").expect("valid");
        assert_eq!([0, 1, 2].map(|i| control.required(i)), [Some(40), Some(60), None]);
        assert_eq!([0, 1, 2].map(|i| control.is_last(i)), [false, false, true]);
    }

    #[test]
    fn errors_name_the_byte() {
        for (text, byte) in
            [("", 0), ("40/", 3), ("40/5400", 7), ("300+x", 4), ("300:600", 4), ("0", 0), ("300+99999", 4), ("é", 0)]
        {
            assert_eq!(TimeControl::parse(text).expect_err(text).byte, byte, "{text}");
        }
    }
}
