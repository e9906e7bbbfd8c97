//! The API where the collector runs: it has all boards of the event.

use std::net::SocketAddr;

use flagfall::emulate::games::game;
use serde_json::{Value, json};

use super::client::{Client, json, request, wait_for_listener};
use crate::collect::{CollectHall, Published};
use crate::rig::{Rig, Seat};
use crate::support::mqtt::{Mosquitto, publish};
use crate::support::ports::free_address;
use crate::support::waiting::{PATIENCE, wait_until};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const UUID: &str = "6f1c0000-0000-4000-8000-00000000000a";
/// The device of a node that is not there.
const FAR: &str = "flagfall/1/device/dgt-24012/status";

/// What the node `pi-1` publishes of itself and of the device of a board.
fn publish_device(port: u16, board: &str) {
    publish(port, "flagfall/1/node/pi-1/status", r#"{"boot":1,"body":{"state":"ready"}}"#, &["-r"]);
    let body = json!({"state": "online", "kind": "board", "transport": "serial", "port": "/dev/ttyACM0", "serial": "24012",
                      "battery_percent": 84, "board": format!("open26/5/{board}")});
    publish(port, FAR, &json!({"node": "pi-1", "body": body}).to_string(), &["-r"]);
}

fn publish_clock(port: u16, board: &str, white_ms: u32) {
    let clock = json!({"node": "pi-1", "t": {"us": 20, "utc": "2026-11-21T13:02:12.412Z", "sync": "none"},
                       "body": {"white_ms": white_ms, "black_ms": 5_400_000, "running": "black", "read_us": 10}});
    publish(port, &format!("flagfall/1/live/open26/5/{board}/clock"), &clock.to_string(), &["-r"]);
}

fn board_of(api: SocketAddr, serial: &str) -> Value {
    let boards = json(api, "/api/v1.0/eboards");
    boards.as_array().expect("a list").iter().find(|board| board["serialnr"] == serial).cloned().unwrap_or_default()
}

#[test]
fn the_collector_shows_all_boards_of_the_event() {
    let mut broker = Mosquitto::start();
    let (port, api) = (broker.port(), free_address());
    let hall = CollectHall::new(port, "pi-9", "release_orphans = false\n");
    hall.add_lines(&format!("[livechess]\nenabled = true\nlisten = [\"{api}\"]\n"));
    hall.publish_event();
    publish_device(port, "b1");
    let mut board = Published::new("b1", 1);
    board.play(3);
    board.publish_live(port);
    publish_clock(port, "b1", 5_391_000);
    let collector = hall.start();
    wait_for_listener(api);
    wait_until("the board with its clock", PATIENCE, || board_of(api, "24012")["clock"]["white"] == 5391);
    let shown = board_of(api, "24012");
    let clock = json!({"white": 5391, "black": 5400, "run": false, "time": 1_795_266_132_411_i64});
    let expected = json!({"serialnr": "24012", "source": "/dev/ttyACM0", "state": "ACTIVE", "battery": "84%", "comment": null,
                          "board": board.placement(), "flipped": false, "clock": clock});
    assert_eq!(shown, expected);
    // The pairing whose board nobody has heard is there too.
    assert_eq!(board_of(api, "b2")["state"], "NOTRESPONDING");
    assert_eq!(json(api, &format!("/api/v1.0/tournament/{UUID}"))["eboards"], json!(["24012", "b2"]));
    let round = json(api, &format!("/api/v1.0/round/{UUID}/4"));
    let pairing = &round["pairings"][0];
    assert_eq!((&pairing["white"]["lname"], &pairing["live"], &pairing["nr"]), (&json!("Beispiel"), &json!(true), &json!(1)));
    let game = json(api, &format!("/api/v1.0/game/{}", pairing["uuid"].as_str().expect("a uuid")));
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(3), "{game}");
    // A feed has positions and times, and no line of moves.
    let mut client = Client::open(api, None).unwrap_or_else(|answer| panic!("{answer}"));
    let subscribe = r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"24012"}}}"#;
    assert_eq!(client.call(subscribe)["response"], "call");
    assert_eq!(client.event()["board"], json!(board.placement()));
    let set_up =
        format!(r#"{{"id":3,"call":"call","param":{{"id":1,"method":"setup","param":{{"fen":"{START} w KQkq - 0 1"}}}}}}"#);
    let refused = client.call(&set_up);
    let why = refused["param"]["message"].as_str().unwrap_or_default();
    assert!(refused["response"] == "error" && why.contains("only at the board's own machine"), "{refused}");
    board.play(1);
    board.publish_live(port);
    assert_eq!(client.event()["board"], json!(board.placement()));
    publish_clock(port, "b1", 5_380_000);
    assert_eq!(client.event()["clock"]["white"], 5380);
    let refused = request(api, "GET", "/api/v1.0/eboards", "Origin: https://evil.example\r\n");
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    broker.kill();
    wait_until("nobody knows", PATIENCE, || board_of(api, "24012")["state"] == "NOTRESPONDING");
    assert_eq!(client.call(r#"{"id":4,"call":"eboards"}"#)["param"][0]["board"], json!(board.placement()));
    let log = collector.stop("-TERM");
    assert!(!log.contains("panicked"), "{log}");
}

/// In one process with the daemon there is one API: its own boards as they stand, those of other machines from the broker.
#[test]
fn own_boards_and_others_are_at_one_port() {
    let broker = Mosquitto::start();
    let (port, api) = (broker.port(), free_address());
    let rig = Rig::new(port, "", &[Seat { id: "b1", time_control: "300" }]);
    let store = rig.config().with_file_name("store");
    rig.add(&format!("[livechess]\nenabled = true\nlisten = [\"{api}\"]\n[collect]\nenabled = true\ndir = {store:?}\n"));
    let hall = CollectHall::new(port, "pi-9", "");
    hall.publish_event();
    publish(port, "flagfall/1/node/pi-7/status", r#"{"boot":1,"body":{"state":"ready"}}"#, &["-r"]);
    let device = json!({"state": "online", "kind": "board", "transport": "ble", "serial": "7007", "board": "open26/5/b2"});
    publish(port, "flagfall/1/device/dgt-7007/status", &json!({"node": "pi-7", "body": device}).to_string(), &["-r"]);
    let mut other = Published::new("b2", 2);
    other.play(5);
    other.publish_live(port);
    let _board = rig.board("b1", game(1).settings(101), 1.0);
    let daemon = rig.start();
    wait_for_listener(api);
    wait_until("both boards", PATIENCE, || {
        board_of(api, "7007")["board"] == json!(other.placement()) && board_of(api, "00101")["board"] == START
    });
    assert_eq!(json(api, "/api/v1.0/eboards").as_array().map(Vec::len), Some(2));
    assert_eq!(json(api, &format!("/api/v1.0/tournament/{UUID}"))["eboards"], json!(["00101", "7007"]));
    let mut client = Client::open(api, None).unwrap_or_else(|answer| panic!("{answer}"));
    for (feed, serial, response) in [(1, "00101", "call"), (2, "7007", "error")] {
        let subscribe = format!(r#"{{"id":1,"call":"subscribe","param":{{"id":{feed},"param":{{"serialnr":"{serial}"}}}}}}"#);
        client.send(&subscribe);
        let set_up = format!(
            r#"{{"id":"set up","call":"call","param":{{"id":{feed},"method":"setup","param":{{"fen":"{START} w KQkq - 0 1"}}}}}}"#
        );
        client.send(&set_up);
        let mut answer = client.receive().expect("an answer");
        while answer["id"] != "set up" {
            answer = client.receive().expect("an answer");
        }
        assert_eq!(answer["response"], response, "{serial}: {answer}");
    }
    assert!(daemon.terminate().0.success());
}
