//! How much of something a user may cause, or of something may happen at a board.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// Users who are watched at a time; beyond that the one is forgotten who has been quiet longest.
const MAX_USERS: usize = 64;

/// A bucket of tokens for each user: so many at once, then so many in a time.
#[derive(Clone, Debug)]
pub struct RateLimit {
    burst: u32,
    /// In which time a token comes back.
    every: Duration,
    /// For each user the time at which the bucket is full again.
    full_at: BTreeMap<String, MonotonicTime>,
}

impl RateLimit {
    /// So many in that time, at least 1; as many at once.
    pub fn new(count: u32, within: Duration) -> RateLimit {
        let burst = count.max(1);
        RateLimit { burst, every: within / burst, full_at: BTreeMap::new() }
    }

    /// Whether `user` may have one more `now`; counts it if so.
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
