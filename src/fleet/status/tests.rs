use serde_json::json;

use super::*;
use crate::config::{FleetNode, FleetUser};

const REFUSED: &str = "the broker refused 3 of its messages since its start: look at its log, and whether the broker has the access \
                       rules of this file (a spare board is in fleet.spares)";
const FOREIGN: &str = "claims board 3, board 9, which is not its own by this file: give it its files again, or, if its card is stolen, \
                       --rotate pi-01";
const NOW: &str = "2026-11-28T12:00:00Z";

fn config() -> Config {
    let mut config = Config::default();
    config.event.id = "open26".to_owned();
    for (name, boards) in [("pi-01", vec!["1", "2"]), ("pi-02", vec!["3"])] {
        let boards = boards.into_iter().map(str::to_owned).collect();
        config.fleet.node.insert(name.to_owned(), FleetNode { boards });
    }
    config.fleet.user.insert("desk".to_owned(), FleetUser { role: FleetRole::Collector });
    config
}

/// The messages of a hall in which everything is right.
fn hall() -> BTreeMap<String, Value> {
    let mut hall = BTreeMap::new();
    for (node, boards) in [("pi-01", vec!["1", "2"]), ("pi-02", vec!["3"]), ("desk-collect", vec![])] {
        let places: Vec<String> = boards.iter().map(|board| format!("open26/5/{board}")).collect();
        let t = json!({"us": 1, "utc": "2026-11-28T11:59:30.000Z", "sync": "ntp", "err_ms": 3});
        let mut put = |topic: String, body: Value| {
            hall.insert(format!("flagfall/1/{topic}"), json!({"node": node, "boot": 1, "t": t, "body": body}));
        };
        put(format!("node/{node}/status"), json!({"state": "ready"}));
        put(format!("node/{node}/info"), json!({"version": "1.2", "capabilities": [], "boards": places}));
        put(
            format!("node/{node}/health"),
            json!({"disk_free_mib": 4000, "journal_ok": true, "failed_boards": [], "withheld_boards": [], "refused": 0}),
        );
        for (board, place) in boards.iter().zip(&places) {
            put(format!("device/dgt-{board}/status"), json!({"state": "online", "kind": "board", "board": place}));
        }
    }
    hall.insert(COUNTERS[0].to_owned(), json!(0));
    hall.insert(COUNTERS[1].to_owned(), json!(7));
    hall
}

fn report(hall: &BTreeMap<String, Value>) -> Report {
    let messages: Vec<_> = hall.iter().map(|(topic, message)| (topic.clone(), message.to_string().into_bytes())).collect();
    judge(&config(), &messages, Utc::parse(NOW).expect("a time"), "1.2")
}

#[test]
fn a_hall_in_which_everything_is_right() {
    let report = report(&hall());
    assert!(report.ok, "{report:#?}");
    assert_eq!((report.broker.dropped, report.broker.clients), (Some(0), Some(7)));
    assert_eq!(report.nodes.iter().map(|node| node.node.as_str()).collect::<Vec<_>>(), ["pi-01", "pi-02"]);
    assert_eq!(report.strangers, Vec::<String>::new());
    assert_eq!(filters("flagfall").len(), 6);
}

/// A change of one field of a message, and the sentence about it; `pi-01` must have it, and nothing else may be wrong.
#[test]
fn whatever_is_wrong_with_a_machine_is_said() {
    let node = |leaf: &str| format!("flagfall/1/node/pi-01/{leaf}");
    for (topic, field, value, sentence) in [
        (node("status"), "/body/state", json!("lost"), "is lost: look at its power and its network"),
        (node("status"), "/body/state", json!("stopped"), "was stopped"),
        (node("status"), "/body/state", json!("init"), "is starting"),
        (node("status"), "/body/state", json!("asleep"), "has the unknown state asleep"),
        (node("status"), "/body/state", json!(5), "was never there: is it on, and does its card belong to this event?"),
        (node("info"), "/body/version", json!("1.1"), "has version 1.1, and this program is 1.2"),
        (node("info"), "/body/boards", json!(["open26/5/1", "open27/5/2"]), "does not serve board 2"),
        (node("info"), "/body/boards", json!(["open26/5/1", "open26/5/2", "open26/5/3", "open26/4/9"]), FOREIGN),
        (node("health"), "/t/sync", json!("none"), "its clock is not synchronised"),
        (node("health"), "/t/utc", json!("2025-01-01T00:00:00.000Z"), "its clock is wrong: it says 2025-01-01T00:00:00.000Z"),
        (node("health"), "/t/utc", json!("2026-11-28T12:00:30.000Z"), "its clock is wrong: it says 2026-11-28T12:00:30.000Z"),
        (node("health"), "/body/disk_free_mib", json!(40), "has 40 MiB free for journals"),
        (node("health"), "/body/journal_ok", json!(false), "cannot record: look at its card"),
        (node("health"), "/body/failed_boards", json!(["2"]), "board 2 has failed and is not served"),
        (node("health"), "/body/withheld_boards", json!(["2"]), "board 2 is served by another machine too"),
        (node("health"), "/body/refused", json!(3), REFUSED),
        ("flagfall/1/device/dgt-2/status".to_owned(), "/body/state", json!("offline"), "board 2 is offline"),
        ("flagfall/1/device/dgt-2/status".to_owned(), "/node", json!("pi-09"), "board 2: no device was ever there"),
    ] {
        let mut hall = hall();
        *hall.get_mut(&topic).and_then(|message| message.pointer_mut(field)).expect("the field") = value.clone();
        let report = report(&hall);
        assert_eq!(
            (report.ok, report.nodes[0].problems.as_slice()),
            (false, [sentence.to_owned()].as_slice()),
            "{field} {value}"
        );
        assert_eq!(report.nodes[1].problems, Vec::<String>::new());
    }
}

#[test]
fn messages_that_are_missing_or_broken_are_said() {
    for (leaf, sentence) in [
        ("status", "was never there: is it on, and does its card belong to this event?"),
        ("health", "has published no health for two minutes"),
    ] {
        let mut hall = hall();
        hall.remove(&format!("flagfall/1/node/pi-02/{leaf}"));
        assert_eq!(report(&hall).nodes[1].problems, [sentence], "{leaf}");
    }
    let mut hall = hall();
    hall.insert("flagfall/1/node/pi-02/info".to_owned(), json!("nothing"));
    assert_eq!(report(&hall).nodes[1].problems, ["has published no info", "does not serve board 3"]);
}

#[test]
fn dropped_messages_are_red_and_strangers_are_named() {
    let mut hall = hall();
    hall.insert(COUNTERS[0].to_owned(), json!(3));
    hall.insert("flagfall/1/node/pi-99/status".to_owned(), json!({"body": {"state": "ready"}}));
    hall.insert("flagfall/1/node/pi-98/status".to_owned(), json!({"body": {"state": "stopped"}}));
    let report = report(&hall);
    assert!(!report.ok && report.broker.problems[0].starts_with("has dropped 3 messages"), "{report:#?}");
    assert_eq!(report.strangers, ["pi-99"]);
    hall.remove(COUNTERS[0]);
    assert!(self::report(&hall).ok, "where the counters may not be read, nothing is red");
}
