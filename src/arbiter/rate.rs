//! Limits how often each user may do something, or how often something may happen on each board.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// The largest number of users that are counted at the same time. If there are more, the user with the longest pause is
/// forgotten.
const MAX_USERS: usize = 64;

/// A limit for each user, as a token bucket: a number of actions at once, and then one action in each interval.
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
