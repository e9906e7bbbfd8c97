//! A node that follows the organiser's messages (`event.from_meta`), at a real mosquitto: the players and the delay of a round, the change
//! to the next round, and messages that change nothing.

use std::time::Duration;

use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::live_and_public::{nothing_is_early, play_in_step};
use crate::rig::{Rig, Seat};
use crate::support::mqtt::{Mosquitto, publish};
use crate::support::schemas::keeps_to;
use crate::watch::Watch;

const DELAY: Duration = Duration::from_secs(2);
/// The parts of a fool's mate up to the last press, and the side whose clock runs after each.
const FOOLS_MATE: [(&str, &str); 4] = [
    ("0.5 run\n", "white"),
    ("0.5 move f2 f3\n1.1 press left\n", "black"),
    ("0.6 move e7 e5\n1.2 press right\n", "white"),
    ("0.6 move g2 g4\n1.2 press left\n", "black"),
];
const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR";
const SET_UP: &str = "0.1 board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR\n";
const NEXT_GAME: &str = "0.5 run\n1.0 move d2 d4\n1.6 press left\n";

/// Publishes the event.
fn publish_event(port: u16, rev: u32, round: u32, delay: u64) {
    publish_event_with(port, rev, round, json!({"delay": delay}));
}

/// Publishes the event with more fields.
fn publish_event_with(port: u16, rev: u32, round: u32, more: Value) {
    let mut body = json!({"uuid": "a".repeat(32), "name": "Example Open", "rounds": 9, "round": round.to_string()});
    for (field, value) in more.as_object().into_iter().flatten() {
        body[field] = value.clone();
    }
    let message = json!({"v": "1.1", "type": "meta.event", "rev": rev, "body": body});
    publish(port, "flagfall/1/meta/open26", &message.to_string(), &["-r"]);
}

/// Publishes the pairing of board b1.
fn publish_round(port: u16, rev: u32, round: u32, white: &str) {
    let pairing = json!({"board": "b1", "number": 1, "white": {"name": white}, "black": {"name": "Ben"}});
    let message = json!({"v": "1.1", "type": "meta.round", "rev": rev, "body": {"number": round, "boards": [pairing]}});
    publish(port, &format!("flagfall/1/meta/open26/{round}"), &message.to_string(), &["-r"]);
}

fn state(audience: &str, round: u32) -> String {
    format!("flagfall/1/{audience}/open26/{round}/b1/state")
}

fn sans(json: &Value) -> Vec<&str> {
    json["body"]["moves"].as_array().into_iter().flatten().filter_map(|mv| mv["san"].as_str()).collect()
}

#[test]
fn a_node_plays_the_organisers_rounds() {
    let broker = Mosquitto::start();
    let port = broker.port();
    let seat = Seat { id: "b1", time_control: game(1).time_control };
    // The file has a shorter delay and other players.
    let rig = Rig::new(port, "from_meta = true\ndelay = 1", &[seat]);
    #[cfg(feature = "outputs")]
    let api = crate::support::ports::free_address();
    #[cfg(feature = "outputs")]
    rig.add(&format!("[livechess]\nenabled = true\nlisten = [\"{api}\"]\n"));
    publish_round(port, 1, 5, "Anna");
    publish_event(port, 1, 5, DELAY.as_secs());
    let watch = Watch::new(port);
    let board = rig.board("b1", game(1).settings(101), 1.0);
    let daemon = rig.start();
    watch.on(&state("arbiter", 5), "armed", |json| json["body"]["stage"] == "armed");
    let named = watch.on(&state("public", 5), "the players", |json| json["body"]["players"]["white"]["name"] == "Anna");
    assert_eq!(named["body"]["players"], json!({"white": {"name": "Anna"}, "black": {"name": "Ben"}}));
    #[cfg(feature = "outputs")]
    the_pairings_are_a_tournament(api);

    // The next round is published while the game is in play: it goes on, and so does what the public gets later.
    play_in_step(&board, &watch, &FOOLS_MATE[..2]);
    watch.on(&state("live", 5), "a move", |json| !sans(json).is_empty());
    publish_round(port, 2, 6, "Clara");
    publish_event(port, 2, 6, DELAY.as_secs());
    play_in_step(&board, &watch, &FOOLS_MATE[2..]);
    board.load(&Script::parse("0.6 move d8 h4\n").expect("a script")).expect("it runs");
    watch.on("flagfall/1/node/pi-1/info", "round 6", |json| json["body"]["rounds"] == json!(["open26/6"]));
    let all = watch.all();
    let place = |what: &str, fits: &dyn Fn(&str, &Value) -> bool| {
        let found = all.iter().position(|message| fits(&message.topic, &message.json));
        found.unwrap_or_else(|| panic!("{what}"))
    };
    let mate = place("the mate for the public", &|topic, json| {
        topic == state("public", 5) && json["body"]["ending"] == "checkmate" && sans(json) == ["f3", "e5", "g4", "Qh4#"]
    });
    let change =
        place("the change", &|topic, json| topic == "flagfall/1/node/pi-1/info" && json["body"]["rounds"] == json!(["open26/6"]));
    assert!(mate < change, "the round changed before the public had the mate");
    nothing_is_early(&all);

    // The men of the mate still stand, and the clock still runs: that is no game of the next round.
    watch.on(&state("arbiter", 6), "the men of the mate", |json| json["body"]["board"] == MATE);
    board.load(&Script::parse("1.5 stop\n").expect("a script")).expect("it runs");
    let stopped = watch.on(&state("arbiter", 6), "a clock that stands", |json| {
        json["body"]["board"] == MATE
            && json["body"]["clock"]["white_ms"].is_number()
            && json["body"]["clock"]["running"].is_null()
    });
    assert_eq!((&stopped["body"]["stage"], sans(&stopped)), (&"awaiting_set_up".into(), vec![]));
    // What is wrong or old changes nothing; the next game is one of the next round.
    publish(port, "flagfall/1/meta/open26", r#"{"v":"1.1","type":"meta.event","rev":3,"body":{"round":"../7"}}"#, &["-r"]);
    publish_event(port, 1, 5, 0);
    board.load(&Script::parse(SET_UP).expect("a script")).expect("it runs");
    watch.on(&state("arbiter", 6), "armed", |json| json["body"]["stage"] == "armed");
    board.load(&Script::parse(NEXT_GAME).expect("a script")).expect("it runs");
    let next = watch.on(&state("public", 6), "a move of round 6", |json| sans(json) == ["d4"]);
    assert_eq!(next["body"]["players"]["white"]["name"], "Clara");
    // People see what was wrong.
    let info = "flagfall/1/node/pi-1/info";
    let problem = "The organiser's message on flagfall/1/meta/open26 is not used: `rev` is 1, but publication 2 is known already";
    let said = watch.on(info, "the other problem", |json| json["body"]["problems"] == json!([problem]));
    assert_eq!(keeps_to("node.info", &said), Ok(()));
    // A good message ends it.
    publish_event(port, 2, 6, DELAY.as_secs());
    watch.wait("no problem", |all| {
        let last = all.iter().rev().find(|message| message.topic == info)?;
        last.body().get("problems").is_none().then_some(())
    });
    let kept = watch.last(&state("public", 5)).expect("the state of round 5");
    assert_eq!(sans(&kept.json), ["f3", "e5", "g4", "Qh4#"]);
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    let log = rig.log();
    assert!(
        log.contains("a message of the organiser changes nothing") && log.contains("publication 2 is known already"),
        "{log}"
    );
    // A start without messages goes on with what was used.
    publish(port, "flagfall/1/meta/open26", "", &["-r"]);
    let again = Watch::new(port);
    let daemon = rig.start();
    again.on("flagfall/1/node/pi-1/status", "ready", |json| json["body"]["state"] == "ready");
    again.on(&state("arbiter", 6), "the game", |json| sans(json) == ["d4"]);
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
}

/// Programs on this machine read the organiser's pairings.
#[cfg(feature = "outputs")]
fn the_pairings_are_a_tournament(api: std::net::SocketAddr) {
    use crate::livechess::client::json;
    let uuid = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    let expected = json!([{"uuid": uuid, "description": "Example Open", "rounds": 9}]);
    assert_eq!(json(api, "/api/v1.0/tournaments"), expected);
    let round = json(api, &format!("/api/v1.0/round/{uuid}/4"));
    assert_eq!((&round["nr"], &round["pairings"][0]["white"]["lname"]), (&json!(5), &json!("Anna")));
    let boards = json(api, "/api/v1.0/eboards");
    assert_eq!(json(api, &format!("/api/v1.0/tournament/{uuid}"))["eboards"], json!([boards[0]["serialnr"]]));
}

#[test]
fn a_round_changes_at_once_if_a_person_says_so() {
    let broker = Mosquitto::start();
    let port = broker.port();
    let seat = Seat { id: "b1", time_control: game(1).time_control };
    let rig = Rig::new(port, "from_meta = true", &[seat]);
    publish_round(port, 1, 5, "Anna");
    publish_event(port, 1, 5, 0);
    let watch = Watch::new(port);
    let board = rig.board("b1", game(1).settings(101), 1.0);
    let daemon = rig.start();
    watch.on(&state("arbiter", 5), "armed", |json| json["body"]["stage"] == "armed");
    board.load(&Script::parse("0.5 run\n1.0 move e2 e4\n1.6 press left\n").expect("a script")).expect("it runs");
    watch.on(&state("public", 5), "the move", |json| sans(json) == ["e4"]);
    publish_round(port, 2, 6, "Clara");
    publish_event_with(port, 2, 6, json!({"force": true}));
    let named = watch.on(&state("live", 6), "round 6", |_| true);
    assert_eq!(named["body"]["players"]["white"]["name"], "Clara");
    let before = watch.last(&state("arbiter", 5)).expect("the state of round 5");
    assert_eq!((sans(&before.json), &before.body()["stage"]), (vec!["e4"], &"playing".into()));
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
}
