//! Limits the log lines that strangers can cause: what they send, how often they connect, what their devices say. Of each kind there is
//! one line a minute, with a count and one example, so that nobody fills the disk or hides what else the log says.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::system_clock::{self, MonotonicTime};

/// The time between two lines of one kind.
const PAUSE: Duration = Duration::from_mins(1);
/// The longest example, in characters.
const LONGEST: usize = 200;

/// The kinds of this process. They are texts of the program, so there are few.
static LIMITS: Mutex<Limits> = Mutex::new(Limits(BTreeMap::new()));

/// All kinds by what happened.
struct Limits(BTreeMap<&'static str, Counted>);

/// What happened of one kind since its last line.
#[derive(Default)]
struct Counted {
    count: u64,
    /// The first of them.
    example: String,
    /// When the next line may be written; none if there was no line yet.
    next: Option<MonotonicTime>,
}

/// Warns that `what` has happened: at once, or once a minute with the number of times. `example` says whose it was, or what.
pub(crate) fn warn(what: &'static str, example: &dyn Display) {
    with(|limits, now| {
        limits.count(what, example);
        limits.due(now)
    });
}

/// Writes the lines whose minute is over. The programs call it now and then, because after the last event nobody else does.
pub(crate) fn write_due() {
    with(Limits::due);
}

/// Writes everything that is counted: the program ends.
pub(crate) fn write_all() {
    with(|limits, now| limits.due(now.after(PAUSE)));
}

fn with(act: impl FnOnce(&mut Limits, MonotonicTime) -> Vec<String>) {
    // The lines are written without the lock, since whoever reads them may be slow.
    let lines = act(&mut LIMITS.lock().unwrap_or_else(PoisonError::into_inner), system_clock::monotonic());
    lines.iter().for_each(|line| tracing::warn!("{line}"));
}

impl Limits {
    fn count(&mut self, what: &'static str, example: &dyn Display) {
        let counted = self.0.entry(what).or_default();
        counted.count += 1;
        if counted.count == 1 {
            let plain = |char: char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char };
            counted.example = example.to_string().chars().take(LONGEST).map(plain).collect();
        }
    }

    fn due(&mut self, now: MonotonicTime) -> Vec<String> {
        let due = |counted: &Counted| counted.count > 0 && counted.next.is_none_or(|next| now >= next);
        let line = |(what, counted): (&&str, &mut Counted)| {
            let Counted { count, example, .. } =
                std::mem::replace(counted, Counted { next: Some(now.after(PAUSE)), ..Counted::default() });
            if count == 1 {
                format!("{what}: {example}")
            } else {
                format!("{what}: {count} times in the last minute, first: {example}")
            }
        };
        self.0.iter_mut().filter(|(_, counted)| due(counted)).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> MonotonicTime {
        MonotonicTime(second * 1_000_000)
    }

    #[test]
    fn each_kind_has_a_line_at_once_and_then_one_a_minute_with_its_count() {
        let mut limits = Limits(BTreeMap::new());
        let mut lines = Vec::new();
        for second in 0..=150 {
            limits.count("a login was refused", &format_args!("from {second}"));
            if second == 30 {
                limits.count("a page was refused", &"10.0.0.1");
            }
            lines.extend(limits.due(at(second)).into_iter().map(|line| (second, line)));
        }
        lines.extend(limits.due(at(1000)).into_iter().map(|line| (1000, line)));
        lines.extend(limits.due(at(2000)).into_iter().map(|line| (2000, line)));
        let expected = [
            (0, "a login was refused: from 0"),
            (30, "a page was refused: 10.0.0.1"),
            (60, "a login was refused: 60 times in the last minute, first: from 1"),
            (120, "a login was refused: 60 times in the last minute, first: from 61"),
            (1000, "a login was refused: 30 times in the last minute, first: from 121"),
        ];
        assert_eq!(lines, expected.map(|(second, line)| (second, line.to_owned())));
    }

    #[test]
    fn an_example_is_short_and_stays_on_its_line() {
        let mut limits = Limits(BTreeMap::new());
        limits.count("a message was dropped", &format_args!("cmd/\u{1b}[2J\n{}", "x".repeat(10_000)));
        let line = limits.due(at(1)).concat();
        assert!(line.starts_with("a message was dropped: cmd/\u{fffd}[2J\u{fffd}xxx") && line.chars().count() < 250, "{line}");
    }
}
