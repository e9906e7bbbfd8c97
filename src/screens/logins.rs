//! The logins of pages: who may try a password now, which password a token stands for, and who gets a token or a place. The broker decides
//! whether a password is right.

use std::collections::BTreeMap;
use std::future::pending;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use rumqttc::v5::mqttbytes::v5::{ConnAck, ConnAckProperties, ConnectReturnCode, Login};
use tokio::time::sleep;

use super::tokens::{self, Tokens, Use};
use crate::config::{self, BrokerUser, Config, User};
use crate::strangers::{Attempt as May, Guesses, Listener, Place, Refusal, SLOW_ANSWER};
use crate::system_clock;

/// The user property of an accepted login that gives a page its token.
const TOKEN: &str = "flagfall-token";

/// What all logins share.
pub(super) struct Logins {
    pub(super) tokens: Arc<Tokens>,
    guesses: Arc<Mutex<Guesses>>,
    users: RwLock<BTreeMap<String, Rights>>,
    /// Everybody has its password, so it needs no token.
    public_user: Option<String>,
}

/// What the configuration says of a user. If it changes, the user logs in again.
#[derive(PartialEq)]
struct Rights {
    role: Option<User>,
    broker: Option<BrokerUser>,
    password: Option<String>,
}

/// A login that the broker may judge, and later what it gave to the page.
#[derive(Default)]
pub(super) struct Attempt {
    user: Option<String>,
    /// The password that was typed, if there was no token.
    typed: Option<String>,
    is_slow: bool,
    token: Option<Use>,
    under_way: Option<UnderWay>,
}

/// A password that the broker compares. It counts as wrong from the beginning, or many could be tried at once. If the broker does not say
/// that it is wrong, that is taken back.
struct UnderWay {
    guesses: Arc<Mutex<Guesses>>,
    visitor: IpAddr,
    user: String,
    was_wrong: bool,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if !self.was_wrong {
            lock(&self.guesses).take_back(self.visitor, &self.user);
        }
    }
}

fn lock(guesses: &Mutex<Guesses>) -> MutexGuard<'_, Guesses> {
    guesses.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Attempt {
    /// Returns when the token of the page is revoked; never without a token.
    pub(super) async fn revoked(&self) {
        match &self.token {
            Some(token) => token.revoked().await,
            None => pending().await,
        }
    }
}

impl Logins {
    pub(super) fn new(config: &Config) -> Logins {
        Logins {
            tokens: Arc::default(),
            guesses: Arc::default(),
            users: RwLock::new(rights(config)),
            public_user: config.screens.public_user.clone(),
        }
    }

    /// Takes the users of a configuration that was read again. Returns those whose password or rights have changed; they have no tokens
    /// any more.
    pub(super) fn reload(&self, config: &Config) -> Vec<String> {
        let now = rights(config);
        let mut users = self.users.write().unwrap_or_else(PoisonError::into_inner);
        let names = users.keys().chain(now.keys().filter(|name| !users.contains_key(*name)));
        let changed: Vec<String> = names.filter(|name| users.get(*name) != now.get(*name)).cloned().collect();
        *users = now;
        self.tokens.revoke_users(&changed);
        changed
    }

    /// Exchanges a token for its password. An attempt with a password may have to wait. That of the public user is no guess.
    ///
    /// # Errors
    /// Why the broker is not asked.
    pub(super) async fn admit(&self, login: Option<&mut Login>, visitor: IpAddr) -> Result<Attempt, ConnectReturnCode> {
        let mut attempt = Attempt::default();
        let (Some(login), now) = (login, system_clock::monotonic()) else { return Ok(attempt) };
        attempt.user = Some(login.username.clone());
        if tokens::is_token(&login.password) {
            // Nobody guesses a token, so this counts nothing.
            let found = self.tokens.password(&login.password, &login.username, now);
            let (password, token) = found.ok_or(ConnectReturnCode::BadUserNamePassword)?;
            (login.password, attempt.token) = (password, Some(token));
            return Ok(attempt);
        }
        attempt.typed = Some(login.password.clone());
        if self.public_user.as_ref() == Some(&login.username) {
            return Ok(attempt);
        }
        let may = lock(&self.guesses).attempt(visitor, &login.username, now);
        if may == May::TooMany {
            Listener::Screens.refuses(Refusal::TooManyGuesses, &visitor);
            return Err(ConnectReturnCode::ConnectionRateExceeded);
        }
        lock(&self.guesses).was_wrong(visitor, &login.username, now);
        let (guesses, user) = (Arc::clone(&self.guesses), login.username.clone());
        attempt.under_way = Some(UnderWay { guesses, visitor, user, was_wrong: false });
        attempt.is_slow = may == May::CompareSlowly;
        if let May::Wait(turn) = may {
            sleep(turn).await;
        }
        Ok(attempt)
    }

    /// Notes what the broker answered, and returns what the page gets: the same, or with a token, or a refusal if there is no place.
    pub(super) async fn note(&self, attempt: &mut Attempt, mut answer: ConnAck, (visitor, place): (IpAddr, &Place)) -> ConnAck {
        let (user, now) = (attempt.user.as_deref(), system_clock::monotonic());
        match answer.code {
            ConnectReturnCode::Success => {
                attempt.under_way = None;
                if !place.log_in(user, !user.is_some_and(|user| self.has_role(user))) {
                    Listener::Screens.refuses(Refusal::Full, &visitor);
                    return refusal(ConnectReturnCode::ServerBusy);
                }
                let (Some(user), Some(password)) = (user, &attempt.typed) else { return answer };
                lock(&self.guesses).was_right(visitor, user);
                if self.public_user.as_deref() != Some(user) {
                    attempt.token = self.tokens.add(user, password, now);
                }
                if let Some(token) = &attempt.token {
                    let properties = answer.properties.get_or_insert_with(no_properties);
                    properties.user_properties.push((TOKEN.to_owned(), token.token().to_owned()));
                }
            }
            // Mosquitto answers a wrong password with "not authorized".
            ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized => match (&attempt.token, user) {
                (Some(token), _) => self.tokens.revoke(token.token()),
                (None, Some(_)) => {
                    if let Some(under_way) = &mut attempt.under_way {
                        under_way.was_wrong = true;
                    }
                    Listener::Screens.refuses(Refusal::WrongPassword, &visitor);
                    if attempt.is_slow {
                        sleep(SLOW_ANSWER).await;
                    }
                }
                (None, None) => {}
            },
            _ => {}
        }
        answer
    }

    fn has_role(&self, user: &str) -> bool {
        let users = self.users.read().unwrap_or_else(PoisonError::into_inner);
        users.get(user).is_some_and(|rights| rights.role.is_some())
    }
}

/// An answer of the relay itself.
pub(super) fn refusal(code: ConnectReturnCode) -> ConnAck {
    ConnAck { session_present: false, code, properties: None }
}

fn no_properties() -> ConnAckProperties {
    ConnAckProperties {
        session_expiry_interval: None,
        receive_max: None,
        max_qos: None,
        retain_available: None,
        max_packet_size: None,
        assigned_client_identifier: None,
        topic_alias_max: None,
        reason_string: None,
        user_properties: Vec::new(),
        wildcard_subscription_available: None,
        subscription_identifiers_available: None,
        shared_subscription_available: None,
        server_keep_alive: None,
        response_information: None,
        server_reference: None,
        authentication_method: None,
        authentication_data: None,
    }
}

fn rights(config: &Config) -> BTreeMap<String, Rights> {
    let names = config.user.keys().chain(config.broker.user.keys());
    let rights = |name: &String| {
        let broker = config.broker.user.get(name).cloned();
        // A file that cannot be read is an error of the broker, and here another password.
        let password = broker.as_ref().and_then(|user| config::password(&user.password_file).ok());
        Rights { role: config.user.get(name).cloned(), broker, password }
    };
    names.map(|name| (name.clone(), rights(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Role;
    use crate::strangers::{Limits, Places};

    #[tokio::test]
    async fn a_guess_counts_before_the_broker_answers() {
        const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
        let place = Places::new(Listener::Screens, Limits::default()).enter(HERE);
        let logins = Logins::new(&Config::default());
        let may = || lock(&logins.guesses).attempt(HERE, "anna", system_clock::monotonic());
        for is_answered in [false, true] {
            let mut under_way = Vec::new();
            while may() == May::Compare {
                let mut login = Login { username: "anna".to_owned(), password: "guess".to_owned() };
                under_way.push(logins.admit(Some(&mut login), HERE).await.unwrap_or_else(|code| panic!("{code:?}")));
            }
            assert_eq!(under_way.len(), 10);
            for attempt in under_way.iter_mut().filter(|_| is_answered) {
                logins.note(attempt, refusal(ConnectReturnCode::BadUserNamePassword), (HERE, &place)).await;
            }
            drop(under_way);
            assert_eq!(may() == May::Compare, !is_answered, "only wrong passwords stay counted");
        }
    }

    #[test]
    fn whose_rights_change_has_no_token_any_more() {
        let role = |role| User { role, boards: Vec::new() };
        let with = |anna: Role| {
            let user = [("anna".to_owned(), role(anna)), ("ben".to_owned(), role(Role::Arbiter))].into();
            Config { user, ..Config::default() }
        };
        let logins = Logins::new(&with(Role::Arbiter));
        let now = system_clock::monotonic();
        let tokens = ["anna", "ben", "guest"].map(|user| (user, logins.tokens.add(user, "secret", now).expect("a token")));
        assert_eq!(logins.reload(&with(Role::Arbiter)), [""; 0]);
        assert_eq!(logins.reload(&with(Role::Operator)), ["anna"]);
        let living = tokens.iter().filter(|(user, token)| logins.tokens.password(token.token(), user, now).is_some());
        assert_eq!(living.map(|(user, _)| *user).collect::<Vec<_>>(), ["ben", "guest"]);
        assert_eq!(logins.reload(&Config::default()), ["anna", "ben"]);
    }
}
