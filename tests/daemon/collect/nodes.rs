//! Real nodes with emulated boards in front of the collector.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::emulate::games::game;
use flagfall_hardware::emulator::script::Script;
use serde_json::json;

use super::hall::{CollectHall, names};
use super::reader::plies_by_board;
use crate::rig::{Rig, Seat};
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_address;
use crate::support::seconds::assert_within;
use crate::support::waiting::{PATIENCE, wait_until};
use crate::watch::Watch;

const FOOLS_MATE: &str = "0.5 run\n1.0 move f2 f3\n1.6 press left\n2.1 move e7 e5\n2.7 press right\n3.2 move g2 g4\n3.8 press left\n\
                          4.3 move d8 h4\n";

/// Two nodes with a board each, one of them with the collector inside: the files have both games, with the players of the nodes.
#[test]
fn two_nodes_and_a_collector_inside_one_of_them() {
    let broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "unused", "");
    let rigs = ["b1", "b2"].map(|id| Rig::new(broker.port(), "", &[Seat { id, time_control: game(1).time_control }]));
    let config = std::fs::read_to_string(rigs[1].config()).expect("a configuration");
    std::fs::write(rigs[1].config(), config.replace("pi-1", "pi-2")).expect("written");
    rigs[1].add(&format!(
        "[collect]\nenabled = true\ndir = {:?}\n[[output]]\nname = \"tree\"\nkind = \"files\"\ndir = {:?}\nsplit = false\n",
        hall.path("store"),
        hall.path("tree")
    ));
    let watch = Watch::new(broker.port());
    let boards = [rigs[0].board("b1", game(1).settings(101), 1.0), rigs[1].board("b2", game(1).settings(102), 1.0)];
    let daemons = [rigs[0].start(), rigs[1].start()];
    for id in ["b1", "b2"] {
        watch.on(&format!("flagfall/1/arbiter/open26/5/{id}/state"), "armed", |json| json["body"]["stage"] == "armed");
    }
    watch.on("flagfall/1/node/pi-2-collect/info", "collects", |json| json["body"]["collects"] == json!(["open26/5"]));
    for board in &boards {
        board.load(&Script::parse(FOOLS_MATE).expect("a script")).expect("it runs");
    }
    wait_until("both games", PATIENCE, || plies_by_board(&hall.games()) == BTreeMap::from([(1, 4), (2, 4)]));
    let text = std::fs::read_to_string(hall.games()).expect("a file");
    for part in ["[White \"Wilhelmina\"]", "[WhiteFideId \"99000001\"]", "[Round \"5.1\"]", "[Round \"5.2\"]", "[Result \"0-1\"]"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(names(&hall.path("tree/open26/round-5")), ["games.pgn", "index.json"]);
    for daemon in daemons {
        let (status, _) = daemon.terminate();
        assert!(status.success(), "{status}");
    }
    watch.on("flagfall/1/node/pi-2-collect/status", "its end", |json| json["body"]["state"] == "stopped");
}

/// The collector at the broker inside the same program.
#[test]
fn one_program_with_broker_node_and_collector() {
    let address = free_address();
    let hall = CollectHall::new(address.port(), "unused", "");
    let rig = Rig::new(address.port(), "", &[Seat { id: "b1", time_control: game(1).time_control }]);
    rig.add(&format!(
        "[broker]\nenabled = true\ntcp = \"{address}\"\n[collect]\nenabled = true\ndir = {:?}\n[[output]]\nname = \"tree\"\n\
         kind = \"files\"\ndir = {:?}\n",
        hall.path("store"),
        hall.path("tree")
    ));
    let board = rig.board("b1", game(1).settings(101), 1.0);
    let daemon = rig.start();
    wait_until("a game without moves", PATIENCE, || hall.games().exists());
    board.load(&Script::parse(FOOLS_MATE).expect("a script")).expect("it runs");
    wait_until("the game", PATIENCE, || plies_by_board(&hall.games()) == BTreeMap::from([(1, 4)]));
    let (status, took) = daemon.terminate();
    assert!(status.success(), "{status} {took:?}");
    assert_within(took, Duration::from_secs(10), "the program ends");
    assert!(rig.log().contains("the collector has stopped"), "{}", rig.log());
}
