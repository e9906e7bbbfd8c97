//! A message that breaks its schema is refused; an unknown field is accepted.

use flagfall::config::Role;
use flagfall::publish::schema;
use flagfall_protocols::trace::Audience;
use serde_json::{Value, json};

use crate::support::schemas::{keeps_to, validate};

fn event(kind: &str, body: Value) -> Value {
    json!({
        "v": "1.0", "type": kind, "id": "j:5", "no": 5, "game": "open26-r5-b12-g1", "node": "pi-07", "boot": 3,
        "t": {"us": 7, "utc": "2026-11-21T13:02:11.412Z", "sync": "ntp", "err_ms": 4}, "body": body,
    })
}

fn live_move() -> Value {
    event("board.move", json!({"ply": 1, "san": "e4", "uci": "e2e4", "white_ms": 180_000, "black_ms": null}))
}

/// A message in which the value at `path` is replaced or removed.
pub(crate) fn with(mut message: Value, path: &str, value: Option<Value>) -> Value {
    let (parent, name) = path.rsplit_once('/').expect("a path");
    let fields = message.pointer_mut(parent).and_then(Value::as_object_mut).unwrap_or_else(|| panic!("no {parent}"));
    match value {
        Some(value) => drop(fields.insert(name.to_owned(), value)),
        None => drop(fields.remove(name).unwrap_or_else(|| panic!("no {path}"))),
    }
    message
}

#[test]
fn the_correct_message_is_accepted() {
    assert_eq!(keeps_to("board.move.live", &live_move()), Ok(()));
}

#[test]
fn a_missing_field_is_refused() {
    for path in [
        "/v",
        "/type",
        "/id",
        "/no",
        "/game",
        "/node",
        "/boot",
        "/t",
        "/body",
        "/t/us",
        "/t/utc",
        "/t/sync",
        "/body/ply",
        "/body/san",
        "/body/uci",
        "/body/white_ms",
        "/body/black_ms",
    ] {
        keeps_to("board.move.live", &with(live_move(), path, None)).expect_err(path);
    }
    assert_eq!(keeps_to("board.move.live", &with(live_move(), "/t/err_ms", None)), Ok(()), "the error may be unknown");
}

#[test]
fn a_wrong_value_is_refused() {
    for (path, value) in [
        ("/v", json!("2.0")),
        ("/v", json!("1")),
        ("/v", json!(1.0)),
        ("/type", json!("board.clock")),
        ("/id", json!("5")),
        ("/no", json!(0)),
        ("/no", json!("5")),
        ("/no", json!(1.5)),
        ("/game", json!("Open")),
        ("/node", json!("")),
        ("/boot", json!(-1)),
        ("/t", json!(7)),
        ("/t/us", json!(-7)),
        ("/t/sync", json!("sun")),
        ("/t/utc", json!("now")),
        ("/t/utc", json!("2026-13-21T13:02:11Z")),
        ("/t/err_ms", json!(null)),
        ("/body", json!([])),
        ("/body/ply", json!(0)),
        ("/body/san", json!(null)),
        ("/body/uci", json!("e2-e4")),
        ("/body/white_ms", json!("3:00")),
        ("/body/white_ms", json!(-1)),
    ] {
        keeps_to("board.move.live", &with(live_move(), path, Some(value.clone()))).expect_err(&format!("{path} = {value}"));
    }
}

/// A wrong word at a place where only certain words are allowed.
#[test]
fn an_unknown_word_is_refused() {
    let clock = json!({"white_ms": 1, "black_ms": 2, "running": "white", "read_us": 3, "resolution_ms": 1000, "source": "dgt"});
    let audit = |body| event("board.audit", body);
    let state = with(with(event("board.clock", clock), "/rev", Some(json!(1))), "/id", None);
    let status = with(with(event("node.status", json!({"state": "ready"})), "/id", None), "/game", None);
    let reply = event("cmd.reply", json!({"stage": "done", "code": "ok", "message": "", "game": "g", "rev": 1}));
    let alert = json!({"id": 1, "kind": "flag", "class": "loud", "status": "open", "side": "white", "squares": ["e4"],
        "opened_at": 5, "closed_at": null});
    let device = json!({"state": "online", "kind": "clock", "transport": "serial", "battery_percent": 5});
    for (name, message, path) in [
        ("board.clock", state, "/body/running"),
        ("board.audit", audit(json!({"what": "game", "game_no": 1, "event": "armed"})), "/body/event"),
        ("board.audit", audit(json!({"what": "clock", "event": "rose", "side": "black"})), "/body/side"),
        ("board.audit", audit(json!({"what": "clock", "event": "rose", "side": null})), "/body/event"),
        ("board.audit", audit(json!({"what": "refused", "problem": "late"})), "/body/what"),
        ("board.audit", audit(json!({"what": "command", "verb": "claim", "role": "chief"})), "/body/role"),
        ("board.audit", audit(json!({"what": "command", "verb": "claim", "code": "device-offline"})), "/body/code"),
        ("board.audit", audit(json!({"what": "revision", "from_ply": 1, "cause": "take_back", "moves": []})), "/body/cause"),
        ("board.revision", event("board.revision", json!({"from_ply": 1, "cause": "correction", "moves": []})), "/body/cause"),
        ("board.alert", with(event("board.alert", alert.clone()), "/rev", Some(json!(1))), "/body/kind"),
        ("board.alert", with(event("board.alert", alert.clone()), "/rev", Some(json!(1))), "/body/class"),
        ("board.alert", with(event("board.alert", alert), "/rev", Some(json!(1))), "/body/status"),
        ("node.status", status, "/body/state"),
        ("device.status", event("device.status", device.clone()), "/body/state"),
        ("device.status", event("device.status", device), "/body/kind"),
        ("cmd.reply", reply.clone(), "/body/stage"),
        ("cmd.reply", reply, "/body/code"),
    ] {
        assert_eq!(keeps_to(name, &message), Ok(()), "{path}");
        for word in [json!("sideways"), json!(""), json!(7)] {
            keeps_to(name, &with(message.clone(), path, Some(word))).expect_err(path);
        }
    }
}

#[test]
fn an_unknown_field_is_accepted() {
    for path in ["/new", "/t/new", "/body/new"] {
        for value in [json!(null), json!("x"), json!({"a": [1]})] {
            assert_eq!(keeps_to("board.move.live", &with(live_move(), path, Some(value))), Ok(()), "{path}");
        }
    }
}

#[test]
fn a_payload_that_is_no_message_is_refused() {
    let topic = "flagfall/1/live/open26/r5/b12/move";
    for payload in ["", "null", "[]", "{", "{}", "7", "\"\""] {
        validate(topic, payload).expect_err(payload);
    }
    validate(topic, b"\xff").expect_err("not UTF-8");
    validate("flagfall/1/meta/open26", live_move().to_string()).expect_err("no topic of ours");
    validate("flagfall/1/live/open26/r5/b12/state", live_move().to_string()).expect_err("another topic's");
    assert_eq!(validate(topic, live_move().to_string()), Ok(()));
    assert_eq!(validate("flagfall/1/arbiter/open26/r5/b12/alert/4", ""), Ok(()), "deleted");
}

/// The words that are written as text in the types are those of their enums.
#[test]
fn words_that_are_written_twice_are_the_same() {
    let at = |name: &str, path: &str| -> Vec<Value> {
        let schema = schema::schema(name).expect("a schema");
        schema.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{name}: no {path}")).clone()
    };
    let roles = [Role::Operator, Role::Arbiter, Role::Chief, Role::Organiser].map(|role| json!(role));
    assert_eq!(at("board.audit", "/$defs/CommandBody/properties/role/enum"), roles);
    assert_eq!(at("board.audit", "/$defs/CommandBody/properties/code/enum"), at("cmd.reply", "/$defs/Code/enum"));
    let audiences = Audience::ALL.map(|audience| json!(audience.name()));
    assert_eq!(at("cmd.resync", "/properties/body/properties/audience/enum"), audiences);
}
