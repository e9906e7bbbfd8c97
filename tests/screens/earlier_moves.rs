//! The moves before those in a state come in parts: the pages join them, whatever comes first.

use serde_json::{Value, json};

use crate::stage::made_up::{arbiter_body, live_body, state, topic};
use crate::stage::room::Room;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// The position after the first eight half-moves.
const BETWEEN: &str = "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 5";
const END: &str = "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 3 5";
const SANS: [&str; 9] = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O"];
const UCI: [&str; 9] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1"];

/// The half-moves as they stand in a state, with the fields of `like`.
fn moves(like: &Value) -> Vec<Value> {
    let one = |index: usize| {
        let mut mv = like["moves"][index % 2].clone();
        (mv["ply"], mv["san"], mv["uci"]) = ((index + 1).into(), SANS[index].into(), UCI[index].into());
        mv
    };
    (0..SANS.len()).map(one).collect()
}

/// A state with the last half-move, and the part with the others; `white_ms` is the time after the first of them.
fn divided(mut body: Value, white_ms: u32) -> (Value, Value) {
    let all = moves(&body);
    let mut part = json!({"initial_fen": START, "moves": all[..8], "after": 0, "sum": white_ms});
    part["moves"][0]["white_ms"] = white_ms.into();
    (body["moves"], body["moves_from"], body["initial_fen"], body["fen"]) =
        (all[8..].into(), 9.into(), BETWEEN.into(), END.into());
    body["parts"] = json!({"total": 1, "sum": white_ms});
    (body, part)
}

#[test]
fn arbiters_and_spectators_see_the_whole_game() {
    let room = Room::new();
    let Some(browser) = room.browser("earlier_moves") else { return };
    room.witness.publish_hall(&["1"]);
    let publish = |audience: &str, leaf: &str, body: &Value| {
        let kind = if leaf == "state" { "board.state" } else { "board.moves" };
        room.witness.publish(&topic(audience, "1", leaf), &state(kind, "1", body.clone()));
    };
    let (whole, part) = divided(arbiter_body(), 3_601_000);
    browser.log_in("/arbiter/?board=1&view=board&tab=moves", "anna");
    publish("arbiter", "state", &whole);
    browser.shows("Earlier moves were not received: the list begins with half-move 9.");
    browser.shows_in(".moves", "O-O");
    publish("arbiter", "moves/0", &part);
    browser.shows_in(".moves", "Bb5");
    browser.wait("the whole list", "!document.body.innerText.includes('Earlier moves')");
    browser.screenshot("arbiter");
    // A move is corrected: neither of the two messages alone changes anything.
    let (corrected, new) = divided(arbiter_body(), 3_599_000);
    publish("arbiter", "moves/0", &new);
    publish("arbiter", "state", &corrected);
    browser.shows_in(".moves", "59:59");
    // Who comes later gets both from the broker.
    browser.open("/arbiter/?board=1&view=board&tab=moves");
    browser.shows_in(".moves", "59:59");

    let (whole, part) = divided(live_body(), 3_601_000);
    publish("public", "moves/0", &part);
    publish("public", "state", &whole);
    browser.open("/board/?board=1&audience=public");
    browser.shows("Bb5");
    browser.screenshot("board");
    let (corrected, new) = divided(live_body(), 3_599_000);
    // While a part is another one than the state names, its moves are not shown.
    publish("public", "state", &corrected);
    browser.wait("the last move alone", "!document.body.innerText.includes('Bb5') && document.body.innerText.includes('O-O')");
    publish("public", "moves/0", &new);
    browser.shows("Bb5");
    // Another game takes the place of everything.
    room.witness.clear(&topic("public", "1", "moves/0"));
    let mut next = state("board.state", "1", live_body());
    next["game"] = "open26-5-1-g2".into();
    room.witness.publish(&topic("public", "1", "state"), &next);
    browser.wait("the next game", "!document.body.innerText.includes('Bb5')");
}
