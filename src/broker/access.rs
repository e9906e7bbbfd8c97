//! Decides who may log in and what each user may read and write. The users can be replaced while the broker runs.

use std::collections::BTreeMap;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use mqtt5::broker::storage::ClientSession;
use mqtt5::broker::{AuthProvider, AuthResult};
use mqtt5::packet::connect::ConnectPacket;
use mqtt5::protocol::v5::reason_codes::ReasonCode;
use mqtt5::topic_matches_filter;
use tokio::time;

use super::packets::{self, Fault};
use super::shares::{Class, Limits, Shares};
use crate::strangers::{Attempt, Guesses, Listener, Place, Refusal, SLOW_ANSWER};
use crate::system_clock;

/// A future of the crate's traits.
type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A user's class, password and topic filters.
#[derive(Clone, PartialEq)]
pub(super) struct Rights {
    pub(super) class: Class,
    pub(super) password: String,
    pub(super) read: Vec<String>,
    pub(super) write: Vec<String>,
}

/// All users with their rights. Without users everybody may do everything.
pub(super) struct Rules {
    pub(super) users: BTreeMap<String, Rights>,
    /// What the topics of commands begin with.
    pub(super) commands: String,
}

impl Rules {
    /// Whether this user, who has logged in, may write this topic.
    pub(super) fn may_write(&self, user: &str, topic: &str) -> bool {
        let may = |rights: &Rights| rights.write.iter().any(|filter| topic_matches_filter(topic, filter));
        self.users.is_empty() || self.users.get(user).is_some_and(may)
    }

    /// Whether this user may read everything that this filter matches. What `+` allows ends with its level.
    fn may_read(&self, user: &str, wanted: &str) -> bool {
        let covers = |own: &String| topic_matches_filter(wanted, own) && (own.ends_with('#') || !wanted.ends_with('#'));
        self.users.is_empty() || self.users.get(user).is_some_and(|rights| rights.read.iter().any(covers))
    }
}

/// The rules that apply now, the wrong passwords, and what users have taken.
pub(super) struct Access {
    rules: RwLock<Arc<Rules>>,
    guesses: Mutex<Guesses>,
    shares: Mutex<Shares>,
}

impl Access {
    pub(super) fn new(rules: Rules) -> Access {
        Access { rules: RwLock::new(Arc::new(rules)), guesses: Mutex::default(), shares: Mutex::default() }
    }

    pub(super) fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether everybody may do everything.
    pub(super) fn is_open(&self) -> bool {
        self.rules().users.is_empty()
    }

    /// What a user of this name is; somebody with an unknown name cannot log in.
    pub(super) fn class_of(&self, user: &str) -> Class {
        let rules = self.rules();
        match rules.users.get(user) {
            Some(rights) => rights.class,
            None if rules.users.is_empty() => Class::Anybody,
            None => Class::Reader,
        }
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a retained message of a user who may write it.
    ///
    /// # Errors
    /// The user has no share left.
    pub(super) fn retain(&self, user: &str, limits: &Limits, topic: &str, size: usize) -> Result<(), Fault> {
        match self.shares().retain(user, limits, topic, size) {
            true => Ok(()),
            false => Err(Fault(ReasonCode::QuotaExceeded, "a retained message beyond the user's share")),
        }
    }

    /// Takes a packet from the share of a user ([`Shares::admit`]).
    pub(super) fn admit(&self, class: Class, user: &str, from: IpAddr, price: u32) -> Result<(), Duration> {
        self.shares().admit(class, user, from, price, system_clock::monotonic())
    }

    /// Whether the session of this client may be kept when it is away.
    pub(super) fn may_keep_session(&self, user: &str, from: IpAddr, client: &str) -> bool {
        self.shares().may_keep(user, from, client, &self.class_of(user).limits(), system_clock::monotonic())
    }

    /// Whether the will of a client that has logged in may be published, now or later.
    fn admit_will(&self, user: &str, connect: &ConnectPacket) -> Result<(), Fault> {
        let Some(will) = &connect.will else { return Ok(()) };
        if !self.rules().may_write(user, &will.topic) {
            return Err(Fault(ReasonCode::NotAuthorized, "a will that the user may not write"));
        }
        match will.retain {
            true => self.retain(user, &self.class_of(user).limits(), &will.topic, will.payload.len()),
            false => Ok(()),
        }
    }

    /// Replaces the rules. Returns the users whose password or rights are not what they were.
    pub(super) fn replace(&self, rules: Rules) -> Vec<String> {
        let before = std::mem::replace(&mut *self.rules.write().unwrap_or_else(PoisonError::into_inner), Arc::new(rules));
        let now = self.rules();
        let changed = before.users.iter().filter(|(name, rights)| now.users.get(*name) != Some(rights));
        changed.map(|(name, _)| name.clone()).collect()
    }

    /// Checks name and password of a client.
    async fn check(&self, connect: &ConnectPacket, from: SocketAddr) -> AuthResult {
        let rules = self.rules();
        if rules.users.is_empty() {
            return AuthResult::success();
        }
        let (Some(name), Some(given)) = (&connect.username, &connect.password) else {
            Listener::Broker.refuses(Refusal::WrongPassword, &format_args!("no name or password, from {}", from.ip()));
            return AuthResult::fail(ReasonCode::BadUsernameOrPassword);
        };
        let counted_as = if rules.users.contains_key(name) { name } else { "" };
        let from = from.ip();
        let guesses = || self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = guesses().attempt(from, counted_as, system_clock::monotonic());
        match attempt {
            Attempt::TooMany => {
                Listener::Broker.refuses(Refusal::TooManyGuesses, &format_args!("{counted_as} from {from}"));
                return AuthResult::fail(ReasonCode::ConnectionRateExceeded);
            }
            Attempt::Wait(turn) => time::sleep(turn).await,
            Attempt::Compare | Attempt::CompareSlowly => {}
        }
        // They may have changed while it waited.
        if self.rules().users.get(name).is_some_and(|user| is_same(given, user.password.as_bytes())) {
            guesses().was_right(from, name);
            return AuthResult::success_with_user(name.clone());
        }
        guesses().was_wrong(from, counted_as, system_clock::monotonic());
        Listener::Broker.refuses(Refusal::WrongPassword, &format_args!("{counted_as} from {from}"));
        if attempt == Attempt::CompareSlowly {
            time::sleep(SLOW_ANSWER).await;
        }
        AuthResult::fail(ReasonCode::BadUsernameOrPassword)
    }
}

/// Compares without showing by its duration how many bytes are right.
fn is_same(given: &[u8], wanted: &[u8]) -> bool {
    let differences = given.iter().zip(wanted).fold(0, |differences, (a, b)| differences | (a ^ b));
    std::hint::black_box(differences) == 0 && given.len() == wanted.len()
}

/// The access of one connection, which takes its place as a client when it logs in.
pub(super) struct Doorman {
    pub(super) access: Arc<Access>,
    pub(super) place: Arc<Place>,
    /// The session of its client may be kept.
    pub(super) keeps_session: bool,
}

impl AuthProvider for Doorman {
    fn authenticate<'a>(&'a self, connect: &'a ConnectPacket, from: SocketAddr) -> Answer<'a, mqtt5::error::Result<AuthResult>> {
        Box::pin(async move {
            let answer = self.access.check(connect, from).await;
            if !answer.authenticated {
                return Ok(answer);
            }
            let user = answer.user_id.as_deref().unwrap_or_default();
            if let Err(Fault(code, why)) = self.access.admit_will(user, connect) {
                Listener::Broker.refuses(Refusal::Packet, &format_args!("{why}, {user} from {}", from.ip()));
                return Ok(AuthResult::fail(code));
            }
            let class = self.access.class_of(user);
            // A login costs as much as the message that may come at its end, or one could be sent with each of many logins.
            let price = packets::price(connect.will.as_ref().map_or(0, |will| will.payload.len()));
            while let Err(pause) = self.access.admit(class, user, from.ip(), price) {
                time::sleep(pause).await;
            }
            let keep = || {
                let (id, now) = (&connect.client_id, system_clock::monotonic());
                self.access.shares().keep(user, from.ip(), id, &class.limits(), now)
            };
            let leaves_session = self.keeps_session && ClientSession::expiry_from_connect(connect) != Some(0);
            if !self.place.log_in(answer.user_id.as_deref(), class == Class::Reader) || (leaves_session && !keep()) {
                Listener::Broker.refuses(Refusal::Full, &from.ip());
                return Ok(AuthResult::fail(ReasonCode::ServerBusy));
            }
            Ok(answer)
        })
    }

    fn authorize_publish<'a>(&'a self, _client: &str, user: Option<&'a str>, topic: &'a str) -> Answer<'a, bool> {
        let may = self.access.rules().may_write(user.unwrap_or_default(), topic);
        Box::pin(async move { may })
    }

    fn authorize_subscribe<'a>(&'a self, _client: &str, user: Option<&'a str>, filter: &'a str) -> Answer<'a, bool> {
        let may = self.access.rules().may_read(user.unwrap_or_default(), filter);
        Box::pin(async move { may })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscription_is_never_wider_than_the_rights() {
        let own = ["f/1/public/#", "f/1/node/+/status", "f/1/one/+"].map(str::to_owned).to_vec();
        let rights = Rights { class: Class::Reader, password: String::new(), read: own, write: Vec::new() };
        let rules = Rules { users: [("wall".to_owned(), rights)].into(), commands: String::new() };
        for (wanted, may) in [
            ("f/1/public/#", true),
            ("f/1/public", true),
            ("f/1/public/+/5/#", true),
            ("f/1/node/pi-1/status", true),
            ("f/1/node/+/status", true),
            ("f/1/one/+", true),
            ("f/1/one/#", false),
            ("f/1/one/two/three", false),
            ("f/1/node/+/+", false),
            ("f/1/node/#", false),
            ("f/1/#", false),
            ("#", false),
            ("$SYS/#", false),
        ] {
            assert_eq!(rules.may_read("wall", wanted), may, "{wanted}");
        }
        assert!(!rules.may_read("", "f/1/public/#") && !rules.may_write("wall", "f/1/public/e"));
    }
}
