//! Both brokers with the users and rules of an event: mosquitto with `config/mosquitto/acl`, and the broker inside the program.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::OnceLock;

use flagfall::config::{Broker as Settings, BrokerUser};
use tempfile::TempDir;

use super::witness::WITNESS;
use crate::support::hall::EmbeddedBroker;
use crate::support::mqtt::{Mosquitto, Proxy};

/// Every user of a room: one node, two arbiters, an operator, a helper who may not read what is for arbiters, and the readers of one
/// audience each. `secret of <name>` is the password.
const USERS: [&str; 9] = ["pi-1", "anna", "carl", "otto", "tom", "screen-1", "overlay-1", "organiser", WITNESS];
/// The names in the rules that are published, and whom a room gives their rights.
const RENAMED: [(&str, &str); 3] = [("node-07", "pi-1"), ("arbiter-anna", "anna"), ("chief-carol", "carl")];

pub(crate) enum Broker {
    Mosquitto(Mosquitto),
    /// With the folder of its passwords.
    Embedded(EmbeddedBroker, #[allow(dead_code, reason = "it is deleted when it is dropped")] TempDir),
}

impl Broker {
    pub(crate) fn mosquitto() -> Broker {
        let acl = include_str!("../../../config/mosquitto/acl");
        let mut rules = RENAMED.iter().fold(acl.to_owned(), |rules, (name, ours)| rules.replace(name, ours));
        let answers = "topic write flagfall/1/reply/carl/#\n";
        rules = rules.replace(answers, &format!("{answers}{}", answers.replace("carl", "otto")));
        let otto = "user otto\ntopic read flagfall/1/#\ntopic write flagfall/1/cmd/otto/#\n";
        rules.push_str(&format!("\n{otto}\nuser {WITNESS}\ntopic readwrite #\n"));
        let lines = "listener TCP 127.0.0.1\nset_tcp_nodelay true\nallow_anonymous false\npassword_file DIR/passwords\nacl_file DIR/acl\n\
                     max_queued_messages 0\nmax_queued_bytes 0\n";
        let broker = Mosquitto::with_files(lines, &[("acl", &rules), ("passwords", passwords())]);
        Broker::Mosquitto(broker.expect("Debian's package mosquitto is installed"))
    }

    pub(crate) fn embedded() -> Broker {
        Broker::embedded_at(String::new())
    }

    /// The broker inside the program, with a listener for WebSocket.
    pub(crate) fn embedded_at(websocket: String) -> Broker {
        let folder = tempfile::tempdir().expect("a folder");
        let user = |name: &&str| {
            let path = folder.path().join(name);
            super::write_password(&path, name);
            let (read, write) = match *name {
                "screen-1" => (vec!["public/#", "node/+/status", "meta/open26"], vec![]),
                "overlay-1" => (vec!["live/#", "node/+/status", "meta/open26"], vec![]),
                "tom" => (vec!["live/#", "node/#", "device/#", "meta/#"], vec![]),
                "anna" | "carl" | "otto" => (vec!["#"], vec![]),
                // Nobody may give commands under every name.
                _ => (vec!["#"], vec!["public/#", "live/#", "arbiter/#", "node/#", "device/#", "meta/#"]),
            };
            let filters = |list: Vec<&str>| list.into_iter().map(|filter| format!("flagfall/1/{filter}")).collect();
            ((*name).to_owned(), BrokerUser { password_file: path, read: filters(read), write: filters(write) })
        };
        let settings =
            Settings { enabled: true, tcp: "127.0.0.1:0".to_owned(), websocket, user: USERS.iter().map(user).collect() };
        Broker::Embedded(EmbeddedBroker::with(settings), folder)
    }

    pub(crate) fn tcp(&self) -> SocketAddr {
        match self {
            Broker::Mosquitto(broker) => broker.tcp,
            Broker::Embedded(broker, _) => broker.tcp,
        }
    }

    /// A proxy in front of it, which a test can cut.
    pub(crate) fn proxy(&self) -> Proxy {
        Proxy::new(self.tcp().port())
    }
}

/// Names and hashed passwords for mosquitto.
fn passwords() -> &'static str {
    static MADE: OnceLock<String> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("passwords");
        let lines: String = USERS.iter().map(|name| format!("{name}:secret of {name}\n")).collect();
        std::fs::write(&path, lines).expect("a file");
        let status = Command::new("mosquitto_passwd").arg("-U").arg(&path).status();
        assert!(status.is_ok_and(|status| status.success()), "mosquitto_passwd of Debian's package mosquitto");
        std::fs::read_to_string(&path).expect("a file")
    })
}
