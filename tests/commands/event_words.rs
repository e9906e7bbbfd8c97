//! What `flagfall event` says in words: a time control, and a broker that is not there.

use crate::event_command::{CONFIG, done, event, login, refused, with_round_1};
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_port;

/// What an organiser reads of `5400+30`.
const SAID: &str = "Event open26: time control 5400+30 (90 minutes, and 30 seconds a move)\n";

#[test]
fn a_time_control_is_said_in_words_and_doubted() {
    let folder = with_round_1();
    let folder = folder.path();
    let new = ["new", "open27", "--name", "x", "--rounds", "9", "--time-control", "90+30"];
    let said = done(folder, &new);
    let words = "Event open27: time control 90+30 (1 minute 30 seconds, and 30 seconds a move)\nWARNING: time_control 90+30 is ";
    assert!(said.starts_with(words) && said.contains(". The event names no profile, so nodes use this one\n"), "{said}");
    std::fs::remove_file(folder.join("open27.json")).expect("removed");
    let said = done(folder, &["import", "round1.pgn", "--dry-run"]);
    assert!(said.starts_with(SAID) && !said.contains("WARNING"), "{said}");
    let Some(broker) = Mosquitto::with_files("listener TCP 127.0.0.1\nallow_anonymous true", &[]) else { return };
    login(folder, broker.port());
    for command in ["publish", "ready", "status"] {
        let said = event(folder, &[command, CONFIG, "o.toml"]).out;
        assert!(said.contains(SAID), "{command}: {said}");
    }
}

#[test]
fn every_command_names_the_broker_that_is_not_there() {
    let folder = with_round_1();
    let port = free_port();
    login(folder.path(), port);
    let broker = format!("broker at 127.0.0.1:{port} (mqtt.host, mqtt.port): nothing listens there. Start the broker (");
    for words in [&["publish"][..], &["ready"], &["status"], &["bind", "--ask"], &["round", "1"]] {
        refused(folder.path(), &[words, &[CONFIG, "o.toml"]].concat(), &broker);
    }
}
