//! A folder with an event's file, everything that `flagfall fleet make` makes of it, and a mosquitto with these files.

use std::path::{Path, PathBuf};
use std::process::Output;

use rumqttc::Transport;
use rumqttc::v5::MqttOptions;
use tempfile::TempDir;

use crate::client::options;
use crate::program::flagfall;
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_port;

/// The hall. Clients of the test use a second listener without TLS, with the same users and rights.
pub(super) struct Hall {
    pub(super) dir: TempDir,
    pub(super) broker: Mosquitto,
    /// The port with TLS, for machines.
    pub(super) port: u16,
}

impl Hall {
    /// Makes everything of the text that `event` gives for the port with TLS; `rules` are added to the test's copy of the access rules.
    /// None if mosquitto is not installed.
    pub(super) fn new(event: impl FnOnce(u16) -> String, rules: &str) -> Option<Hall> {
        let dir = tempfile::tempdir().expect("a folder");
        let port = free_port();
        std::fs::write(dir.path().join("event.toml"), event(port)).expect("a file");
        let made = fleet(dir.path(), &["make", "event.toml", "OUT"]);
        assert!(made.status.success(), "{made:?}");
        let read = |path: &str| std::fs::read_to_string(dir.path().join("OUT").join(path)).expect(path);
        let out = dir.path().join("OUT/hall");
        let text = read("hall/mosquitto/flagfall.conf");
        let mut lines = vec!["listener TCP 127.0.0.1".to_owned()];
        lines.extend(text.lines().map(|line| {
            match line {
                // On loopback, and for an event that names no port at a free one.
                line if line == "listener 8883" || *line == format!("listener {port}") => format!("listener {port} 127.0.0.1"),
                "listener 9443" => "listener WEB 127.0.0.1".to_owned(),
                "password_file /etc/mosquitto/flagfall.passwords" => {
                    format!("password_file {}", out.join("mosquitto/passwords").display())
                }
                line => line
                    .replace("/etc/mosquitto/certs/", &format!("{}/", out.join("certs").display()))
                    .replace("/etc/mosquitto/flagfall.acl", "DIR/acl"),
            }
        }));
        lines.push("persistence_location DIR/".to_owned());
        let rules = read("hall/mosquitto/acl") + rules;
        let broker = Mosquitto::with_files(&lines.join("\n"), &[("acl", rules.as_str())])?;
        Some(Hall { dir, broker, port })
    }

    /// A file or folder that was made.
    pub(super) fn out(&self, path: &str) -> PathBuf {
        self.dir.path().join("OUT").join(path)
    }

    /// The password of a user.
    pub(super) fn password(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.out(&format!("secrets/passwords/{name}"))).expect("a password");
        text.trim_end().to_owned()
    }

    /// A login with the user's own password.
    pub(super) fn login(&self, name: &str) -> MqttOptions {
        let mut options = options(self.broker.tcp, name);
        options.set_credentials(name, self.password(name));
        options
    }

    /// A login over TLS with the files of a card.
    pub(super) fn card(&self, name: &str) -> MqttOptions {
        let folder = self.out(&format!("node/{name}"));
        let password = std::fs::read_to_string(folder.join("mqtt.password")).expect("a password");
        let authority = std::fs::read(folder.join("ca.pem")).expect("a certificate");
        let mut options = options(([127, 0, 0, 1], self.port).into(), &format!("thief-of-{name}"));
        options.set_credentials(name, password.trim_end()).set_transport(Transport::tls(authority, None, None));
        options
    }
}

/// Runs `flagfall fleet` in a folder.
pub(super) fn fleet(folder: &Path, words: &[&str]) -> Output {
    let mut command = flagfall(&["fleet"]);
    command.args(words).current_dir(folder).env_clear().output().expect("the program starts")
}
