//! The pages for browsers: the keys of `[screens]`, and what they must not allow.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::Deserialize;

use super::certificates;
use super::secrets;
use super::types::Config;

/// The pages for arbiters, operators and spectators (`src/screens/README.md`).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Screens {
    /// Whether they are served.
    pub enabled: bool,
    /// Address and port.
    pub listen: String,
    /// Our certificate with its chain, PEM; with `key_file` the pages are served over TLS only.
    pub certificate_file: Option<PathBuf>,
    /// Its private key, PEM.
    pub key_file: Option<PathBuf>,
    /// Whether other machines may load the pages without TLS.
    pub insecure: bool,
    /// The names by which browsers may ask for this machine, beside addresses and `localhost`.
    pub names: Vec<String>,
    /// The addresses of reverse proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// A user of the broker whose password everybody may know who can load the pages.
    pub public_user: Option<String>,
    /// File whose first line is the password of this user.
    pub public_password_file: Option<PathBuf>,
    /// Where pages on another web server find the broker.
    pub websocket: Option<String>,
    /// The origins whose pages may show the public board in a frame.
    pub embed: Vec<String>,
}

impl Default for Screens {
    fn default() -> Screens {
        Screens {
            enabled: false,
            listen: "127.0.0.1:8080".to_owned(),
            certificate_file: None,
            key_file: None,
            insecure: false,
            names: Vec::new(),
            trusted_proxies: Vec::new(),
            public_user: None,
            public_password_file: None,
            websocket: None,
            embed: Vec::new(),
        }
    }
}

impl Screens {
    /// Whether other machines can reach the pages.
    pub fn is_open(&self) -> bool {
        self.listen.parse::<SocketAddr>().is_ok_and(|address| !address.ip().is_loopback())
    }

    /// Whether the pages are served over TLS.
    pub fn has_tls(&self) -> bool {
        self.certificate_file.is_some() || self.key_file.is_some()
    }
}

/// Everything that is wrong with the section: the key, and the problem.
pub(super) fn problems(config: &Config) -> Vec<(&'static str, String)> {
    let screens = &config.screens;
    let mut found = Vec::new();
    match (&screens.certificate_file, &screens.key_file) {
        (None, None) => {}
        (Some(certificate), Some(key)) => {
            let screens_key = |key: &str| if key == "key_file" { "screens.key_file" } else { "screens.certificate_file" };
            found.extend(certificates::server(certificate, key).err().map(|(key, why)| (screens_key(key), why)));
        }
        (Some(_), None) => found.push(("screens.certificate_file", "needs screens.key_file, its private key".to_owned())),
        (None, Some(_)) => found.push(("screens.key_file", "needs screens.certificate_file, its certificate".to_owned())),
    }
    match (&screens.public_user, &screens.public_password_file) {
        (None, None) => {}
        (Some(user), Some(file)) => {
            found.extend(public_user_problem(config, user).map(|why| ("screens.public_user", why)));
            let read = secrets::password(file).map_err(|why| format!("{}: {why}", file.display()));
            found.extend(read.err().map(|why| ("screens.public_password_file", why)));
        }
        (Some(_), None) => found.push(("screens.public_user", "needs screens.public_password_file".to_owned())),
        (None, Some(_)) => found.push(("screens.public_password_file", "needs screens.public_user".to_owned())),
    }
    if !screens.enabled {
        return found;
    }
    if cfg!(not(feature = "screens")) {
        found.push(("screens.enabled", "this program was built without its screens".to_owned()));
    }
    if screens.is_open() && !screens.has_tls() && !screens.insecure {
        let why = "can be reached from other machines: needs screens.certificate_file and key_file, or screens.insecure = true";
        found.push(("screens.listen", why.to_owned()));
    }
    if screens.is_open() && config.publishes_to_own_broker() && config.broker.user.is_empty() {
        let why = "gives other machines a way to the broker in this program: that needs users, [broker.user.NAME]";
        found.push(("screens.listen", why.to_owned()));
    }
    found
}

/// Everybody who can load the pages has the public user's password: it must give no more than the public messages.
fn public_user_problem(config: &Config, user: &str) -> Option<String> {
    if config.user.contains_key(user) {
        return Some(format!("{user:?} has a role, [user.{user}]: everybody who loads a page would have it"));
    }
    let rules = config.broker.user.get(user)?;
    if let Some(filter) = rules.write.first() {
        return Some(format!("{user:?} may write {filter:?} at the broker: a public user only reads"));
    }
    let inside = |filter: &&String| !is_public(filter, &config.mqtt.root);
    rules
        .read
        .iter()
        .find(inside)
        .map(|filter| format!("{user:?} may read {filter:?} at the broker: more than the public messages"))
}

/// Whether a topic filter gives public messages, the life cycle of nodes or the organiser's messages only.
fn is_public(filter: &str, root: &str) -> bool {
    let Some(below) = filter.strip_prefix(root).and_then(|rest| rest.strip_prefix("/1/")) else { return false };
    let levels: Vec<&str> = below.split('/').collect();
    matches!(levels[..], ["public" | "meta", _, ..] | ["node", _, "status"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_user_reads_public_messages_only() {
        for (filter, is) in [
            ("flagfall/1/public/#", true),
            ("flagfall/1/public/open26/5/+/state", true),
            ("flagfall/1/node/+/status", true),
            ("flagfall/1/meta/open26", true),
            ("flagfall/1/node/+/info", false),
            ("flagfall/1/node/#", false),
            ("flagfall/1/live/#", false),
            ("flagfall/1/+/open26/#", false),
            ("flagfall/1/#", false),
            ("flagfall/#", false),
            ("#", false),
            ("other/1/public/#", false),
        ] {
            assert_eq!(is_public(filter, "flagfall"), is, "{filter}");
        }
    }
}
