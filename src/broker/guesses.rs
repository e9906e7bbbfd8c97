//! Counts wrong passwords by address and name.
//!
//! Somebody who guesses must not lock a user out elsewhere, so nothing is counted for a name alone. A name is never locked at an
//! address where it has logged in: a right password is always accepted there, and a wrong one is answered late.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// The largest number of wrong passwords for one name from one address within [`WINDOW`]. This is enough to stop guessing, and a
/// wrong setting on one screen does not exclude it for long.
const ATTEMPTS: u32 = 10;
/// The time in which wrong passwords are counted, and for which a name is locked at an address after too many.
const WINDOW: Duration = Duration::from_mins(1);
/// The largest number of pairs of address and name whose wrong passwords are counted.
const MAX_COUNTED: usize = 4_096;
/// The largest number of addresses that are remembered for a user.
const MAX_KNOWN: usize = 64;

/// What a wrong password leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// The password is compared.
    Compare,
    /// The password is compared; if it is wrong, the answer comes late.
    CompareSlowly,
    /// The login is refused whatever the password is.
    Locked,
}

/// The wrong passwords of the last minute, and the addresses where users have logged in.
#[derive(Default)]
pub(super) struct Guesses {
    wrong: BTreeMap<(IpAddr, String), Wrong>,
    known: BTreeMap<String, VecDeque<IpAddr>>,
}

struct Wrong {
    since: MonotonicTime,
    count: u32,
}

impl Guesses {
    /// Whether `user` may try a password at `address`. Names that do not exist are one user, with an empty name.
    pub(super) fn attempt(&mut self, address: IpAddr, user: &str, now: MonotonicTime) -> Attempt {
        let key = (address, user.to_owned());
        let over = |wrong: &Wrong| now.since(wrong.since) >= WINDOW;
        if self.wrong.get(&key).is_some_and(over) {
            self.wrong.remove(&key);
        }
        match self.wrong.get(&key) {
            Some(wrong) if wrong.count >= ATTEMPTS => match self.known.get(user) {
                Some(known) if known.contains(&address) => Attempt::CompareSlowly,
                _ => Attempt::Locked,
            },
            _ => Attempt::Compare,
        }
    }

    /// Counts a wrong password.
    pub(super) fn was_wrong(&mut self, address: IpAddr, user: &str, now: MonotonicTime) {
        if self.wrong.len() >= MAX_COUNTED {
            self.wrong.retain(|_, wrong| now.since(wrong.since) < WINDOW);
        }
        // So many addresses are one attacker, who has as many attempts anyway as he has addresses.
        if self.wrong.len() >= MAX_COUNTED {
            self.wrong.pop_first();
        }
        let wrong = self.wrong.entry((address, user.to_owned())).or_insert(Wrong { since: now, count: 0 });
        wrong.count = wrong.count.saturating_add(1);
    }

    /// Remembers that `user`, who exists, has logged in at `address`.
    pub(super) fn was_right(&mut self, address: IpAddr, user: &str) {
        let known = self.known.entry(user.to_owned()).or_default();
        known.retain(|other| *other != address);
        if known.len() >= MAX_KNOWN {
            known.pop_front();
        }
        known.push_back(address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn after_guesses(guesses: &mut Guesses, address: IpAddr) {
        (0..ATTEMPTS).for_each(|_| guesses.was_wrong(address, "anna", MonotonicTime(0)));
    }

    #[test]
    fn a_name_is_locked_at_the_address_of_the_guesses_alone() {
        let mut guesses = Guesses::default();
        after_guesses(&mut guesses, HERE);
        assert_eq!(guesses.attempt(HERE, "anna", MonotonicTime(0)), Attempt::Locked);
        assert_eq!(guesses.attempt(HERE, "ben", MonotonicTime(0)), Attempt::Compare);
        assert_eq!(guesses.attempt(THERE, "anna", MonotonicTime(0)), Attempt::Compare);
        let later = MonotonicTime(0).after(WINDOW);
        assert_eq!(guesses.attempt(HERE, "anna", later), Attempt::Compare);
    }

    #[test]
    fn a_name_is_never_locked_where_it_has_logged_in() {
        let mut guesses = Guesses::default();
        guesses.was_right(HERE, "anna");
        after_guesses(&mut guesses, HERE);
        assert_eq!(guesses.attempt(HERE, "anna", MonotonicTime(0)), Attempt::CompareSlowly);
        // Logging in elsewhere does not change it, until there were very many other places.
        (0..MAX_KNOWN as u32 - 1).for_each(|other| guesses.was_right(IpAddr::V4(other.into()), "anna"));
        assert_eq!(guesses.attempt(HERE, "anna", MonotonicTime(0)), Attempt::CompareSlowly);
        guesses.was_right(THERE, "anna");
        assert_eq!(guesses.attempt(HERE, "anna", MonotonicTime(0)), Attempt::Locked);
    }

    #[test]
    fn memory_is_bounded() {
        let mut guesses = Guesses::default();
        for number in 0..2 * MAX_COUNTED as u32 {
            guesses.was_wrong(IpAddr::V4(number.into()), "anna", MonotonicTime(0));
        }
        assert_eq!(guesses.wrong.len(), MAX_COUNTED);
        // The next one later needs no place of those that are over.
        guesses.was_wrong(HERE, "anna", MonotonicTime(0).after(WINDOW));
        assert_eq!(guesses.wrong.len(), 1);
    }
}
