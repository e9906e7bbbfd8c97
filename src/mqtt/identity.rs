//! Reads the address of the broker and the login of this node. All files are read once, before the first connection.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ClientConfig;

use super::tls;
use crate::config::Mqtt;

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
    /// The file, if the problem is in one.
    pub file: Option<PathBuf>,
    /// The problem, for people.
    pub cause: String,
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "mqtt.{}: {}: {}", self.key, file.display(), self.cause),
            None => write!(f, "mqtt.{}: {}", self.key, self.cause),
        }
    }
}

impl std::error::Error for IdentityError {}

/// Reads a file that a key names.
pub(super) fn read(key: &'static str, file: &Path) -> Result<Vec<u8>, IdentityError> {
    std::fs::read(file).map_err(|error| IdentityError { key, file: Some(file.to_owned()), cause: error.to_string() })
}

impl Identity {
    /// Reads the files: the first line of the password file, certificates and key. `node` is the user name if a password is
    /// configured without a user.
    ///
    /// # Errors
    /// A file cannot be read or has the wrong content, or TLS has no trusted certificates.
    pub fn read(mqtt: &Mqtt, node: &str) -> Result<Identity, IdentityError> {
        let password = mqtt.password_file.as_deref().map(password).transpose()?;
        let user = match (&mqtt.user, password) {
            (None, None) => None,
            (user, password) => Some((user.clone().unwrap_or_else(|| node.to_owned()), password.unwrap_or_default())),
        };
        let tls = if mqtt.tls { Some(Arc::new(tls::config(mqtt)?)) } else { None };
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

fn password(file: &Path) -> Result<String, IdentityError> {
    let key = "password_file";
    let wrong = |cause: &str| IdentityError { key, file: Some(file.to_owned()), cause: cause.to_owned() };
    let text = String::from_utf8(read(key, file)?).map_err(|_| wrong("is not UTF-8 text"))?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err(wrong("has no first line with the password")),
    }
}
