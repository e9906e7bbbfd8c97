//! Limits how often a user may do something, or something may happen at a board.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// The most users that are watched at a time. If there are more, the one with the longest pause is forgotten.
const MAX_USERS: usize = 64;

/// A token bucket for each user: a burst at once, then one token after another.
#[derive(Clone, Debug)]
pub struct RateLimit {
    burst: u32,
    /// The time in which one token comes back.
    every: Duration,
    /// The time at which each user's bucket is full again.
    full_at: BTreeMap<String, MonotonicTime>,
}

impl RateLimit {
    /// Allows `count` (at least 1) within that time, and as many at once.
    pub fn new(count: u32, within: Duration) -> RateLimit {
        let burst = count.max(1);
        RateLimit { burst, every: within / burst, full_at: BTreeMap::new() }
    }

    /// Whether `user` may have one more at `now`, which is then counted.
    pub fn allow(&mut self, user: &str, now: MonotonicTime) -> bool {
        let full_at = self.full_at.get(user).copied().unwrap_or(now).max(now);
        let after = full_at.after(self.every);
        if after.since(now) > self.every * self.burst {
            return false;
        }
        if self.full_at.len() >= MAX_USERS && !self.full_at.contains_key(user) {
            let quietest = self.full_at.iter().min_by_key(|(_, full_at)| **full_at).map(|(user, _)| user.clone());
            quietest.and_then(|user| self.full_at.remove(&user));
        }
        self.full_at.insert(user.to_owned(), after);
        true
    }
}
