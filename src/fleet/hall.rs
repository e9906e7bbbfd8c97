//! The files of the machine in the middle: broker, certificates, time, and the list of cards.

use std::fmt::Write as _;

use super::rights::rights;
use super::{MadeFile, Secrets, acl, passwords};
use crate::config::{Config, MACHINES_PORT};

/// The configuration of mosquitto, which is the same for every hall but for the port of the machines.
const MOSQUITTO: &str = include_str!("../../config/mosquitto/flagfall.conf");
/// The bridge to a broker outside, with an example of its address and password.
const BRIDGE: &str = include_str!("../../config/mosquitto/bridge.conf");

/// Returns the files of the hall.
pub(super) fn files(config: &Config, secrets: &Secrets) -> Vec<MadeFile> {
    let users: String = secrets.passwords.iter().map(|(user, password)| passwords::line(user, password)).collect();
    let mut files = vec![
        MadeFile::open("hall/mosquitto/flagfall.conf", mosquitto(config)),
        MadeFile::open("hall/mosquitto/acl", acl::acl(config)),
        MadeFile::secret("hall/mosquitto/passwords", users),
        MadeFile::open("hall/certs/flagfall.crt", &*secrets.certificate),
        MadeFile::secret("hall/certs/flagfall.key", &*secrets.key),
        MadeFile::open("hall/chrony.conf", chrony(config)),
        MadeFile::open("ca.pem", &*secrets.authority),
        MadeFile::secret("cards.txt", cards(config, secrets)),
    ];
    if let Some(relay) = &config.fleet.relay {
        files.push(MadeFile::secret("hall/mosquitto/bridge.conf", bridge(config, relay, &secrets.relay)));
    }
    files
}

/// The broker with the port to which the machines connect.
fn mosquitto(config: &Config) -> String {
    let port = config.fleet.broker.as_ref().map_or(MACHINES_PORT, |broker| broker.port);
    MOSQUITTO.replace(&format!("listener {MACHINES_PORT}\n"), &format!("listener {port}\n"))
}

/// The bridge with the address of this event's broker outside, and with the password of the hall there.
fn bridge(config: &Config, relay: &str, password: &str) -> String {
    let text = BRIDGE.replace("change-me", password).replace("hall-1", name(config)).replace("relay.example.org:8883", relay);
    // The examples name the first level that nearly every event has.
    text.replace("flagfall/1/", &format!("{}/1/", config.mqtt.root))
}

/// The name of this hall at the broker outside.
fn name(config: &Config) -> &str {
    config.fleet.hall.as_deref().unwrap_or("hall-1")
}

fn chrony(config: &Config) -> String {
    format!(
        "# /etc/chrony/conf.d/flagfall.conf of the hall's machine: it gives the time to all others, also without the internet.\n\
         local stratum 8 orphan\n\
         allow {}\n",
        config.fleet.network().unwrap_or_default()
    )
}

/// Which card belongs to which boards, and the passwords of persons.
fn cards(config: &Config, secrets: &Secrets) -> String {
    let mut text = format!("Event {}. This page has passwords: keep it like a key.\n\n", config.event.id);
    let longest = |names: &mut dyn Iterator<Item = &String>| names.map(String::len).max().unwrap_or(0).max(8);
    let wide = longest(&mut config.fleet.node.keys());
    // Writing to a string does not fail.
    _ = writeln!(text, "{:wide$}  boards", "card");
    for (name, node) in &config.fleet.node {
        _ = writeln!(text, "{name:wide$}  {}", node.boards.join(", "));
        for board in config.board.iter().filter(|board| node.boards.contains(&board.id)) {
            for file in [&board.unlock_file, &board.calibration_file].into_iter().flatten() {
                _ = writeln!(text, "{:wide$}  copy {} there yourself, for board {}", "", file.display(), board.id);
            }
        }
    }
    let people: Vec<_> = rights(config).into_iter().filter(|user| user.role != "node").collect();
    let wide = longest(&mut people.iter().map(|user| &user.user));
    _ = writeln!(text, "\n{:wide$}  {:9}  password", "user", "role");
    for user in people {
        let password = secrets.passwords.get(&user.user).map_or("", String::as_str);
        _ = writeln!(text, "{:wide$}  {:9}  {password}", user.user, user.role);
    }
    if let Some(relay) = &config.fleet.relay {
        _ = writeln!(text, "\nAt {relay} the hall is the user {} with the password {}", name(config), secrets.relay);
    }
    text
}
