//! The users of the demonstration at its broker. Each run has passwords of its own, so that no other program of this machine can rule on
//! its games.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::config::{BrokerUser, Role, User};
use crate::random;

/// The arbiter, who may decide in the browser.
pub(super) const ARBITER: &str = "arbiter";
/// Screens without the delay: the wall and the board in a closed room, and the overlay of a stream.
pub(super) const OVERLAY: &str = "overlay";
/// Screens for everybody. Pages log in as this user by themselves.
pub(super) const SCREEN: &str = "screen";
/// The collector.
const COLLECTOR: &str = "demo-collect";

/// What each user may read and write below `flagfall/1/`.
const RIGHTS: [(&str, &[&str], &[&str]); 4] = [
    (ARBITER, &["#"], &[]),
    (OVERLAY, &["live/#", "meta/#", "node/+/status"], &[]),
    (SCREEN, &["public/#", "meta/#", "node/+/status"], &[]),
    (COLLECTOR, &["meta/#", "public/#", "live/#", "device/#", "node/#"], &["node/demo-collect/#", "public/demo/1/pgn"]),
];

/// Bytes of a password.
const LENGTH: usize = 6;

/// The users and their passwords.
pub(super) struct Logins {
    passwords: BTreeMap<&'static str, (String, PathBuf)>,
}

impl Logins {
    /// Makes the passwords, and a file with each in this folder.
    pub(super) fn make(folder: &Path) -> io::Result<Logins> {
        let mut passwords = BTreeMap::new();
        for (name, ..) in RIGHTS {
            let (password, path) = (random::hex(LENGTH)?, folder.join(format!("{name}.password")));
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            writeln!(file, "{password}")?;
            passwords.insert(name, (password, path));
        }
        Ok(Logins { passwords })
    }

    /// The password of a user.
    pub(super) fn password(&self, name: &str) -> &str {
        self.passwords.get(name).map_or("", |(password, _)| password)
    }

    /// The file with the password of a user.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.passwords.get(name).map(|(_, file)| file.clone()).unwrap_or_default()
    }

    /// The users of the broker.
    pub(super) fn at_broker(&self) -> BTreeMap<String, BrokerUser> {
        let filters = |below: &[&str]| below.iter().map(|filter| format!("flagfall/1/{filter}")).collect();
        let user = |(name, read, write): (&str, &[&str], &[&str])| {
            (name.to_owned(), BrokerUser { password_file: self.file(name), read: filters(read), write: filters(write) })
        };
        RIGHTS.into_iter().map(user).collect()
    }

    /// The users that may send commands.
    pub(super) fn with_roles(&self) -> BTreeMap<String, User> {
        [(ARBITER.to_owned(), User { role: Role::Arbiter, boards: Vec::new() })].into()
    }
}
