//! Counts wrong passwords by address and name.
//!
//! Nobody can lock a user out: nothing is counted for a name alone, and after too many guesses a name is slow and not locked. Guesses are
//! counted for the full address. An address of IPv6 costs nothing, so after the same number of guesses from all addresses of a /64 the
//! passwords of one second are compared one after the other: each attempt takes the next free turn. An address that has guessed too often
//! itself waits for no turn, so others of its network get them. Where a user has logged in before, a right password is always accepted at
//! once, and a wrong one is answered late.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use super::network;
use crate::system_clock::MonotonicTime;

/// How late a wrong password is answered after too many, where the user has logged in before.
pub(crate) const SLOW_ANSWER: Duration = Duration::from_secs(1);
/// The largest number of wrong passwords for one name from one address or network within [`WINDOW`] that are compared at once. A wrong
/// setting on one screen is no attack.
const ATTEMPTS: u32 = 10;
/// The time in which wrong passwords are counted.
const WINDOW: Duration = Duration::from_mins(1);
/// The time between two comparisons for one name from one network after too many wrong passwords.
const TURN: Duration = Duration::from_secs(1);
/// The longest time that an attempt waits for its turn; it is less than a client has for its login.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// The largest number of pairs of address and name whose wrong passwords are counted.
const MAX_COUNTED: usize = 4_096;
/// The largest number of addresses that are remembered for a user.
const MAX_KNOWN: usize = 64;
/// The longest name of a user, in bytes; those that are longer are one user.
const MAX_NAME: usize = 64;

/// What becomes of an attempt to log in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The password is compared.
    Compare,
    /// The password is compared; if it is wrong, the answer comes after [`SLOW_ANSWER`].
    CompareSlowly,
    /// The password is compared after this time.
    Wait(Duration),
    /// The login is refused for now, whatever the password is.
    TooMany,
}

/// The wrong passwords of the last minute, and the addresses where users have logged in.
#[derive(Default)]
pub(crate) struct Guesses {
    /// By full address, and by network, and name.
    wrong: BTreeMap<(IpAddr, String), Wrong>,
    known: BTreeMap<String, VecDeque<IpAddr>>,
}

struct Wrong {
    since: MonotonicTime,
    count: u32,
    /// The next free turn of a network.
    turn: MonotonicTime,
}

impl Guesses {
    /// Whether `user` may try a password at `address`. Names that do not exist are one user, with an empty name.
    pub(crate) fn attempt(&mut self, address: IpAddr, user: &str, now: MonotonicTime) -> Attempt {
        let (address, user) = (address.to_canonical(), counted(user));
        let is_known = self.known.get(user).is_some_and(|known| known.contains(&address));
        let at_address = self.count(address, user, now) >= ATTEMPTS;
        if is_known {
            return if at_address { Attempt::CompareSlowly } else { Attempt::Compare };
        }
        let network = network(address);
        if self.count(network, user, now) < ATTEMPTS {
            return Attempt::Compare;
        }
        let Some(wrong) = self.wrong.get_mut(&(network, user.to_owned())) else { return Attempt::Compare };
        let wait = wrong.turn.since(now);
        if wait > LONGEST_WAIT || (wait > Duration::ZERO && at_address && network != address) {
            return Attempt::TooMany;
        }
        wrong.turn = now.after(wait + TURN);
        if wait.is_zero() { Attempt::Compare } else { Attempt::Wait(wait) }
    }

    /// Counts a wrong password.
    pub(crate) fn was_wrong(&mut self, address: IpAddr, user: &str, now: MonotonicTime) {
        let (address, user) = (address.to_canonical(), counted(user));
        if self.wrong.len() + 1 >= MAX_COUNTED {
            self.wrong.retain(|_, wrong| now.since(wrong.since) < WINDOW);
        }
        for counted in BTreeSet::from([address, network(address)]) {
            // So many pairs are one attacker; what is guessed again and again stays counted.
            if self.wrong.len() >= MAX_COUNTED
                && let Some(least) =
                    self.wrong.iter().min_by_key(|(_, wrong)| (wrong.count, wrong.since)).map(|(key, _)| key.clone())
            {
                self.wrong.remove(&least);
            }
            let new = Wrong { since: now, count: 0, turn: now.after(TURN) };
            let wrong = self.wrong.entry((counted, user.to_owned())).or_insert(new);
            wrong.count = wrong.count.saturating_add(1);
        }
    }

    /// Takes back what [`Guesses::was_wrong`] counted before it was known that the password is not wrong.
    pub(crate) fn take_back(&mut self, address: IpAddr, user: &str) {
        let (address, user) = (address.to_canonical(), counted(user));
        for counted in BTreeSet::from([address, network(address)]) {
            if let Some(wrong) = self.wrong.get_mut(&(counted, user.to_owned())) {
                wrong.count = wrong.count.saturating_sub(1);
            }
        }
    }

    /// Remembers that `user`, who exists, has logged in at `address`.
    pub(crate) fn was_right(&mut self, address: IpAddr, user: &str) {
        let address = address.to_canonical();
        // A broker that lets everybody in has as many users as a stranger likes.
        if self.known.len() >= MAX_COUNTED {
            self.known.pop_first();
        }
        let known = self.known.entry(counted(user).to_owned()).or_default();
        known.retain(|other| *other != address);
        if known.len() >= MAX_KNOWN {
            known.pop_front();
        }
        known.push_back(address);
    }

    /// The number of wrong passwords in the last minute.
    fn count(&mut self, address: IpAddr, user: &str, now: MonotonicTime) -> u32 {
        let key = (address, user.to_owned());
        // While somebody waits for a turn, the network is slow.
        if self.wrong.get(&key).is_some_and(|wrong| now.since(wrong.since) >= WINDOW && wrong.turn <= now) {
            self.wrong.remove(&key);
        }
        self.wrong.get(&key).map_or(0, |wrong| wrong.count)
    }
}

fn counted(user: &str) -> &str {
    if user.len() > MAX_NAME { "" } else { user }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));
    const START: MonotonicTime = MonotonicTime(0);

    fn v6(network: u16, host: u32) -> IpAddr {
        let [_, high, low] = [0, (host >> 16) as u16, host as u16];
        IpAddr::from([0x2001, 0xdb8, 0, network, 0, 0, high, low])
    }

    fn after_guesses(guesses: &mut Guesses, address: IpAddr) {
        (0..ATTEMPTS).for_each(|_| guesses.was_wrong(address, "anna", START));
    }

    #[test]
    fn a_name_is_slow_at_the_address_of_the_guesses_alone_and_never_locked() {
        let mut guesses = Guesses::default();
        after_guesses(&mut guesses, HERE);
        for (seconds, attempt) in [1, 2, 3].map(|seconds| (seconds, Attempt::Wait(Duration::from_secs(seconds)))) {
            assert_eq!(guesses.attempt(HERE, "anna", START), attempt, "{seconds}");
        }
        assert_eq!(guesses.attempt(HERE, "anna", START), Attempt::TooMany, "nobody waits longer than a login may last");
        for (address, name) in [(HERE, "ben"), (THERE, "anna")] {
            assert_eq!(guesses.attempt(address, name, START), Attempt::Compare);
        }
        let turn = START.after(Duration::from_secs(4));
        assert_eq!(guesses.attempt(HERE, "anna", turn), Attempt::Compare, "a turn is free again");
        assert_eq!(guesses.attempt(HERE, "anna", START.after(WINDOW)), Attempt::Compare);
        assert!(guesses.wrong.is_empty(), "and all is forgotten");
    }

    #[test]
    fn what_was_not_wrong_is_taken_back() {
        let mut guesses = Guesses::default();
        after_guesses(&mut guesses, v6(1, 1));
        guesses.take_back(v6(1, 1), "ben");
        assert_eq!(guesses.attempt(v6(1, 2), "anna", START), Attempt::Wait(TURN));
        guesses.take_back(v6(1, 1), "anna");
        assert_eq!(guesses.attempt(v6(1, 2), "anna", START), Attempt::Compare);
    }

    #[test]
    fn a_network_has_one_turn_a_second_and_its_other_addresses_get_it() {
        let mut guesses = Guesses::default();
        let (guesser, anna) = (v6(1, 1), v6(1, 2));
        after_guesses(&mut guesses, guesser);
        assert_eq!(guesses.attempt(guesser, "anna", START), Attempt::TooMany, "it waits for no turn");
        assert_eq!(guesses.attempt(anna, "anna", START), Attempt::Wait(TURN), "and anna has the next one");
        assert_eq!(guesses.attempt(v6(2, 1), "anna", START), Attempt::Compare, "another network");
        guesses.was_right(anna, "anna");
        assert_eq!(guesses.attempt(anna, "anna", START), Attempt::Compare, "where she has logged in nobody slows her down");
    }

    #[test]
    fn a_name_is_never_slow_where_it_has_logged_in() {
        let mut guesses = Guesses::default();
        guesses.was_right(HERE, "anna");
        after_guesses(&mut guesses, HERE);
        assert_eq!(guesses.attempt(HERE, "anna", START), Attempt::CompareSlowly);
        // Logging in elsewhere does not change it, until there were very many other places.
        (0..MAX_KNOWN as u32 - 1).for_each(|other| guesses.was_right(IpAddr::V4(other.into()), "anna"));
        assert_eq!(guesses.attempt(HERE, "anna", START), Attempt::CompareSlowly);
        guesses.was_right(THERE, "anna");
        assert_eq!(guesses.attempt(HERE, "anna", START), Attempt::Wait(TURN));
    }

    #[test]
    fn invented_users_are_forgotten() {
        let mut guesses = Guesses::default();
        (0..2 * MAX_COUNTED).for_each(|user| guesses.was_right(HERE, &user.to_string()));
        assert_eq!(guesses.known.len(), MAX_COUNTED);
    }

    /// Whatever addresses of a /64 guess whenever, no more passwords are compared than the first ones and one a second.
    #[test]
    fn no_pattern_of_addresses_gets_more_than_one_guess_a_second() {
        for seed in 0..50 {
            let mut dice = fastrand::Rng::with_seed(seed);
            let mut guesses = Guesses::default();
            let (mut now, mut compared) = (START, Vec::new());
            for _ in 0..2_000 {
                now = now.after(Duration::from_millis(dice.u64(0..60)));
                let address = v6(1, dice.u32(0..40));
                let wait = match guesses.attempt(address, "anna", now) {
                    Attempt::Compare => Duration::ZERO,
                    Attempt::Wait(wait) => wait,
                    Attempt::CompareSlowly => panic!("nobody has logged in"),
                    Attempt::TooMany => continue,
                };
                compared.push(now.after(wait));
                guesses.was_wrong(address, "anna", now.after(wait));
            }
            let seconds = now.since(START).as_secs() + LONGEST_WAIT.as_secs() + 1;
            let minutes = seconds.div_ceil(WINDOW.as_secs());
            let most = seconds + minutes * u64::from(ATTEMPTS);
            assert!(compared.len() as u64 <= most, "seed {seed}: {} in {seconds} s", compared.len());
        }
    }

    #[test]
    fn memory_is_bounded_and_a_flood_of_names_hides_no_guesses() {
        let mut guesses = Guesses::default();
        after_guesses(&mut guesses, HERE);
        for number in 0..MAX_COUNTED as u32 / 2 + 200 {
            guesses.was_wrong(v6((number % 900) as u16, number), &format!("{number}"), START);
        }
        assert_eq!(guesses.wrong.len(), MAX_COUNTED);
        assert_eq!(guesses.attempt(HERE, "anna", START), Attempt::Wait(TURN));
        guesses.was_wrong(HERE, &"x".repeat(1 << 16), START);
        assert!(guesses.wrong.keys().all(|(_, name)| name.len() <= MAX_NAME));
        // The next one later needs no place of those that are over.
        guesses.was_wrong(HERE, "anna", START.after(WINDOW));
        assert_eq!(guesses.wrong.len(), 1);
    }
}
