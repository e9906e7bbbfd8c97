//! The tokens of pages that have logged in. A page keeps its token, and this server the password for it, in memory only: whoever finds a
//! token has neither the password nor the PIN, and a token that is revoked opens nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::system_clock::{self, MonotonicTime};
use crate::{log_limit, random};

/// The largest number of tokens of one user. The one that was not used for longest makes room.
const MOST_OF_USER: usize = 64;
/// The largest number of tokens of all users: a broker that lets everybody in has as many users as a stranger likes.
const MOST: usize = 2_048;
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
    /// Its connections end when this is dropped.
    alive: watch::Sender<()>,
}

/// A connection with a token, which lives at least as long.
pub(super) struct Use {
    tokens: Arc<Tokens>,
    token: String,
    alive: watch::Receiver<()>,
}

/// Whether this is a token and not a password.
pub(super) fn is_token(password: &str) -> bool {
    password.starts_with(PREFIX)
}

impl Tokens {
    /// Makes a token for the connection of a user who has logged in with this password; none if there is no random number.
    pub(super) fn add(self: &Arc<Tokens>, user: &str, password: &str, now: MonotonicTime) -> Option<Use> {
        let random = random::hex(LENGTH).inspect_err(|error| log_limit::warn("screens: a page got no token", error));
        let token = format!("{PREFIX}{}", random.ok()?);
        let mut all = self.living(now);
        let is_full = all.values().filter(|held| held.user == user).count() >= MOST_OF_USER;
        if is_full || all.len() >= MOST {
            let crowd = all.iter().filter(|(_, held)| !is_full || held.user == user);
            let oldest = crowd.min_by_key(|(_, held)| (held.connections > 0, held.used)).map(|(token, _)| token.clone());
            oldest.and_then(|token| all.remove(&token));
        }
        let (user, password) = (user.to_owned(), password.to_owned());
        let (connections, (alive, use_alive)) = (1, watch::channel(()));
        all.insert(token.clone(), Held { user, password, pin: None, wrong_pins: 0, connections, used: now, alive });
        Some(Use { tokens: Arc::clone(self), token, alive: use_alive })
    }

    /// The password for a token of this user, which a connection uses now.
    pub(super) fn password(self: &Arc<Tokens>, token: &str, user: &str, now: MonotonicTime) -> Option<(String, Use)> {
        let mut all = self.living(now);
        let held = all.get_mut(token).filter(|held| held.user == user)?;
        (held.connections, held.used) = (held.connections + 1, now);
        let token = Use { tokens: Arc::clone(self), token: token.to_owned(), alive: held.alive.subscribe() };
        Some((held.password.clone(), token))
    }

    /// Sets the PIN, once. Returns whether it is set now.
    pub(super) fn set_pin(&self, token: &str, pin: &str) -> bool {
        let mut all = self.living(system_clock::monotonic());
        let held = all.get_mut(token).filter(|held| held.pin.is_none() && (1..=LONGEST_PIN).contains(&pin.len()));
        held.map(|held| held.pin = Some(pin.to_owned())).is_some()
    }

    /// Tries a PIN; none if there is no such token any more. Too many wrong ones revoke the token.
    pub(super) fn try_pin(&self, token: &str, pin: &str) -> Option<bool> {
        let mut all = self.living(system_clock::monotonic());
        let held = all.get_mut(token)?;
        let is_right = held.pin.as_deref() == Some(pin);
        held.wrong_pins = if is_right { 0 } else { held.wrong_pins + 1 };
        if held.wrong_pins >= TRIES {
            all.remove(token);
            return None;
        }
        Some(is_right)
    }

    /// Forgets a token, which ends its connections.
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
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Returns when the token is revoked.
    pub(super) async fn revoked(&self) {
        // The sender sends nothing: an error says that it is gone.
        while self.alive.clone().changed().await.is_ok() {}
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
mod tests;
