//! Lets one request at a time go to one account: this is lichess' rule, and all outputs with one address and token share it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::system_clock::{MonotonicTime, monotonic};

/// The first wait after "too many requests"; it doubles up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_secs(60);
/// The longest wait after "too many requests".
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// The lines of all accounts.
#[derive(Default)]
pub struct Lines(Vec<(String, PathBuf, Arc<Line>)>);

impl Lines {
    /// The line of the account at this address with this token.
    pub(super) fn line_of(&mut self, url: &str, token_file: &Path) -> Arc<Line> {
        let known = self.0.iter().find(|(of, file, _)| of == url && file == token_file);
        if let Some((_, _, line)) = known {
            return Arc::clone(line);
        }
        let line = Arc::new(Line::default());
        self.0.push((url.to_owned(), token_file.to_owned(), Arc::clone(&line)));
        line
    }
}

/// The requests of one account, one after the other.
#[derive(Default)]
pub(super) struct Line(Mutex<Block>);

#[derive(Default)]
struct Block {
    until: MonotonicTime,
    /// How often in a row there were too many requests.
    times: u32,
}

/// The right to send one request.
pub(super) struct Turn<'a>(MutexGuard<'a, Block>);

impl Line {
    /// Waits until no other output sends. Returns how long nothing may be sent, if there were too many requests.
    pub(super) fn enter(&self) -> Result<Turn<'_>, Duration> {
        let block = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = block.until.since(monotonic());
        if left.is_zero() { Ok(Turn(block)) } else { Err(left) }
    }
}

impl Turn<'_> {
    /// There were too many requests. Returns how long nothing may be sent.
    pub(super) fn block(&mut self) -> Duration {
        let wait = FIRST_WAIT.saturating_mul(1 << self.0.times.min(8)).min(LONGEST_WAIT);
        self.0.times += 1;
        self.0.until = monotonic().after(wait);
        wait
    }

    /// A request was answered.
    pub(super) fn unblock(&mut self) {
        self.0.times = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_with_one_account_share_a_line() {
        let mut lines = Lines::default();
        let first = lines.line_of("https://lichess.org", Path::new("/etc/a"));
        assert!(Arc::ptr_eq(&first, &lines.line_of("https://lichess.org", Path::new("/etc/a"))));
        assert!(!Arc::ptr_eq(&first, &lines.line_of("https://lichess.org", Path::new("/etc/b"))));
    }

    #[test]
    fn the_waits_double_up_to_ten_minutes() {
        let line = Line::default();
        let mut turn = line.enter().expect("a turn");
        let waits: Vec<u64> = (0..6).map(|_| turn.block().as_secs()).collect();
        assert_eq!(waits, [60, 120, 240, 480, 600, 600]);
        turn.unblock();
        assert_eq!(turn.block().as_secs(), 60);
        drop(turn);
        assert!(line.enter().is_err_and(|wait| wait <= Duration::from_secs(60)));
    }
}
