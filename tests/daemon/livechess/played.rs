//! A page plays with a board.

use flagfall::emulate::games::game;
use flagfall::system_clock::monotonic;
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use super::client::{Client, json, request};
use super::{Offered, PAGE};
use crate::support::waiting::{PATIENCE, wait_until};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Each move is made when the page has seen what was before. The knight stops on its way for longer than a move needs to count, and Black's
/// reply follows the press at once.
const GAME: [(&str, &str, &str, &str); 4] = [
    ("0.2 run\n0.4 lift e2", "0.2 place e4", "e4", "0.4 press left"),
    ("0.4 lift e7", "0.2 place e5", "e5", "0.4 press right"),
    ("0.5 lift g1", "0.5 place f3", "Nf3", "0.5 press left"),
    ("0.1 lift b8", "0.2 place c6", "Nc6", "0.4 press right"),
];

/// Opens a feed on the first board with the start position; returns the client after the answers.
fn subscribe(offered: &Offered) -> Client {
    let mut client = offered.connect();
    wait_until("the board answers", PATIENCE, || client.call(r#"{"id":1,"call":"eboards"}"#)["param"][0]["state"] == "ACTIVE");
    let boards = client.call(r#"{"id":1,"call":"eboards"}"#);
    let serial = boards["param"][0]["serialnr"].as_str().expect("a serial number").to_owned();
    let answer = client.call(&format!(
        r#"{{"id":2,"call":"subscribe","param":{{"feed":"eboardevent","id":1,"param":{{"serialnr":"{serial}"}}}}}}"#
    ));
    assert_eq!((&answer["response"], &answer["id"], &answer["param"]), (&json!("call"), &json!(2), &Value::Null));
    let mut board = client.event();
    while board["board"] != "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR" {
        board = client.event();
    }
    client
}

#[test]
fn a_page_follows_a_game() {
    let offered = Offered::start();
    let board = offered.rig.board("b1", game(1).settings(101), 1.0);
    let mut client = subscribe(&offered);
    client.send(&format!(r#"{{"id":3,"call":"call","param":{{"id":1,"method":"setup","param":{{"fen":"{START}"}}}}}}"#));
    // Messages about the clock may come before the answer.
    let mut answer = client.receive().expect("an answer");
    while answer["response"] == "feed" {
        answer = client.receive().expect("an answer");
    }
    assert_eq!((&answer["id"], &answer["param"]), (&json!(3), &Value::Null));
    let play = |script: &str| board.load(&Script::parse(script).expect("a script")).expect("it runs");
    let (mut lists, mut runs) = (Vec::new(), Vec::new());
    let mut follow = |what: &str, until: &dyn Fn(&Value) -> bool| {
        let end = monotonic().after(PATIENCE);
        loop {
            let event = client.event();
            lists.extend(event.get("san").cloned());
            runs.extend(event.get("clock").map(|clock| clock["run"].clone()));
            if until(&event) {
                return;
            }
            // The clock speaks every second.
            assert!(monotonic() < end, "no event: {what}");
        }
    };
    follow("the line is empty", &|event| event["san"] == json!([]));
    let mut moves = Vec::new();
    for (lift, place, san, press) in GAME {
        play(lift);
        follow(lift, &|event| event["match"] == false);
        play(place);
        moves.push(san);
        follow(place, &|event| event["san"] == json!(moves) && event["match"] == true);
        play(press);
    }
    lists.dedup();
    let longer = (0..=moves.len()).map(|plies| json!(moves[..plies]));
    assert!(lists.iter().eq(&longer.collect::<Vec<_>>()), "{lists:?}");
    runs.dedup();
    assert!(runs.windows(3).any(|three| three == [json!(true), json!(false), json!(true)]), "{runs:?}");
    read_over_http(&offered);
    // A board that is pulled out stays in the list.
    board.unplug().expect("unplugged");
    wait_until("the board is missed", PATIENCE, || json(offered.api, "/api/v1.0/eboards")[0]["state"] == "NOTRESPONDING");
    offered.stop();
}

/// The operator's tool fails if an object has a key too many or too few. The order does not matter to it.
#[track_caller]
fn has_keys(value: &Value, keys: &str) {
    let mut wanted: Vec<&str> = keys.split(' ').collect();
    wanted.sort_unstable();
    assert_eq!(value.as_object().expect("an object").keys().collect::<Vec<_>>(), wanted, "{value}");
}

/// The same over HTTP GET: the operator's tool reads the round so.
fn read_over_http(offered: &Offered) {
    let read = |path: &str| json(offered.api, &format!("/api/v1.0/{path}"));
    has_keys(&read("eboards")[0], "serialnr source state battery comment board flipped clock");
    has_keys(&read("eboards")[0]["clock"], "white black run time");
    let boards = read("eboards");
    assert!(boards[0]["serialnr"] == "00101" && boards[0]["clock"]["white"].is_u64(), "{boards}");
    let uuid = read("tournaments")[0]["uuid"].as_str().expect("a uuid").to_owned();
    has_keys(&read("tournaments")[0], "uuid description rounds");
    let tournament = read(&format!("tournament/{uuid}"));
    has_keys(&tournament, "uuid name description location country rounds eboards");
    assert_eq!(tournament["eboards"], json!(["00101"]));
    let round = read(&format!("round/{uuid}/0"));
    has_keys(&round, "nr date pairings");
    has_keys(&round["pairings"][0], "nr uuid white black live result");
    for side in ["white", "black"] {
        has_keys(&round["pairings"][0][side], "fname mname lname title federation gender fideid");
    }
    assert_eq!((&round["nr"], &round["pairings"][0]["white"]["lname"]), (&json!(5), &json!("Wilhelmina")));
    let game = round["pairings"][0]["uuid"].as_str().expect("a uuid").to_owned();
    // The game of record publishes a move when it is pressed or has stood for two seconds.
    wait_until("all moves", PATIENCE, || read(&format!("game/{game}"))["moves"].as_array().is_some_and(|moves| moves.len() == 4));
    let of_game = read(&format!("game/{game}"));
    has_keys(&of_game, "chess960 result comment clock moves");
    let moves = of_game["moves"].clone();
    let seconds = |text: &Value| text.as_str().and_then(|text| text.split_once(' ')?.1.parse::<u32>().ok());
    assert!(moves.as_array().expect("moves").iter().all(|text| seconds(text).is_some()), "{moves}");
    let allowed = request(offered.api, "GET", "/api/v1.0/eboards", &format!("Origin: {PAGE}\r\n"));
    assert!(
        allowed.contains(&format!("access-control-allow-origin: {PAGE}\r\n")) && allowed.contains("vary: Origin\r\n"),
        "{allowed}"
    );
}
