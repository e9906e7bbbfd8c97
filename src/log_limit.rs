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

/// All kinds by who reports them and what happened.
struct Limits(BTreeMap<(&'static str, &'static str), Counted>);

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
    warn_of("", what, example);
}

/// The same for what happened to a part of the program, whose name the line begins with.
pub(crate) fn warn_of(part: &'static str, what: &'static str, example: &dyn Display) {
    with(|limits, now| {
        limits.count((part, what), example);
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
    fn count(&mut self, kind: (&'static str, &'static str), example: &dyn Display) {
        let counted = self.0.entry(kind).or_default();
        counted.count += 1;
        if counted.count == 1 {
            let plain = |char: char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char };
            counted.example = example.to_string().chars().take(LONGEST).map(plain).collect();
        }
    }

    fn due(&mut self, now: MonotonicTime) -> Vec<String> {
        let due = |counted: &Counted| counted.count > 0 && counted.next.is_none_or(|next| now >= next);
        let line = |((part, what), counted): (&(&str, &str), &mut Counted)| {
            let Counted { count, example, .. } =
                std::mem::replace(counted, Counted { next: Some(now.after(PAUSE)), ..Counted::default() });
            if count == 1 {
                format!("{part}{what}: {example}")
            } else {
                format!("{part}{what}: {count} times in the last minute, first: {example}")
            }
        };
        self.0.iter_mut().filter(|(_, counted)| due(counted)).map(line).collect()
    }
}

#[cfg(test)]
mod tests;
