//! The collector as a process: nodes and a broker in front of it, files behind it.

mod hall;
mod nodes;
mod reader;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

pub(crate) use self::hall::{CollectHall, Published};
pub(crate) use self::reader::{Read, Watch, plies, plies_by_board, shorter};
use crate::program::{run, text};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub, publish};
use crate::support::ports::free_address;
use crate::support::schemas::keeps_to;
use crate::support::waiting::{PATIENCE, wait_until};

/// The collector is killed five times and the broker once while two games grow; no file is ever shorter than before, and in the end they
/// are what `outputs::pgn` makes of the states.
#[test]
fn files_only_grow_over_kills_of_collector_and_broker() {
    let mut broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "pi-9", "");
    let mut boards = [Published::new("b1", 1), Published::new("b2", 2)];
    let port = broker.port();
    let greet = |boards: &[Published]| {
        hall.publish_event();
        boards.iter().for_each(|board| board.publish(port));
    };
    greet(&boards);
    let games = hall.games();
    let watch = Watch::start(games.clone());
    let mut collector = hall.start();
    for step in 0..5 {
        for board in &mut boards {
            board.play(4);
            board.publish(port);
        }
        if step % 2 == 0 {
            hall.wait_for(&boards);
        }
        drop(collector);
        // Moves that are made while it is away.
        boards[0].play(1);
        boards[0].publish(port);
        collector = hall.start();
    }
    hall.wait_for(&boards);
    broker.kill();
    broker.run();
    boards[1].play(3);
    greet(&boards);
    hall.wait_for(&boards);
    // The broker has the games a moment after the files have them.
    let (topic, whole) = ("flagfall/1/public/open26/5/pgn", hall.expected(&boards));
    let all_games = |received: MosquittoMessage| (received.topic == topic && received.payload == whole).then_some(received);
    MosquittoSub::new(port, &[topic]).wait("the PGN of the round", all_games);
    drop(collector);
    assert_eq!(watch.stop().faults, Vec::<String>::new(), "no game was ever shorter");
    assert_eq!(std::fs::read_to_string(&games).expect("a file"), whole);
    let retained = MosquittoSub::new(port, &[topic]).wait("what the broker keeps", all_games);
    assert_eq!(retained.content_type, "application/x-chess-pgn");
    let names = ["game-1.json", "game-1.pgn", "game-2.json", "game-2.pgn", "games.pgn", "index.json"];
    assert_eq!(hall::names(games.parent().expect("a folder")), names);
    let game: Value = hall.json("round-5/game-1.json");
    assert_eq!((game["moves"].as_array().map(Vec::len), &game["live"]), (Some(boards[0].plies()), &json!(true)));
    let index: Value = hall.json("round-5/index.json");
    assert_eq!(index["pairings"][0]["white"]["fideid"], json!(99_000_001));
    let tournament: Value = hall.json("tournament.json");
    assert_eq!(tournament["rounds"][4], json!({"count": 2, "live": 2}));
    is_private(&hall.path("store"));
    // A start while the broker is away serves what is in the store.
    broker.kill();
    let pages = free_address();
    hall.add_lines(&format!("[http]\nlisten = \"{pages}\"\n"));
    let _collector = hall.start();
    let page = || ureq::get(format!("http://{pages}/open26/round-5/games.pgn")).call().ok()?.body_mut().read_to_string().ok();
    wait_until("the games of the store", PATIENCE, || page().is_some_and(|text| plies(&text) == plies(&whole)));
}

/// Other users of the machine cannot read anything in this folder.
fn is_private(folder: &Path) {
    let entries: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")).collect();
    assert!(!entries.is_empty());
    for entry in entries {
        let mode = entry.metadata().expect("it is there").permissions().mode() & 0o777;
        if entry.path().is_dir() {
            is_private(&entry.path());
        } else {
            assert_eq!(mode, 0o600, "{:?}", entry.path());
        }
    }
}

/// One output cannot write; its status says so, and the other goes on. At a clean stop the statuses are deleted.
#[test]
fn an_output_that_fails_says_so_and_the_others_go_on() {
    let broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "pi-9", "");
    // A file has the name of the event's folder.
    std::fs::create_dir(hall.path("no-folder")).expect("a folder");
    std::fs::write(hall.path("no-folder/open26"), "a file").expect("written");
    hall.add_output("broken", "files", &hall.path("no-folder"), "");
    hall.add_output(
        "hook",
        "command",
        &hall.path("hook"),
        "command = [\"/bin/sh\", \"-c\", \"cp $0 $1/copied\", \"{games}\", \"{dir}\"]\n",
    );
    hall.publish_event();
    let mut board = Published::new("b1", 1);
    board.play(3);
    board.publish(broker.port());
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/node/#"]);
    let collector = hall.start();
    let state = |name: &str, state: &'static str| {
        let topic = format!("flagfall/1/node/pi-9-collect/output/{name}");
        let found = subscriber.wait(&format!("{name} is {state}"), |received| {
            (received.topic == topic && received.body()["state"] == state).then_some(received)
        });
        assert_eq!(keeps_to("node.output", &found.json), Ok(()));
        found.body().clone()
    };
    let broken = state("broken", "retrying");
    assert!(broken["message"].as_str().is_some_and(|message| message.contains("no-folder")), "{broken}");
    let hall_boards = [board];
    hall.wait_for(&hall_boards);
    wait_until("the hook has run", PATIENCE, || hall.path("hook/open26/round-5/copied").exists());
    assert_eq!(collector.stop("-TERM").lines().filter(|line| line.contains("panicked")).count(), 0);
    let own = |message: &MosquittoMessage| message.topic.starts_with("flagfall/1/node/pi-9-collect/");
    let last = subscriber.until("its end", |received| own(received) && received.body()["state"] == "stopped");
    let deleted = |name: &str| {
        last.iter().any(|received| received.topic.ends_with(&format!("output/{name}")) && received.payload.is_empty())
    };
    assert!(["tree", "broken", "hook"].into_iter().all(deleted), "{last:#?}");
}

/// Nothing that a node or the organiser may publish leads out of the folder or ends the collector.
#[test]
fn hostile_messages_are_counted_and_nothing_leaves_the_folder() {
    let broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "pi-9", "");
    let port = broker.port();
    hall.publish_event();
    // Nobody has said who plays, so the names are those of the states. Board b4 has no pairing.
    let pairing = |number: u32| json!({"board": format!("b{number}"), "number": number});
    let boards: Vec<Value> = (1..=3).map(pairing).collect();
    let round = json!({"v": "1.1", "type": "meta.round", "rev": 2, "body": {"number": 5, "boards": boards}});
    publish(port, "flagfall/1/meta/open26/5", &round.to_string(), &["-r"]);
    let subscriber = MosquittoSub::new(port, &["flagfall/1/node/pi-9-collect/status"]);
    let mut collector = hall.start();
    // The broker keeps none of these messages: only a collector that has subscribed gets them.
    subscriber.wait("the collector is ready", |received| (received.body()["state"] == "ready").then_some(()));
    let initial = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let state = |moves: Value| {
        let body = json!({"game_no": 1, "initial_fen": initial, "moves": moves, "result": null,
                          "players": {"white": {"name": "../../../etc/passwd\u{0}\n[Event \"x\"]"}}});
        json!({"game": "../../x", "rev": 1, "node": "../n", "boot": 1, "body": body}).to_string()
    };
    let good = state(json!([]));
    let illegal = state(json!([{"san": "Ke8", "white_ms": null, "black_ms": null}]));
    for (topic, payload) in [
        ("public/open26/../b1/state", good.as_str()),
        ("public/open26/%2e%2e/b1/state", &good),
        ("public/open26/5/B1/state", &good),
        ("public/open26/5//state", &good),
        ("public/open26/5/b1/state", "null"),
        ("public/open26/5/b1/state", "{\"game\":7}"),
        ("public/open26/5/b1/state", "\u{1}\u{0}"),
        ("public/open26/5/b1/state", &good.replace("\"boot\":1", "\"boot\":-1")),
        ("public/open26/5/b1/state", &format!("{good}{}", " ".repeat(256 << 10))),
        ("public/open26/5/b2/state", &illegal),
        ("public/open26/5/b4/state", &good),
        ("public/open26/5/b3/state", &good),
        ("meta/open26/..", &good),
        ("meta/open26", "[]"),
        (
            "meta/open26",
            "{\"v\":\"1.1\",\"type\":\"meta.event\",\"rev\":99,\"body\":{\"uuid\":\"../x\",\"name\":\"\",\"rounds\":1,\"round\":\"..\"}}",
        ),
        (
            "meta/open26/5",
            "{\"v\":\"1.1\",\"type\":\"meta.round\",\"rev\":99,\"body\":{\"number\":5,\"boards\":[{\"board\":\"../../x\",\"number\":1}]}}",
        ),
        ("node/../status", "[]"),
        ("node/x/info", "{\"body\":{\"boards\":{},\"collects\":[1,\"open26\"]}}"),
    ] {
        publish(port, &format!("flagfall/1/{topic}"), payload, &[]);
    }
    collector.wait_for_line("is not used");
    the_problems_are_shown(&hall, port);
    let mut board = Published::new("b1", 1);
    board.play(2);
    board.publish(port);
    wait_until("the good board", PATIENCE, || plies_by_board(&hall.games()).get(&1) == Some(&2));
    wait_until("all boards", PATIENCE, || std::fs::read_to_string(hall.games()).is_ok_and(|text| text.contains("-b3\"]")));
    assert_eq!(hall::names(&hall.path("tree")), ["open26"]);
    // A file is under another name while it is written.
    let names = || hall::names(&hall.path("tree/open26"));
    wait_until("the folder of the event", PATIENCE, || names() == ["round-5", "tournament.json"]);
    let text = std::fs::read_to_string(hall.games()).expect("a file");
    assert!(!text.contains("-b4\"]"), "{text}");
    assert!(!text.contains("Ke8") && text.contains("[White \"../../../etc/passwd [Event 'x']\"]"), "{text}");
    let rest = collector.stop("-TERM");
    assert!(rest.contains("unreadable=") && !rest.contains("panicked"), "{rest}");
}

/// What cannot be used of the organiser's messages is in the collector's info, and people see it.
fn the_problems_are_shown(hall: &CollectHall, port: u16) {
    let subscriber = MosquittoSub::new(port, &["flagfall/1/node/pi-9-collect/info"]);
    let info = subscriber.wait("both problems", |received| {
        (received.body()["problems"].as_array().is_some_and(|problems| problems.len() == 2)).then_some(received)
    });
    assert_eq!(keeps_to("node.info", &info.json), Ok(()));
    let config = hall.path("organiser.toml");
    std::fs::write(&config, format!("node.name = \"pi-9\"\n[mqtt]\nport = {port}\n")).expect("written");
    let status = run(&["event", "status", "--config", text(&config)]);
    let said = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(!status.status.success() && said.contains("not used"), "{said}");
    let doctor = String::from_utf8_lossy(&run(&["doctor", "--config", text(&config)]).stdout).into_owned();
    for said in [said, doctor] {
        assert!(
            said.contains("meta/open26 is not used") && said.contains("meta/open26/5 is not used: `boards[0].board`"),
            "{said}"
        );
    }
}

/// A second collector of the event sends nothing while the first one is there.
#[test]
fn a_second_collector_withholds() {
    let broker = Mosquitto::start();
    let (first, second) =
        (CollectHall::new(broker.port(), "pi-2", ""), CollectHall::new(broker.port(), "pi-1", "standby = true\n"));
    first.publish_event();
    let mut board = Published::new("b1", 1);
    board.play(2);
    board.publish(broker.port());
    // A machine with boards says that it sends the games: it is no collector.
    for (leaf, body) in [("status", json!({"state": "ready"})), ("info", json!({"boards": [], "collects": ["open26/5"]}))] {
        let claim = json!({"v": "1.2", "type": format!("node.{leaf}"), "node": "pi-0", "boot": 1, "body": body});
        publish(broker.port(), &format!("flagfall/1/node/pi-0/{leaf}"), &claim.to_string(), &["-r"]);
    }
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/node/#"]);
    let _one = first.start();
    let boards = [board];
    first.wait_for(&boards);
    subscriber.wait("the first is ready", |received| {
        (received.topic == "flagfall/1/node/pi-2-collect/status" && received.body()["state"] == "ready").then_some(())
    });
    let _two = second.start();
    let off = subscriber.wait("the second is off", |received| {
        (received.topic == "flagfall/1/node/pi-1-collect/output/tree" && received.body()["state"] == "off").then_some(received)
    });
    assert!(off.body()["message"].as_str().is_some_and(|message| message.contains("pi-2-collect")), "{off:?}");
    assert!(!second.games().exists());
}

/// The same store cannot have two collectors, and a wrong output is named with file, line and key.
#[test]
fn a_start_that_cannot_work_says_why() {
    let broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "pi-9", "");
    let mut first = hall.start();
    first.wait_for_line("collector has started");
    let (code, said) = hall.start().wait_for_end();
    assert!(code == Some(1) && said.contains("another collector"), "{code:?} {said}");
    hall.add_output("bad", "command", Path::new("/tmp/x"), "boards = \"9-1\"\n");
    let (code, said) = hall.start().wait_for_end();
    assert!(code == Some(78) && said.contains(":17:") && said.contains("output.bad.boards"), "{code:?} {said}");
}
