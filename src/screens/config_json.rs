//! `config.json`: what a page must know before it connects.

use anyhow::{Context, Result};
use serde::Serialize;

use crate::config::{self, Config};

/// The path of the relay.
pub(super) const RELAY: &str = "/mqtt";

/// What every page may know.
#[derive(Clone, Debug, Serialize)]
pub struct Public {
    version: &'static str,
    event: String,
    round: String,
    root: String,
    /// A path at this server, or the address of another one.
    websocket: String,
    /// The user of televisions, which log in by themselves.
    public_user: Option<Login>,
}

#[derive(Clone, Debug, Serialize)]
struct Login {
    user: String,
    password: String,
}

impl Public {
    /// Reads the password of the public user.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub fn new(config: &Config) -> Result<Public> {
        let screens = &config.screens;
        let public_user = match (&screens.public_user, &screens.public_password_file) {
            (Some(user), Some(file)) => {
                let password = config::password(file)
                    .map_err(|why| anyhow::anyhow!("{}: {why}", file.display()))
                    .context("screens.public_password_file")?;
                Some(Login { user: user.clone(), password })
            }
            _ => None,
        };
        Ok(Public {
            version: env!("CARGO_PKG_VERSION"),
            event: config.event.id.clone(),
            round: config.event.round.clone(),
            root: format!("{}/1", config.mqtt.root),
            websocket: screens.websocket.clone().unwrap_or_else(|| RELAY.to_owned()),
            public_user,
        })
    }

    /// The text of the file.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
