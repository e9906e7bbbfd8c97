//! What a subscriber of version 1.0 makes of later messages. `validate` lets it read every message of every other test too.

use flagfall::publish::schema;
use serde_json::{Value, json};

use super::wrong::with;
use crate::support::schemas::reader_1_0::{self, Read};

fn message(kind: &str, body: Value) -> Value {
    json!({
        "v": "1.2", "type": kind, "id": "j:3:5", "no": 5, "rev": 1, "game": "open26-r5-b12-g1", "node": "pi-07", "boot": 3,
        "t": {"us": 7, "utc": "2026-11-21T13:02:11.412Z", "sync": "ntp"}, "body": body,
    })
}

const STATE: &str = "flagfall/1/public/open26/r5/b12/state";
const AUDIT: &str = "flagfall/1/arbiter/open26/r5/b12/audit";
const ALERT: &str = "flagfall/1/arbiter/open26/r5/b12/alert/4";

fn alert(kind: &str, class: &str) -> Value {
    json!({"id": 4, "kind": kind, "class": class, "status": "open", "side": null, "squares": [], "opened_at": 5, "closed_at": null})
}

#[test]
fn what_is_new_is_ignored_and_an_unknown_word_of_an_open_list_is_shown() {
    let clock = json!({"white_ms": 1, "black_ms": 2, "running": null, "read_us": 3, "resolution_ms": 1000, "source": "dgt"});
    let state = message(
        "board.state",
        json!({"game_no": 1, "initial_fen": "f", "fen": "f", "moves": [], "clock": clock, "result": "1-0"}),
    );
    let revision = |cause: &str| json!({"what": "revision", "from_ply": 1, "cause": cause, "moves": []});
    let alarm = |kind: &str| {
        let mut body = alert(kind, "silent");
        body["what"] = json!("alarm");
        body
    };
    let rows = [
        (STATE, state.clone(), Read::Understood),
        (STATE, with(state.clone(), "/body/ending", Some(json!("checkmate"))), Read::Understood),
        (STATE, with(state, "/type", Some(json!("board.weather"))), Read::UnknownType),
        (ALERT, message("board.alert", alert("a_kind_of_tomorrow", "loud")), Read::Understood),
        (AUDIT, message("board.audit", alarm("a_kind_of_tomorrow")), Read::Understood),
        (AUDIT, message("board.audit", revision("a_cause_of_tomorrow")), Read::Understood),
        (AUDIT, message("board.audit", json!({"what": "an_entry_of_tomorrow", "from": 3})), Read::UnknownEntry),
    ];
    for (topic, message, read) in rows {
        assert_eq!(reader_1_0::read(topic, &message), Ok(read), "{message}");
    }
}

#[test]
fn a_word_of_a_closed_list_and_a_broken_header_are_refused() {
    for (topic, message) in [
        (ALERT, message("board.alert", alert("flag", "a_class_of_tomorrow"))),
        (ALERT, with(message("board.alert", alert("flag", "loud")), "/body/opened_at", None)),
        (AUDIT, message("board.audit", json!({"what": "game", "game_no": 1, "event": "an_event_of_tomorrow"}))),
        (AUDIT, with(message("board.audit", json!({"what": "an_entry_of_tomorrow"})), "/no", Some(json!("5")))),
        (ALERT, with(message("board.alert", alert("flag", "loud")), "/v", Some(json!("2.0")))),
    ] {
        reader_1_0::read(topic, &message).expect_err(&message.to_string());
    }
}

/// The reader has a schema for every type of version 1.0, so that no message passes because it is not read.
#[test]
fn the_reader_knows_every_type_of_its_version() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/schemas/v1_0");
    let known = |name: &str| folder.join(format!("{name}.json")).is_file();
    let messages = schema::names().filter(|name| !name.starts_with("cmd.") || *name == "cmd.reply");
    let unknown: Vec<&str> = messages.filter(|name| !known(name)).collect();
    // Types that were added after version 1.0.
    assert!(
        unknown.iter().all(|name| name.starts_with("board.moves.")
            || ["board.restated", "node.output", "meta.event", "meta.round"].contains(name)),
        "{unknown:?}"
    );
}
