//! Reads the address of the broker and the login of this node. All files are read once, before the first connection.

use std::fmt;
use std::sync::Arc;

use rustls::ClientConfig;

use crate::config::{self, Mqtt};

/// The address of the broker and the login of this node. All files are read once, before the first connection.
#[derive(Clone)]
pub struct Identity {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: Option<(String, String)>,
    pub(super) tls: Option<Arc<ClientConfig>>,
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
        let tls = if mqtt.tls {
            let client = config::tls_client(mqtt).map_err(|(key, cause)| IdentityError { key, cause })?;
            Some(Arc::new(client))
        } else {
            None
        };
        let port = mqtt.port.unwrap_or(if mqtt.tls { 8883 } else { 1883 });
        Ok(Identity { host: mqtt.host.clone(), port, user, tls })
    }
}

/// This is only for the embedded broker, which makes its own user.
#[cfg(feature = "broker")]
impl Identity {
    /// Returns the same broker with this user.
    pub fn logged_in(self, user: String, password: String) -> Identity {
        Identity { user: Some((user, password)), ..self }
    }
}
