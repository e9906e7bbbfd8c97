//! Reads the address of the broker and the login of this node. All files are read before the first connection, and again when
//! the configuration is read again.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ClientConfig;

use super::trouble::Keys;
use crate::config::{self, Mqtt};

/// The address of the broker and the login of this node. Copies share the login, so that it can be replaced while they are used.
#[derive(Clone)]
pub struct Identity {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) keys: Keys,
    login: Arc<RwLock<Login>>,
}

/// What came from files, or from the embedded broker.
#[derive(Clone)]
struct Login {
    user: Option<(String, String)>,
    tls: Option<Arc<ClientConfig>>,
}

/// A problem with a file that the configuration names.
#[derive(Debug)]
pub struct IdentityError {
    /// The key in the section `mqtt`.
    pub key: &'static str,
    /// The problem, for people, with the file if it is in one.
    pub cause: String,
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mqtt.{}: {}", self.key, self.cause)
    }
}

impl std::error::Error for IdentityError {}

impl Identity {
    /// Reads the files: the first line of the password file, certificates and key. `node` is the user name if a password is
    /// configured without a user.
    ///
    /// # Errors
    /// A file cannot be read or has the wrong content, or TLS has no trusted certificates.
    pub fn read(mqtt: &Mqtt, node: &str) -> Result<Identity, IdentityError> {
        let password = mqtt.password_file.as_deref().map(|file| {
            let wrong = |why| IdentityError { key: "password_file", cause: format!("{}: {why}", file.display()) };
            config::password(file).map_err(wrong)
        });
        let password = password.transpose()?;
        let user = match (&mqtt.user, password) {
            (None, None) => None,
            (user, password) => Some((user.clone().unwrap_or_else(|| node.to_owned()), password.unwrap_or_default())),
        };
        let tls = mqtt.tls.then(|| config::tls_client(mqtt).map(Arc::new)).transpose();
        let tls = tls.map_err(|(key, cause)| IdentityError { key, cause })?;
        Ok(Identity {
            host: mqtt.host.clone(),
            port: mqtt.port(),
            keys: Keys::MQTT,
            login: Arc::new(RwLock::new(Login { user, tls })),
        })
    }

    /// The login of another user at the same broker. Our certificate is left out: it could log in this node instead.
    ///
    /// # Errors
    /// TLS has no trusted certificates.
    pub fn of_user(mqtt: &Mqtt, user: &str, password: String) -> Result<Identity, IdentityError> {
        let other = Mqtt { certificate_file: None, key_file: None, user: None, password_file: None, ..mqtt.clone() };
        let identity = Identity::read(&other, user)?;
        let login = Login { user: Some((user.to_owned(), password)), ..identity.login() };
        Ok(Identity { login: Arc::new(RwLock::new(login)), ..identity })
    }

    /// The same broker and login, which other keys name.
    pub fn named_by(self, keys: Keys) -> Identity {
        Identity { keys, ..self }
    }

    /// Takes the login of `other`, for the next connection.
    pub fn replace_login(&self, other: &Identity) {
        let login = other.login();
        *self.login.write().unwrap_or_else(PoisonError::into_inner) = login;
    }

    /// The broker's name or address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    fn login(&self) -> Login {
        self.login.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// User name and password.
    pub(crate) fn user(&self) -> Option<(String, String)> {
        self.login().user
    }

    /// How to encrypt the connection; none without TLS.
    pub(crate) fn tls(&self) -> Option<Arc<ClientConfig>> {
        self.login().tls
    }
}

/// This is only for the embedded broker, which makes its own user.
#[cfg(feature = "broker")]
impl Identity {
    /// Returns the same broker with this user.
    pub fn logged_in(self, user: String, password: String) -> Identity {
        let login = Login { user: Some((user, password)), ..self.login() };
        Identity { login: Arc::new(RwLock::new(login)), ..self }
    }
}
