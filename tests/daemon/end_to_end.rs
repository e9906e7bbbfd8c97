//! From a pseudo-terminal to an independent client: boards with games, the daemon as a process, a real broker.

mod commands;
pub(crate) mod games;

use crate::rig::{Rig, Seat};
use crate::support::mqtt::Mosquitto;
use crate::support::mqtt::MosquittoMessage;
use crate::support::schemas;

/// Checks that every message of the daemon has a schema and keeps to it.
pub(crate) fn keep_to_schemas(all: &[MosquittoMessage]) {
    for received in all.iter().filter(|received| received.branch() != "cmd") {
        schemas::validate(&received.topic, &received.payload).unwrap_or_else(|problem| panic!("{problem}"));
    }
}

#[test]
fn a_wrong_configuration_ends_the_daemon_with_its_place() {
    let broker = Mosquitto::start();
    let rig = Rig::new(broker.port(), "delai = 3", &[Seat { id: "b1", time_control: "60" }]);
    assert_eq!(rig.start().wait().code(), Some(78));
    let log = rig.log();
    assert!(log.contains("flagfall.toml:8:1: event.delai") && log.contains("did you mean `delay`"), "{log}");
}
