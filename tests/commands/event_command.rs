//! `flagfall event` as an organiser types it, with a real mosquitto.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::config_commands::program::{Ran, flagfall_in};
use crate::support::mqtt::{Mosquitto, MosquittoSub, publish};

const ROUND_1: &str = "[Event \"x\"]\n[Round \"1.1\"]\n[White \"Beispiel, Anna\"]\n[Black \"Muster, Ben\"]\n[WhiteFideId \"99000001\"]\n[BlackFideId \"99000002\"]\n\n*\n\n[Round \"1.2\"]\n[White \"Dupont, Élodie\"]\n[Black \"Müller, Jörg\"]\n[WhiteFideId \"99000003\"]\n[BlackFideId \"99000004\"]\n\n*\n";
pub(crate) const CONFIG: &str = "--config";

/// Runs a command of the event in a folder.
pub(crate) fn event(folder: &Path, words: &[&str]) -> Ran {
    let words: Vec<&str> = ["event"].into_iter().chain(words.iter().copied()).collect();
    flagfall_in(folder, &words, &[])
}

/// The same, which must do its work.
#[track_caller]
pub(crate) fn done(folder: &Path, words: &[&str]) -> String {
    let ran = event(folder, words);
    assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
    ran.out
}

/// The same, which must refuse with these words and change nothing.
#[track_caller]
pub(crate) fn refused(folder: &Path, words: &[&str], why: &str) {
    let before = fs::read(folder.join("open26.json")).ok();
    let ran = event(folder, words);
    assert_ne!(ran.code, Some(0), "{words:?}: {}", ran.out);
    assert!(ran.err.contains(why), "{words:?}: {}", ran.err);
    assert_eq!(fs::read(folder.join("open26.json")).ok(), before, "{words:?}");
}

/// A folder with an event whose round 1 is imported.
pub(crate) fn with_round_1() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("round1.pgn"), ROUND_1).expect("a file");
    let more = "--rounds 9 --time-control 5400+30 --site Utrecht --country ned --delay 900";
    let new: Vec<&str> = ["new", "open26", "--name", "Example Open"].into_iter().chain(more.split(' ')).collect();
    done(folder.path(), &new);
    done(folder.path(), &["import", "round1.pgn"]);
    folder
}

/// Writes the organiser's login for this broker.
pub(crate) fn login(folder: &Path, port: u16) {
    fs::write(folder.join("o.toml"), format!("[mqtt]\nport = {port}\n")).expect("a file");
}

fn file(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("open26.json")).expect("the event")).expect("JSON")
}

#[test]
fn an_event_is_made_once_with_possible_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let new = |id: &'static str, more: &[&'static str]| -> Vec<&'static str> {
        ["new", id, "--name", "x", "--rounds"].into_iter().chain(more.iter().copied()).collect()
    };
    refused(folder.path(), &new("Open 26", &["9"]), "the id \"Open 26\"");
    refused(folder.path(), &new("open26", &["0"]), "`rounds` is 0");
    refused(folder.path(), &new("open26", &["9", "--time-control", "90min"]), "--time-control 90min");
    refused(folder.path(), &new("open26", &["9", "--profile", "chess"]), "--profile chess");
    refused(folder.path(), &new("open26", &["9", "--country", "Holland"]), "--country");
    refused(folder.path(), &new("open26", &["9", "--delay", "90000"]), "`delay` is 90000");
    refused(folder.path(), &["import", "x.pgn"], "no event here");
    done(folder.path(), &new("open26", &["9"]));
    refused(folder.path(), &new("open26", &["9"]), "is there already");
}

#[test]
fn an_import_shows_its_changes_and_is_whole_or_nothing() {
    let folder = with_round_1();
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    let pairing = &file(folder)["rounds"]["1"]["boards"][1];
    assert_eq!((&pairing["board"], &pairing["white"]["name"]), (&"2".into(), &"Dupont, Élodie".into()));

    write("broken.pgn", &ROUND_1.replace("[WhiteFideId \"99000003\"]", "[WhiteFideId \"99000001\"]"));
    refused(folder, &["import", "broken.pgn"], "broken.pgn:10: White: the player 99000001 of FIDE");
    write("table.xyz", ROUND_1);
    refused(folder, &["import", "table.xyz"], "choose one with --format");
    refused(folder, &["import", "nothing.pgn"], "nothing.pgn");
    write("late.csv", "round,board,white,black\n10,1,Anna,Ben\n");
    refused(folder, &["import", "late.csv"], "the event has 9 rounds");

    write("changed.pgn", &ROUND_1.replace("Müller, Jörg", "Neuman, Ida").replace("99000004", "99000005"));
    let shown = done(folder, &["import", "changed.pgn", "--dry-run"]);
    assert!(shown.contains("same       1  Beispiel, Anna - Muster, Ben"), "{shown}");
    assert!(
        shown.contains("changed    2  Dupont, Élodie - Neuman, Ida") && shown.contains("was Dupont, Élodie - Müller, Jörg"),
        "{shown}"
    );
    assert_eq!(file(folder)["rounds"]["1"]["boards"][1], *pairing, "a dry run changes nothing");

    // Board 2 alone; board 1 stays.
    write("part.csv", "board,white,black\n1,A B,C D\n2,E F,G H\n");
    done(folder, &["import", "part.csv", "--round", "1", "--boards", "2"]);
    let boards = &file(folder)["rounds"]["1"]["boards"];
    assert_eq!((&boards[0]["white"]["name"], &boards[1]["white"]["name"]), (&"Beispiel, Anna".into(), &"E F".into()));
    assert_eq!(boards[1].get("replaced"), None, "nothing is published yet");
}

#[test]
fn devices_are_bound_and_stay_on_their_boards() {
    let folder = with_round_1();
    let folder = folder.path();
    refused(folder, &["bind", "1"], "each BOARD needs its DEVICE");
    refused(folder, &["bind", "7", "dgt-1"], "no board \"7\"");
    refused(folder, &["bind", "1", "dgt/1"], "dgt/1");
    refused(folder, &["bind", "1", "dgt-1", "2", "dgt-1"], "the boards 1 and 2");
    let shown = done(folder, &["bind", "1", "dgt-11", "2", "dgt-12"]);
    assert!(shown.contains("* board    1  dgt-11"), "{shown}");
    done(folder, &["bind", "2", "none"]);
    fs::write(folder.join("round2.pgn"), ROUND_1.replace("Round \"1.", "Round \"2.")).expect("a file");
    done(folder, &["import", "round2.pgn"]);
    let boards = &file(folder)["rounds"]["2"]["boards"];
    assert_eq!((&boards[0]["device"], boards[1].get("device")), (&"dgt-11".into(), None));
}

#[test]
fn what_is_published_is_retained_and_makes_the_file_again() {
    let Some(broker) = Mosquitto::with_files("listener TCP 127.0.0.1\nallow_anonymous true", &[]) else { return };
    let folder = with_round_1();
    let here = folder.path();
    login(here, broker.port());
    let out = done(here, &["publish", CONFIG, "o.toml"]);
    assert!(out.contains("2 boards") && out.contains("Published as number 1"), "{out}");
    let sub = MosquittoSub::new(broker.port(), &["flagfall/1/meta/#"]);
    let sent = sub.wait("the round", |message| (message.topic == "flagfall/1/meta/open26/1").then_some(message));
    assert_eq!((sent.qos, sent.json["type"].as_str(), sent.json["rev"].as_u64()), (1, Some("meta.round"), Some(1)));
    assert_eq!(sent.body()["boards"][0]["white"], json!({"name": "Beispiel, Anna", "fide_id": 99000001}));

    // The next round is current only when it has pairings.
    refused(here, &["round", "2", CONFIG, "o.toml"], "round 2 has no pairings");
    fs::write(here.join("round2.pgn"), ROUND_1.replace("Round \"1.", "Round \"2.")).expect("a file");
    done(here, &["import", "round2.pgn"]);
    done(here, &["round", "2", "--force", CONFIG, "o.toml"]);
    let is_event = |message: &crate::support::mqtt::MosquittoMessage| message.topic == "flagfall/1/meta/open26";
    let changed = sub.wait("the event", |message| (is_event(&message) && message.json["rev"] == 2).then_some(message));
    assert_eq!((&changed.body()["round"], &changed.body()["force"]), (&"2".into(), &true.into()));
    assert_eq!((&changed.body()["delay"], &changed.body()["country"]), (&900.into(), &"NED".into()));

    refused(here, &["round", "1", CONFIG, "o.toml"], "round 1 was left");

    // What the arbiter or the operator asks of single boards and outputs.
    done(here, &["result", "2", "-/+", CONFIG, "o.toml"]);
    refused(here, &["result", "2", "2-0", CONFIG, "o.toml"], "\"2-0\" is none of");
    refused(here, &["lichess", "round-1", CONFIG, "o.toml"], "8 letters and digits");
    done(here, &["lichess", "abcd1234", CONFIG, "o.toml"]);
    done(here, &["retry", "lichess", CONFIG, "o.toml"]);
    refused(here, &["reset", "lichess", CONFIG, "o.toml"], "--yes");
    done(here, &["reset", "lichess", "--yes", CONFIG, "o.toml"]);
    done(here, &["game", "1", "2", CONFIG, "o.toml"]);
    done(here, &["reset-board", "1", CONFIG, "o.toml"]);
    let last = sub.wait("the round", |message| {
        (message.topic == "flagfall/1/meta/open26/2" && message.body()["boards"][0]["reset"] == 1).then_some(message)
    });
    assert_eq!(last.body()["outputs"]["lichess"], json!({"retry": 1, "reset": 1}));
    assert_eq!(last.body()["lichess_round"], "abcd1234");
    assert_eq!((&last.body()["boards"][0]["game"], &last.body()["boards"][1]["result"]), (&2.into(), &"-/+".into()));

    // Another machine makes the file again, publishes, and then this file is refused.
    let other = tempfile::tempdir().expect("a folder");
    login(other.path(), broker.port());
    done(other.path(), &["fetch", "open26", CONFIG, "o.toml"]);
    assert_eq!(file(other.path()), file(here));
    refused(other.path(), &["fetch", "open26", CONFIG, "o.toml"], "--replace");
    refused(here, &["fetch", "other", CONFIG, "o.toml"], "nothing is published");
    done(other.path(), &["publish", CONFIG, "o.toml"]);
    refused(here, &["publish", CONFIG, "o.toml"], "event fetch open26");

    // A pairing of a round that is on needs consent, and other players are another game.
    done(here, &["fetch", "open26", "--replace", CONFIG, "o.toml"]);
    let changed =
        ROUND_1.replace("Round \"1.", "Round \"2.").replace("Müller, Jörg", "Neuman, Ida").replace("99000004", "99000005");
    fs::write(here.join("round2.pgn"), changed).expect("a file");
    refused(here, &["import", "round2.pgn"], "--yes");
    done(here, &["import", "round2.pgn", "--yes"]);
    assert_eq!(file(here)["rounds"]["2"]["boards"][1]["replaced"], 1);
}

#[test]
fn a_broker_that_is_not_there_or_refuses_is_an_error_and_the_file_stays() {
    let folder = with_round_1();
    login(folder.path(), crate::support::ports::free_port());
    refused(folder.path(), &["publish", CONFIG, "o.toml"], "(mqtt.host, mqtt.port): nothing listens there. Start the broker");
    refused(folder.path(), &["publish", CONFIG, "nothing.toml"], "nothing.toml");
    let acl = "topic read #\n";
    let lines = "listener TCP 127.0.0.1\nallow_anonymous true\nacl_file DIR/acl";
    let Some(broker) = Mosquitto::with_files(lines, &[("acl", acl)]) else { return };
    login(folder.path(), broker.port());
    let ran = event(folder.path(), &["publish", CONFIG, "o.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.contains("refuses flagfall/1/meta/open26/1: NotAuthorized"), "{}", ran.err);
}

/// Publishes what a node with both boards says.
fn play_node(port: u16, battery: [u32; 2], white_ms: u32) {
    let retain = |topic: &str, body: Value| {
        let payload = json!({"game": "open26-1-1-g1", "rev": 1, "body": body}).to_string();
        publish(port, &format!("flagfall/1/{topic}"), &payload, &["-r"]);
    };
    retain("node/pi-1/status", json!({"state": "ready"}));
    retain("node/pi-1/info", json!({"boards": ["open26/1/1", "open26/1/2"]}));
    for (board, battery) in ["1", "2"].into_iter().zip(battery) {
        let place = format!("open26/1/{board}");
        retain(
            &format!("device/dgt-{board}/status"),
            json!({"state": "online", "kind": "board", "board": place, "battery_percent": battery}),
        );
        let state = json!({
            "game_no": 1, "initial_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "moves": [], "result": null,
            "clock": {"white_ms": white_ms, "black_ms": 5_400_000}, "clock_status": "reporting",
        });
        retain(&format!("live/{place}/state"), state);
    }
}

#[test]
fn a_round_is_ready_only_if_every_board_is() {
    let Some(broker) = Mosquitto::with_files("listener TCP 127.0.0.1\nallow_anonymous true", &[]) else { return };
    let folder = with_round_1();
    let here = folder.path();
    login(here, broker.port());
    let ready = |code: i32| -> Value {
        let ran = event(here, &["ready", "--json", CONFIG, "o.toml"]);
        assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
        ran.json()
    };
    let report = ready(1);
    assert!(report["problems"][0].as_str().is_some_and(|problem| problem.contains("event publish")), "{report:#}");
    let of_board = &report["boards"][0]["problems"];
    assert_eq!(*of_board, json!(["no node serves this board", "no device is heard", "the board has published no state"]));

    done(here, &["bind", "--in-order", CONFIG, "o.toml"]);
    play_node(broker.port(), [84, 90], 5_430_000);
    let shown = done(here, &["bind", "--in-order", CONFIG, "o.toml"]);
    assert!(shown.contains("* board    1  dgt-1\n* board    2  dgt-2"), "{shown}");
    done(here, &["publish", CONFIG, "o.toml"]);
    let report = ready(0);
    assert_eq!(
        (&report["boards"][1]["device"], &report["boards"][1]["battery"], &report["boards"][1]["node"]),
        (&"dgt-2".into(), &90.into(), &"pi-1".into())
    );

    let message = |body: Value| json!({"body": body}).to_string();
    // A node that cannot use what was published says so.
    let why = "The organiser's message on flagfall/1/meta/open26/1 is not used: `rev` is 1";
    let info = "flagfall/1/node/pi-1/info";
    let boards = json!(["open26/1/1", "open26/1/2"]);
    publish(broker.port(), info, &message(json!({"boards": boards, "problems": [why]})), &["-r"]);
    assert_eq!(ready(1)["problems"], json!([format!("node pi-1: {why}")]));
    publish(broker.port(), info, &message(json!({"boards": boards})), &["-r"]);
    ready(0);
    // Each row: a message, and the problem of board 2.
    let rows = [
        (
            "device/dgt-2/status",
            json!({"state": "online", "kind": "board", "board": "open26/1/2", "battery_percent": 12}),
            "the battery has 12 %",
        ),
        (
            "device/dgt-2/status",
            json!({"state": "offline", "kind": "board", "board": "open26/1/2", "problem": "no cable"}),
            "offline: no cable",
        ),
        (
            "device/dgt-9/status",
            json!({"state": "online", "kind": "board", "board": "open26/1/2"}),
            "dgt-9 serves it, but dgt-2 is bound",
        ),
        ("node/pi-2/info", json!({"boards": ["open26/1/2"]}), ""),
        ("node/pi-2/status", json!({"state": "ready"}), "several nodes serve this board: pi-1, pi-2"),
        ("arbiter/open26/1/2/alert/7", json!({"class": "loud", "kind": "wrong_set_up"}), "the alarm 7 is open: wrong set up"),
        (
            "live/open26/1/2/state",
            json!({"moves": [], "clock": {"white_ms": 300_000}, "clock_status": "reporting"}),
            "White's clock shows 0:05:00",
        ),
        ("live/open26/1/2/state", json!({"moves": [], "clock": {}, "clock_status": "lost"}), "the clock is not heard"),
    ];
    for (topic, body, problem) in rows {
        publish(broker.port(), &format!("flagfall/1/{topic}"), &message(body), &["-r"]);
        if problem.is_empty() {
            continue;
        }
        let report = ready(1);
        let problems = report["boards"][1]["problems"].as_array().expect("problems");
        assert!(
            problems.iter().any(|found| found.as_str().is_some_and(|found| found.contains(problem))),
            "{problem}: {report:#}"
        );
        assert_eq!(report["boards"][0]["problems"], json!([]), "{report:#}");
    }
    let ran = event(here, &["ready", CONFIG, "o.toml"]);
    assert!(ran.out.contains("ready      board    1") && ran.out.contains("NOT READY  board    2"), "{}", ran.out);
}

#[test]
fn results_go_into_tables_pgn_and_the_organisers_own_report_file() {
    let Some(broker) = Mosquitto::with_files("listener TCP 127.0.0.1\nallow_anonymous true", &[]) else { return };
    let folder = with_round_1();
    let here = folder.path();
    login(here, broker.port());
    let show = |moves: Value, result: Value| {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let body = json!({"game_no": 1, "initial_fen": start, "moves": moves, "result": result});
        let state = json!({"game": "open26-1-1-g1", "rev": 4, "body": body});
        publish(broker.port(), "flagfall/1/live/open26/1/1/state", &state.to_string(), &["-r"]);
    };
    done(here, &["result", "2", "+/-", CONFIG, "o.toml"]);
    // A mate is a result in every form, also while its move is not sure.
    let untimed = |san| json!({"san": san, "white_ms": null, "black_ms": null});
    show(json!(["f3", "e5", "g4", "Qh4#"].map(untimed)), json!(null));
    for (format, result) in [("pgn", "[Result \"0-1\"]"), ("csv", "99000002,0-1\n")] {
        assert!(done(here, &["results", "--format", format, CONFIG, "o.toml"]).contains(result), "{format}");
    }
    show(json!([{"san": "e4", "white_ms": 5_390_000, "black_ms": null}, untimed("e5")]), json!("1-0"));
    let csv = done(here, &["results", "--format", "csv", CONFIG, "o.toml"]);
    assert!(csv.contains("1,1,\"Beispiel, Anna\",,,,99000001,\"Muster, Ben\",,,,99000002,1-0\n"), "{csv}");
    assert!(csv.contains(",1-0f\n"), "{csv}");
    // The table is one that the import reads.
    fs::write(here.join("results.csv"), &csv).expect("a file");
    let shown = done(here, &["import", "results.csv", "--dry-run"]);
    assert!(shown.contains("same       2  Dupont, Élodie - Müller, Jörg  +/-"), "{shown}");
    let pgn = done(here, &["results", "--format", "pgn", CONFIG, "o.toml"]);
    assert!(pgn.contains("[White \"Beispiel, Anna\"]") && pgn.contains("1. e4 {[%clk 1:29:50]") && pgn.contains("1-0"), "{pgn}");

    let line = |rank: u32, name: &str, id: u32, round: &str| {
        format!("001 {rank:>4}      {name:<33} {:>4} NED {id:>11} {:<10} {:>4} {rank:>4}  {round}", 2000, "", "0.0")
    };
    let trf = [
        "012 Example Open".to_owned(),
        line(1, "Beispiel, Anna", 99_000_001, "0002 w"),
        line(2, "Muster, Ben", 99_000_002, "0001 b  "),
        line(3, "Dupont, Élodie", 99_000_003, "0004 w  "),
        line(4, "Müller, Jörg", 99_000_004, "0003 b    0001 w  "),
    ]
    .join("\r\n")
        + "\r\n";
    // In UTF-8 and in Windows-1252 the columns of names with accents are the same characters, not the same bytes.
    let (western, _, _) = encoding_rs::WINDOWS_1252.encode(&trf);
    for bytes in [trf.as_bytes().to_vec(), western.to_vec()] {
        let path = here.join("open26.trf");
        fs::write(&path, &bytes).expect("a file");
        let words = ["results", "--format", "trf", "--into", "open26.trf", CONFIG, "o.toml"];
        done(here, &words);
        let patched = fs::read(&path).expect("the file");
        let decode = |bytes: &[u8]| match str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => encoding_rs::WINDOWS_1252.decode(bytes).0.into_owned(),
        };
        let wanted = trf
            .replace("0002 w\r", "0002 w 1\r")
            .replace("0001 b  ", "0001 b 0")
            .replace("0004 w  ", "0004 w +")
            .replace("0003 b    0001", "0003 b -  0001");
        assert_eq!(decode(&patched), wanted);
        done(here, &words);
        assert_eq!(fs::read(&path).expect("the file"), patched, "a second time changes nothing");

        // Every row: what is otherwise in the file, and why nothing is written.
        for (part, broken, why) in [
            ("0001 b", "0003 b", "open26.trf:3: board 1"),
            ("0001 b", "0001 w", "open26.trf:3: board 1"),
            ("Muster, Ben", "Master, Ben", "board 1: \"Muster, Ben\" stands 0 times"),
            ("99000002", "99000009", "stands 0 times"),
            ("0001 b  ", "0001 b =", "the result '=' is there already"),
        ] {
            let text = trf.replacen(part, broken, 1);
            fs::write(&path, &text).expect("a file");
            let ran = event(here, &words);
            assert!(ran.code == Some(1) && ran.err.contains(why), "{why}: {}", ran.err);
            assert_eq!(fs::read(&path).expect("the file"), text.as_bytes(), "{why}");
        }
    }
}

#[test]
fn outputs_that_do_not_work_are_shown() {
    let Some(broker) = Mosquitto::with_files("listener TCP 127.0.0.1\nallow_anonymous true", &[]) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    login(here, broker.port());
    assert!(done(here, &["status", CONFIG, "o.toml"]).contains("No collector"));
    let status = json!({"body": {"state": "refused", "since": "2026-11-21T13:00:00Z", "plies": 12, "attempts": 3, "http": 401,
        "message": "lichess: the token is not valid; write another one into the file", "boards": [{"board": "17", "message": "no player"}]}});
    publish(broker.port(), "flagfall/1/node/hall-collect/output/lichess", &status.to_string(), &["-r"]);
    let ran = event(here, &["status", CONFIG, "o.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for words in ["refused   hall-collect/output/lichess", "the token is not valid", "-> board 17: no player"] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
}
