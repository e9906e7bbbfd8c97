//! `flagfall fleet status` as an organiser types it, at a hall in which everything is right and one in which one thing is wrong.

use flagfall::system_clock::utc;
use serde_json::{Value, json};

use super::hall::{Hall, fleet};
use crate::access::WITNESS;
use crate::client::{Client, retained};

fn event(port: u16) -> String {
    format!(
        "[event]\nid = \"open26\"\n[user.carol]\nrole = \"chief\"\n[[board]]\nid = \"1\"\nserial = \"24012\"\n\
         [fleet]\nbroker = {{ name = \"localhost\", address = \"127.0.0.1\", port = {port} }}\n\
         valid = {{ from = \"2025-06-01\", days = 800 }}\n[fleet.node.pi-01]\nboards = [\"1\"]\n\
         [fleet.user.office]\nrole = \"organiser\"\n[fleet.user.witness]\nrole = \"screen\"\n"
    )
}

/// Publishes what a machine that works publishes; `state` is that of its board.
async fn publish(hall: &Hall, state: &str) {
    let mut witness = Client::connect(hall.login(WITNESS)).await;
    let t = json!({"us": 1, "utc": utc().to_string(), "sync": "ntp"});
    for (topic, body) in [
        ("node/pi-01/status", json!({"state": "ready"})),
        ("node/pi-01/info", json!({"version": env!("CARGO_PKG_VERSION"), "boards": ["open26/1/1"]})),
        ("node/pi-01/health", json!({"disk_free_mib": 4000, "journal_ok": true, "refused": 0})),
        ("device/dgt-24012/status", json!({"state": state, "kind": "board", "board": "open26/1/1"})),
    ] {
        let message = json!({"node": "pi-01", "t": t, "body": body}).to_string();
        witness.publish(retained(&format!("flagfall/1/{topic}"), message)).await;
    }
    witness.leave().await;
}

#[tokio::test]
async fn the_organiser_looks_at_the_hall() {
    let Some(hall) = Hall::new(event, &format!("\nuser {WITNESS}\ntopic readwrite #\n")) else { return };
    let own = hall.dir.path().join("own.toml");
    let text = format!(
        "[mqtt]\nhost = '127.0.0.1'\nport = {}\ntls = true\nca_file = '{}'\nuser = 'carol'\npassword_file = '{}'\n",
        hall.port,
        hall.out("ca.pem").display(),
        hall.out("secrets/passwords/carol").display()
    );
    std::fs::write(&own, text).expect("a file");
    let version = env!("CARGO_PKG_VERSION");
    for (state, code, lines) in [
        ("online", 0, vec![format!("ok   pi-01  {version}  boards 1"), "1 of 1 machines are right.".to_owned()]),
        ("offline", 1, vec![format!("RED  pi-01  {version}  boards 1"), "     -> board 1 is offline".to_owned()]),
    ] {
        publish(&hall, state).await;
        for words in [vec!["OUT"], vec!["OUT", "--user", "carol"], vec!["--config", "own.toml"]] {
            let ran = fleet(hall.dir.path(), &[&["status", "event.toml"], words.as_slice()].concat());
            let printed = String::from_utf8_lossy(&ran.stdout);
            assert_eq!(ran.status.code(), Some(code), "{words:?}: {ran:?}");
            let is_missing = |line: &&String| !printed.lines().any(|printed| printed == line.as_str());
            assert_eq!(lines.iter().find(is_missing), None, "{words:?}: {printed}");
        }
        let ran = fleet(hall.dir.path(), &["status", "event.toml", "OUT", "--json"]);
        let report: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        assert_eq!((ran.status.code(), &report["ok"]), (Some(code), &json!(code == 0)), "{report:#}");
    }
    for (words, why) in [(["OUT", "--user", "king"], "the event has no user \"king\""), (["OUT", "--wait", "3601"], "3601")] {
        let ran = fleet(hall.dir.path(), &[&["status", "event.toml"], words.as_slice()].concat());
        assert!(!ran.status.success() && String::from_utf8_lossy(&ran.stderr).contains(why), "{words:?}: {ran:?}");
    }
}
