//! A round with pairings at a node with more boards than games: a board without a pairing is for arbiters only, until it is paired
//! (`wire/README.md#7.1`). The organiser's tool, mosquitto and the node are real.

use std::process::Command;

use flagfall::emulate::games::game;
use flagfall::system_clock::monotonic;
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::live_and_public::arrived_after;
use crate::rig::{Rig, Seat};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub, publish};
use crate::watch::Watch;

const ONE: &str = "board,white,black\n1,Anna,Ben\n";
const BOTH: &str = "board,white,black\n1,Anna,Ben\n2,Clara,Dan\n";

struct Organiser(TempDir);

impl Organiser {
    fn new(port: u16) -> Organiser {
        let organiser = Organiser(tempfile::tempdir().expect("a folder"));
        std::fs::write(organiser.0.path().join("organiser.toml"), format!("[mqtt]\nport = {port}\n")).expect("a file");
        organiser.done(&["new", "open26", "--name", "Open", "--rounds", "9", "--delay", "1"]);
        organiser
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
        let output = command.current_dir(self.0.path()).env_clear().arg("event").args(words).output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    }

    #[track_caller]
    fn done(&self, words: &[&str]) {
        let (code, said) = self.run(words);
        assert_eq!(code, Some(0), "{words:?}: {said}");
    }

    /// Publishes these pairings of the first round.
    fn pair(&self, pairings: &str) {
        std::fs::write(self.0.path().join("round.csv"), pairings).expect("a file");
        self.done(&["import", "round.csv", "--round", "1", "--yes"]);
        self.done(&["publish", "--config", "organiser.toml"]);
    }

    fn ready(&self) -> Value {
        let (_, said) = self.run(&["ready", "--json", "--config", "organiser.toml"]);
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"))
    }
}

fn topic(audience: &str, board: u32, rest: &str) -> String {
    format!("flagfall/1/{audience}/open26/1/{board}/{rest}")
}

fn sans(body: &Value) -> Vec<&str> {
    body["moves"].as_array().into_iter().flatten().filter_map(|mv| mv["san"].as_str()).collect()
}

/// What is published of board 2 to others than arbiters, but deletions.
fn published(watch: &Watch) -> Vec<MosquittoMessage> {
    let others = |received: &MosquittoMessage| {
        let place = ["live", "public"].into_iter().any(|audience| received.topic.starts_with(&topic(audience, 2, "")));
        place && !received.payload.is_empty()
    };
    watch.all().into_iter().filter(others).collect()
}

#[test]
fn a_board_without_a_pairing_is_for_arbiters_only() {
    let broker = Mosquitto::start();
    let port = broker.port();
    let organiser = Organiser::new(port);
    let (code, said) = organiser.run(&["ready", "--config", "organiser.toml"]);
    assert!(code == Some(1) && said.contains("no pairings") && said.contains("every board that is on is broadcast"), "{said}");
    organiser.pair(ONE);
    let rig = Rig::new(port, "from_meta = true", &["1", "2"].map(|id| Seat { id, time_control: game(1).time_control }));
    let watch = Watch::new(port);
    let boards = [("1", 101), ("2", 102)].map(|(id, serial)| rig.board(id, game(1).settings(serial), 1.0));
    let daemon = rig.start();
    for board in [1, 2] {
        watch.on(&topic("arbiter", board, "state"), "armed", |json| json["body"]["stage"] == "armed");
    }
    // A pairing and skittles.
    let moves = "0.5 run\n1.0 move e2 e4\n1.6 press left\n2.2 move e7 e5\n2.8 press right\n";
    for board in &boards {
        board.load(&Script::parse(moves).expect("a script")).expect("it runs");
    }
    watch.on(&topic("public", 1, "state"), "the round's game", |json| sans(&json["body"]) == ["e4", "e5"]);
    let skittles = watch.on(&topic("arbiter", 2, "state"), "skittles", |json| sans(&json["body"]) == ["e4", "e5"]);
    assert_eq!((&skittles["body"]["unpublished"], skittles["body"].get("players")), (&json!("no_pairing"), None));
    assert!(published(&watch).is_empty(), "{:?}", published(&watch));
    let report = organiser.ready();
    assert_eq!(report["notes"], json!(["boards without a pairing, which only arbiters see: 2"]));
    assert_eq!(report["problems"], json!([]));

    // It is paired while the game goes on: the public gets the whole game after the delay.
    let paired = monotonic();
    organiser.pair(BOTH);
    let live = watch.on(&topic("live", 2, "state"), "the whole game", |json| sans(&json["body"]) == ["e4", "e5"]);
    assert_eq!(live["body"]["players"]["white"]["name"], "Clara");
    let public = watch.on(&topic("public", 2, "state"), "the whole game", |json| sans(&json["body"]) == ["e4", "e5"]);
    assert_eq!(public["body"]["players"]["white"]["name"], "Clara");
    // The delay begins with the start that knows the pairing, not when the live audience gets the state over the new connection.
    let first = published(&watch).into_iter().find(|received| received.topic == topic("public", 2, "state")).expect("a state");
    let (shown, known) = (arrived_after(&first), first.at.since(paired));
    assert!(shown >= 1_000_000 && known.as_secs() >= 1, "the public is early: {shown} µs, {known:?} after the pairing");
    boards[1].load(&Script::parse("0.5 move g1 f3\n1.1 press left\n").expect("a script")).expect("it runs");
    watch.on(&topic("public", 2, "state"), "the next move", |json| sans(&json["body"]) == ["e4", "e5", "Nf3"]);

    // The pairing was a mistake: the broker retains nothing for others than arbiters.
    organiser.pair(ONE);
    watch.wait("the deletions", |all| {
        let deleted = |audience: &str, rest: &str| {
            all.iter().rfind(|received| received.topic == topic(audience, 2, rest)).is_some_and(|last| last.payload.is_empty())
        };
        let all = ["live", "public"].into_iter().all(|audience| deleted(audience, "state") && deleted(audience, "pgn"));
        all.then_some(())
    });
    let known = published(&watch).len();
    boards[1].load(&Script::parse("0.5 move b8 c6\n1.1 press right\n").expect("a script")).expect("it runs");
    watch.on(&topic("arbiter", 2, "state"), "the next move", |json| sans(&json["body"]) == ["e4", "e5", "Nf3", "Nc6"]);
    assert_eq!(published(&watch).len(), known);
    let (status, _) = daemon.terminate();
    assert!(status.success(), "{status}");
    let retained = MosquittoSub::new(port, &["flagfall/1/live/#", "flagfall/1/public/#", "end"]);
    publish(port, "end", "-", &[]);
    retained.wait("all that is retained", |received| {
        assert!(!received.topic.contains("/open26/1/2/"), "{received:?}");
        (received.topic == "end").then_some(())
    });

    // A node that does not follow the pairings publishes whatever its file says, and the organiser reads which one it is.
    publish(port, "flagfall/1/node/pi-9/status", r#"{"body":{"state":"ready"}}"#, &["-r"]);
    publish(port, "flagfall/1/node/pi-9/info", r#"{"body":{"boards":["open26/1/7"]}}"#, &["-r"]);
    publish(port, &topic("live", 7, "state"), r#"{"body":{"moves":[]}}"#, &["-r"]);
    let problem = "board 7 has no pairing and is published, because its node pi-9 does not follow the pairings (event.from_meta)";
    assert_eq!(organiser.ready()["problems"], json!([problem]));
}
