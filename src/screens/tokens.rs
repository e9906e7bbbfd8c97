//! The tokens of pages that have logged in. A page keeps its token, and this server the password for it, in memory only: whoever finds a
//! token has neither the password nor the PIN, and a token that is revoked opens nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::system_clock::{self, MonotonicTime};
use crate::{log_limit, random};

/// The largest number of tokens of one user. The one that was not used for longest makes room.
const MOST_OF_USER: usize = 64;
/// How long a token lives after the end of its last connection.
const LIFETIME: Duration = Duration::from_hours(24);
/// How many wrong PINs revoke a token.
const TRIES: u8 = 5;
/// The longest PIN, in bytes.
const LONGEST_PIN: usize = 8;
/// The number of random bytes.
const LENGTH: usize = 24;
/// The beginning of every token, by which it differs from a password.
const PREFIX: &str = "flagfall-token-";

/// All tokens.
#[derive(Default)]
pub(super) struct Tokens {
    held: Mutex<BTreeMap<String, Held>>,
}

struct Held {
    user: String,
    password: String,
    pin: Option<String>,
    wrong_pins: u8,
    connections: usize,
    /// When a connection with it began or ended last.
    used: MonotonicTime,
}

/// A connection with a token, which lives at least as long.
pub(super) struct Use {
    tokens: Arc<Tokens>,
    user: String,
    token: String,
}

/// What a PIN opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pin {
    Right,
    Wrong,
    /// There is no such token any more.
    NoToken,
}

/// Whether this is a token and not a password.
pub(super) fn is_token(password: &str) -> bool {
    password.starts_with(PREFIX)
}

impl Tokens {
    /// Makes a token for the connection of a user who has logged in with this password; none if there is no random number.
    pub(super) fn add(self: &Arc<Tokens>, user: &str, password: &str) -> Option<Use> {
        let now = system_clock::monotonic();
        self.add_at(user, password, now).and_then(|token| self.use_at(token, now))
    }

    fn use_at(self: &Arc<Tokens>, token: String, now: MonotonicTime) -> Option<Use> {
        let mut held = self.lock();
        let one = held.get_mut(&token)?;
        (one.connections, one.used) = (one.connections + 1, now);
        Some(Use { tokens: Arc::clone(self), user: one.user.clone(), token })
    }

    fn add_at(&self, user: &str, password: &str, now: MonotonicTime) -> Option<String> {
        let random = random::hex(LENGTH).inspect_err(|error| log_limit::warn("screens: a page got no token", error));
        let token = format!("{PREFIX}{}", random.ok()?);
        let mut held = self.living(now);
        let own = held.iter().filter(|(_, held)| held.user == user);
        let own: Vec<_> = own.map(|(token, held)| (held.connections > 0, held.used, token.clone())).collect();
        if own.len() >= MOST_OF_USER
            && let Some((_, _, oldest)) = own.into_iter().min()
        {
            held.remove(&oldest);
        }
        let new =
            Held { user: user.to_owned(), password: password.to_owned(), pin: None, wrong_pins: 0, connections: 0, used: now };
        held.insert(token.clone(), new);
        Some(token)
    }

    /// The password for a token of this user, which a connection uses now.
    pub(super) fn password(self: &Arc<Tokens>, token: &str, user: &str) -> Option<(String, Use)> {
        let now = system_clock::monotonic();
        let password = self.living(now).get(token).filter(|held| held.user == user)?.password.clone();
        Some((password, self.use_at(token.to_owned(), now)?))
    }

    /// Sets the PIN, once. Returns whether it is set now.
    pub(super) fn set_pin(&self, token: &str, pin: &str) -> bool {
        let mut held = self.living(system_clock::monotonic());
        match held.get_mut(token) {
            Some(held) if held.pin.is_none() && (1..=LONGEST_PIN).contains(&pin.len()) => {
                held.pin = Some(pin.to_owned());
                true
            }
            _ => false,
        }
    }

    /// Tries a PIN. Too many wrong ones revoke the token.
    pub(super) fn try_pin(&self, token: &str, pin: &str) -> Pin {
        let mut all = self.living(system_clock::monotonic());
        let Some(held) = all.get_mut(token) else { return Pin::NoToken };
        if held.pin.as_deref() == Some(pin) {
            held.wrong_pins = 0;
            return Pin::Right;
        }
        held.wrong_pins += 1;
        if held.wrong_pins < TRIES {
            return Pin::Wrong;
        }
        all.remove(token);
        Pin::NoToken
    }

    /// Forgets a token.
    pub(super) fn revoke(&self, token: &str) {
        self.lock().remove(token);
    }

    /// Forgets the tokens of these users.
    pub(super) fn revoke_users(&self, users: &[String]) {
        self.lock().retain(|_, held| !users.contains(&held.user));
    }

    /// The tokens that have not ended.
    fn living(&self, now: MonotonicTime) -> MutexGuard<'_, BTreeMap<String, Held>> {
        let mut held = self.lock();
        held.retain(|_, held| held.connections > 0 || now.since(held.used) < LIFETIME);
        held
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Use {
    pub(super) fn user(&self) -> &str {
        &self.user
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        if let Some(held) = self.tokens.lock().get_mut(&self.token) {
            (held.connections, held.used) = (held.connections.saturating_sub(1), system_clock::monotonic());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(tokens: &Arc<Tokens>, user: &str) -> String {
        tokens.add(user, &format!("secret of {user}")).expect("a token").token().to_owned()
    }

    #[test]
    fn a_token_stands_for_its_user_alone_until_it_is_revoked() {
        let tokens = Arc::<Tokens>::default();
        let annas = token(&tokens, "anna");
        assert!(is_token(&annas) && !annas.contains("secret") && annas.len() == PREFIX.len() + 2 * LENGTH);
        assert_ne!(token(&tokens, "anna"), annas);
        let password = |user| tokens.password(&annas, user).map(|(password, _)| password);
        assert_eq!(password("anna").as_deref(), Some("secret of anna"));
        assert_eq!(password("ben"), None);
        tokens.revoke_users(&["ben".to_owned()]);
        assert!(password("anna").is_some());
        tokens.revoke_users(&["anna".to_owned()]);
        assert!(password("anna").is_none() && tokens.lock().is_empty());
        tokens.revoke(&token(&tokens, "anna"));
        assert!(tokens.lock().is_empty());
    }

    #[test]
    fn five_wrong_pins_revoke_a_token_and_the_right_one_is_never_given_back() {
        let tokens = Arc::<Tokens>::default();
        let token = token(&tokens, "anna");
        assert_eq!(tokens.try_pin(&token, "4711"), Pin::Wrong, "none is set");
        assert!(!tokens.set_pin(&token, "") && !tokens.set_pin(&token, "123456789") && tokens.set_pin(&token, "4711"));
        assert!(!tokens.set_pin(&token, "0000"), "whoever finds the token sets no other PIN");
        assert_eq!(tokens.try_pin(&token, "4711"), Pin::Right);
        let tries = [(); 5].map(|()| tokens.try_pin(&token, "0000"));
        assert_eq!(tries, [Pin::Wrong, Pin::Wrong, Pin::Wrong, Pin::Wrong, Pin::NoToken]);
        assert_eq!(tokens.try_pin(&token, "4711"), Pin::NoToken);
    }

    #[test]
    fn tokens_end_and_are_bounded_for_each_user() {
        let tokens = Arc::<Tokens>::default();
        let at = |second: u64| MonotonicTime(0).after(Duration::from_secs(second));
        let ben = tokens.add_at("ben", "secret of ben", at(0)).expect("a token");
        let annas: Vec<String> = (1..=70).filter_map(|second| tokens.add_at("anna", "secret of anna", at(second))).collect();
        let is_held = |token: &String| tokens.lock().contains_key(token);
        assert!(is_held(&ben), "anna's tokens push out anna's");
        assert_eq!(annas.iter().map(is_held).collect::<Vec<_>>(), (0..70).map(|number| number >= 6).collect::<Vec<_>>());
        let connection = tokens.use_at(ben.clone(), at(0)).expect("it lives");
        drop(tokens.living(at(70).after(LIFETIME)));
        assert_eq!(tokens.lock().keys().collect::<Vec<_>>(), [&ben], "a token lives as long as its connection");
        drop(connection);
        drop(tokens.living(system_clock::monotonic().after(LIFETIME)));
        assert!(tokens.lock().is_empty());
    }
}
