//! Rulings of a flag in each state that a page shows differently.

use serde_json::{Value, json};

use super::made_up::now_us;

/// The position that counts in all of them, Black to move.
pub(crate) const POSITION: &str = "2kr4/p4ppp/P1prpn2/3n4/3P4/5B1P/2P2PP1/R2Q1RK1 b - - 0 20";

/// White's flag fell, and Black can mate.
pub(crate) fn proposed() -> Value {
    let at = now_us();
    let screen = json!({
        "headline": "WHITE FLAG", "act": "stop_the_clocks", "proposal": "Proposal: BLACK WINS, if the flag is observed or claimed now.",
        "moves": "19 moves completed, last period; 20. a6 made, clock NOT PRESSED.", "why": "Black can still checkmate.",
        "check": ["the flag sign on the clock", "position equals diagram", "has anyone claimed?"], "unknown": [],
        "rules": "fide-2023-standard, row 14, article 6.9", "choices": [
            {"label": "Confirm 0-1", "verb": "confirm", "body": {}}, {"label": "The game goes on", "verb": "reject", "body": {}},
            {"label": "Other result: 1-0", "verb": "declare-result", "body": {"result": "1-0"}},
            {"label": "Other result: 1/2-1/2", "verb": "declare-result", "body": {"result": "1/2-1/2"}}]});
    json!({"id": 1, "revision": 3, "kind": "flag_fall", "profile": "fide-2023-standard",
        "edition": "FIDE Laws of Chess in force from 1 January 2023", "flag": "white", "fall": 1, "path": "running_at_zero",
        "outcome": "black_wins", "row": "14", "articles": ["6.9"], "conditional": true, "contested": false, "alternatives": [],
        "position": POSITION, "phase": "made", "expired_at": [at - 1_000_000, at], "observed_at": null, "completed": 19, "required": null,
        "last_period": true, "winnable": {"verdict": "not_asked"}, "ended_at": null, "readings": [], "evidence": ["alarm:1"],
        "configurable": [], "recommended": [], "unknown": [], "status": "proposed", "screen": screen})
}

/// Whether Black can mate is not yet known.
pub(crate) fn pending() -> Value {
    let mut body = proposed();
    body["winnable"] = json!({"verdict": "pending"});
    body["screen"]["why"] = "Whether Black can checkmate is being worked out.".into();
    body
}

/// The same as a node publishes it at a fall, until the first answer.
pub(crate) fn worked_out() -> Value {
    let mut body = undecided();
    body["winnable"] = json!({"verdict": "pending"});
    body["screen"]["proposal"] =
        "Proposal: BEING WORKED OUT: Black wins if the opponent can mate; draw if the opponent cannot.".into();
    body["screen"]["why"] = "Whether Black can checkmate is being worked out.".into();
    body
}

/// A ruling with a shorter line to the same mate, in this revision.
pub(crate) fn shorter(mut body: Value, revision: u64) -> Value {
    body["revision"] = revision.into();
    body["screen"]["line"] = format!("20... Qd{revision}#").into();
    body["screen"]["why"] = "Black can still checkmate, in one move.".into();
    body
}

/// Two results are possible, and nothing on the board says which.
pub(crate) fn undecided() -> Value {
    let mut body = proposed();
    body["outcome"] = "undecided".into();
    body["alternatives"] = json!([
        {"depends_on": "the move was completed in time", "outcome": "game_goes_on", "row": "12"},
        {"depends_on": "the flag fell first", "outcome": "black_wins", "row": "14"}]);
    body["screen"]["proposal"] = "The arbiter decides.".into();
    body["screen"]["choices"] = json!([
        {"label": "The game goes on", "verb": "declare-result", "body": {"result": "*"}},
        {"label": "Black wins 0-1", "verb": "declare-result", "body": {"result": "0-1"}},
        {"label": "Other result: 1-0", "verb": "declare-result", "body": {"result": "1-0"}},
        {"label": "Other result: 1/2-1/2", "verb": "declare-result", "body": {"result": "1/2-1/2"}}]);
    body
}

pub(crate) fn contested() -> Value {
    let mut body = proposed();
    body["contested"] = true.into();
    body["unknown"] = json!(["which flag fell first"]);
    body["screen"]["unknown"] = json!(["which flag fell first"]);
    body
}

/// `anna` decided.
pub(crate) fn decided(result: &str) -> Value {
    let mut body = proposed();
    body["revision"] = 4.into();
    body["status"] = if result == "*" { "rejected" } else { "confirmed" }.into();
    body["decision"] = json!({"number": 1, "kind": if result == "*" { "rejected" } else { "confirmed" }, "result": result,
        "finding": {"id": 1, "revision": 3}, "by": "anna", "at": now_us()});
    body["screen"]["choices"] = json!([{"label": "Take the decision back", "verb": "declare-result", "body": {"result": "*"}}]);
    body
}
