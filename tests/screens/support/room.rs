//! A room without boards: a broker, the server of the pages in front of it, and a client that publishes what a test makes up.

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flagfall::config::{Config, Event, Mqtt, Screens};
use flagfall::screens::{self, Running};
use tempfile::TempDir;

use super::broker::Broker;
use super::browser::Browser;
use super::witness::Witness;
use crate::support::mqtt::Proxy;

/// Event and round of every room.
pub(crate) const ROUND: &str = "open26/5";

pub(crate) struct Room {
    server: Option<Running>,
    pub(crate) address: SocketAddr,
    pub(crate) witness: Witness,
    /// The way of the pages to the broker, which can be cut.
    pub(crate) proxy: Proxy,
    #[allow(dead_code, reason = "it ends when it is dropped")]
    pub(crate) broker: Broker,
    #[allow(dead_code, reason = "it is deleted when it is dropped")]
    folder: TempDir,
}

impl Room {
    pub(crate) fn new() -> Room {
        Room::with(Broker::mosquitto())
    }

    pub(crate) fn with(broker: Broker) -> Room {
        Room::with_websocket(broker, None)
    }

    /// The pages find the broker at this address, as those on another web server do.
    pub(crate) fn with_websocket(broker: Broker, websocket: Option<String>) -> Room {
        let folder = tempfile::tempdir().expect("a folder");
        let password = folder.path().join("screen-1");
        write_password(&password, "screen-1");
        let proxy = broker.proxy();
        let config = Config {
            event: Event { id: "open26".to_owned(), round: "5".to_owned(), ..Event::default() },
            mqtt: Mqtt { port: Some(proxy.port()), ..Mqtt::default() },
            screens: Screens {
                enabled: true,
                listen: "127.0.0.1:0".to_owned(),
                public_user: Some("screen-1".to_owned()),
                public_password_file: Some(password),
                websocket,
                ..Screens::default()
            },
            ..Config::default()
        };
        let server = screens::start(&config, None).expect("the pages are served");
        let witness = Witness::new(broker.tcp());
        Room { address: server.address, server: Some(server), witness, proxy, broker, folder }
    }

    /// A browser in this room; none if the machine has none and that is allowed.
    pub(crate) fn browser(&self, test: &'static str) -> Option<Browser> {
        Browser::start(test, self.address)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

/// Writes the password `secret of <name>` into a file that only we may read.
pub(crate) fn write_password(path: &Path, name: &str) {
    std::fs::write(path, format!("secret of {name}\n")).expect("a password file");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
}

impl Browser {
    /// Opens a page of the staff and logs in. The PIN of the lock screen is 4711.
    #[track_caller]
    pub(crate) fn log_in(&self, path: &str, user: &str) {
        self.log_in_with(path, user, &format!("secret of {user}"));
    }

    /// The same with this password.
    #[track_caller]
    pub(crate) fn log_in_with(&self, path: &str, user: &str, password: &str) {
        self.open(path);
        self.wait("the form of the login", "document.querySelector('form.login')");
        self.run(
            "const [[user, password]] = arguments;
             const form = document.querySelector('form.login');
             form.elements.user.value = user;
             form.elements.password.value = password;
             form.elements.pin.value = '4711';
             form.requestSubmit();",
            &[user, password].as_slice().into(),
        );
        self.shows_in(".link-state", "live");
    }

    /// Logs in on a page that only reads.
    #[track_caller]
    pub(crate) fn log_in_to_watch(&self, user: &str) {
        self.wait("the form of the login", "document.querySelector('form.login')");
        self.run(
            "const [user] = arguments;
             const form = document.querySelector('form.login');
             form.elements.username.value = user;
             form.elements['current-password'].value = `secret of ${user}`;
             form.requestSubmit();",
            &user.into(),
        );
        self.wait("the form is gone", "!document.querySelector('form.login')");
    }
}
