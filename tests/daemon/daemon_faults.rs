//! The daemon as a process with a real mosquitto: it ends in order, shares neither journal, name nor board with another daemon, and
//! continues with a full disk.

mod disk;
mod garbage;
mod unrecorded_start;

use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::emulate::hands::{End, Habits, Manner, Play, Turn};
use flagfall::journal::{Disk, Limits, read};
use flagfall::session::recorder::Recorder;
use flagfall::system_clock::monotonic;
use flagfall::wire::alarm::ProgramAlarm;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use serde_json::Value;
use shakmaty::Chess;

use crate::support::hall::process::{DaemonFolder, DaemonProcess};
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub};
use crate::support::seconds::assert_within;

const MOVES: &str = "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6";
const PLIES: usize = 10;

fn script() -> Script {
    let turn = |san: &str| Turn { san: san.to_owned(), think: Duration::from_millis(700), manner: Manner::Straight };
    let turns = MOVES.split(' ').map(turn).collect();
    let play = Play { start: Chess::default(), turns, end: End::default(), rotated: false };
    play.script(&Habits::default(), 1).expect("legal")
}

/// A board at the port of this folder.
fn board(folder: &DaemonFolder) -> PtyBoard {
    let board = PtyBoard::start("b0", Settings::default(), &Script::new(), 1.0).expect("a board");
    board.link_at(&folder.port()).expect("a link");
    board
}

fn body(received: &MosquittoMessage) -> Value {
    received.body().clone()
}

fn online(subscriber: &MosquittoSub) {
    let is =
        |received: MosquittoMessage| (received.topic.contains("/device/") && body(&received)["state"] == "online").then_some(());
    subscriber.wait("the board", is);
}

/// Waits for a state of the live audience with this number of moves.
fn moves(subscriber: &MosquittoSub, count: usize) -> Vec<String> {
    subscriber.wait(&format!("{count} moves"), |received| {
        if received.topic != "flagfall/1/live/ev/1/b0/state" {
            return None;
        }
        let list = body(&received)["moves"]
            .as_array()?
            .iter()
            .filter_map(|mv| mv["san"].as_str().map(str::to_owned))
            .collect::<Vec<_>>();
        (list.len() >= count).then_some(list)
    })
}

fn health(subscriber: &MosquittoSub, node: &str, what: &str, is: impl Fn(&Value) -> bool) {
    let topic = format!("flagfall/1/node/{node}/health");
    subscriber.wait(what, |received| (received.topic == topic && is(&body(&received))).then_some(()));
}

#[test]
fn sigterm_in_the_middle_of_a_game_loses_nothing() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = board(&folder);
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/#"]);
    let process = DaemonProcess::start(&folder.config());
    online(&subscriber);
    board.load(&script()).expect("hands");
    moves(&subscriber, 4);
    let terminated = monotonic();
    process.terminate();
    assert!(process.wait_for_end().success());
    assert_within(monotonic().since(terminated), Duration::from_secs(5), "the daemon ends");
    let stopped = |received: MosquittoMessage| {
        (received.topic.ends_with("/n1/status") && body(&received)["state"] == "stopped").then_some(())
    };
    subscriber.wait("its last status", stopped);
    // A copy of the journal shows the result of a restart.
    let copy = folder.copy_journal();
    let setting = folder.setting();
    let disk = Box::new(Disk::open(&copy).expect("opens"));
    let opened = Recorder::open(disk, Limits::default(), &setting, "ev-r1-bb0", &mut |_| Ok(()));
    let (_, restored) = opened.expect("opens");
    assert!(restored.inputs > 0 && restored.unsent.is_empty(), "{:?}", restored.unsent);
    assert_eq!(restored.verified.differences, [""; 0]);
    assert!(restored.damage.described.is_empty());

    let again = DaemonProcess::start(&folder.config());
    again.wait_for_log("goes on after", |line| line.contains("0 differ, 0 were not sent"));
    // At most one move was made meanwhile; the game ends complete.
    assert!(board.wait_done(Duration::from_secs(60)));
    assert_eq!(moves(&subscriber, PLIES).join(" "), MOVES);
    again.terminate();
    assert!(again.wait_for_end().success());
}

#[test]
fn two_daemons_do_not_share_a_journal() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = board(&folder);
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/#"]);
    let first = DaemonProcess::start(&folder.config());
    online(&subscriber);
    let second = DaemonProcess::start(&folder.config_for_node("n2"));
    let holder = format!("process {}", first.id());
    second.wait_for_log("the holder of the journal", |line| line.contains("ERROR") && line.contains(&holder));
    health(&subscriber, "n2", "the second's failed board", |body| body["failed_boards"] == serde_json::json!(["b0"]));
    board.load(&script()).expect("hands");
    assert_eq!(moves(&subscriber, PLIES).join(" "), MOVES);
    for process in [second, first] {
        process.terminate();
        assert!(process.wait_for_end().success());
    }
    let journal = read(&mut Disk::reading(&folder.journal().join("b0"))).expect("readable");
    assert!(journal.damage.described.is_empty(), "{:?}", journal.damage.described);
}

/// A subscriber to the alerts alone: their order among other messages is not known.
fn alerts(broker: &Mosquitto) -> MosquittoSub {
    MosquittoSub::new(broker.port(), &["flagfall/1/arbiter/ev/1/b0/alert/#"])
}

/// Waits until the alert of this alarm of the program is open, or, without a kind, until it is deleted. Returns its sentence.
fn alert(subscriber: &MosquittoSub, alarm: ProgramAlarm, kind: Option<&str>) -> String {
    let topic = format!("flagfall/1/arbiter/ev/1/b0/alert/{}", alarm.id());
    subscriber.wait(&format!("{kind:?} on {topic}"), |received| {
        let body = body(&received);
        let is = received.topic == topic && body["kind"].as_str() == kind;
        assert!(!is || kind.is_none() || (body["class"] == "loud" && body["status"] == "open"), "{body}");
        is.then(|| body["sentence"].as_str().unwrap_or_default().to_owned())
    })
}

#[test]
fn a_second_daemon_of_the_same_name_is_an_alert_of_both_and_both_publish() {
    let broker = Mosquitto::start();
    let (folder, other) = (DaemonFolder::new("n1", broker.port()), DaemonFolder::new("n1", broker.port()));
    let (board, _other_board) = (board(&folder), board(&other));
    let (subscriber, alerts) = (MosquittoSub::new(broker.port(), &["flagfall/#"]), alerts(&broker));
    let first = DaemonProcess::start(&folder.config());
    online(&subscriber);
    let second = DaemonProcess::start(&other.config());
    let sentence = alert(&alerts, ProgramAlarm::NameTaken, Some("name_taken"));
    assert!(sentence.contains("n1") && sentence.contains("node.name"), "{sentence}");
    for process in [&first, &second] {
        process.wait_for_log("the second daemon", |line| line.contains("a second daemon publishes under our name"));
    }
    health(&subscriber, "n1", "that the name is taken", |body| body["name_taken"] == true);
    second.terminate();
    assert!(second.wait_for_end().success());
    alert(&alerts, ProgramAlarm::NameTaken, None);
    // The retained status is that of the daemon that lives, which goes on publishing.
    let late = MosquittoSub::new(broker.port(), &["flagfall/1/node/n1/status"]);
    late.wait("the status", |received| (body(&received)["state"] == "ready").then_some(()));
    board.load(&script()).expect("hands");
    assert_eq!(moves(&subscriber, PLIES).join(" "), MOVES);
    first.terminate();
    assert!(first.wait_for_end().success());
}

#[test]
fn the_second_node_with_a_board_withholds_it() {
    let broker = Mosquitto::start();
    let (folder, other) = (DaemonFolder::new("n1", broker.port()), DaemonFolder::new("n2", broker.port()));
    let (board, other_board) = (board(&folder), board(&other));
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/#"]);
    let first = DaemonProcess::start(&folder.config());
    online(&subscriber);
    let second = DaemonProcess::start(&other.config());
    second.wait_for_log("the other node of the board", |line| {
        line.contains("another node serves a board too") && line.contains("node n1")
    });
    health(&subscriber, "n2", "the withheld board", |body| body["withheld_boards"] == serde_json::json!(["b0"]));
    // Both boards are played on, but only the events of the first node are published.
    other_board.load(&Script::parse("0.1 lift d2\n+0.3 place d4").expect("a script")).expect("hands");
    board.load(&script()).expect("hands");
    let all = subscriber.until("the whole game", |received| {
        received.topic == "flagfall/1/live/ev/1/b0/state"
            && body(received)["moves"].as_array().is_some_and(|moves| moves.len() == PLIES)
    });
    let ours = |received: &&MosquittoMessage| received.topic.contains("/ev/1/b0/") && !received.topic.ends_with("/pgn");
    let writers: Vec<Value> = all
        .iter()
        .filter(ours)
        .map(|received| serde_json::from_str::<Value>(&received.payload).expect("JSON")["node"].take())
        .collect();
    assert!(writers.iter().all(|node| node == "n1"), "{writers:?}");
    // When the first daemon ends, the second serves the board.
    first.terminate();
    assert!(first.wait_for_end().success());
    second.wait_for_log("the board that is free", |line| {
        line.contains("another node serves a board no more") && line.contains("node n1")
    });
    // If the hands moved before the second node saw the start position, its game begins when the pawn is back.
    other_board.load(&Script::parse("0.1 lift d4\n+0.3 place d2").expect("a script")).expect("hands");
    subscriber.wait("the state for the live audience from the second node", |received| {
        let message: Value = serde_json::from_str(&received.payload).ok()?;
        (received.topic == "flagfall/1/live/ev/1/b0/state" && message["node"] == "n2").then_some(())
    });
    second.terminate();
    assert!(second.wait_for_end().success());
}

#[test]
fn a_full_disk_does_not_keep_a_board_from_being_served() {
    let broker = Mosquitto::start();
    let folder = DaemonFolder::new("n1", broker.port());
    let board = board(&folder);
    let (subscriber, alerts) = (MosquittoSub::new(broker.port(), &["flagfall/#"]), alerts(&broker));
    // No file grows beyond 6 KiB: the journal is full in the middle of the game.
    let process = DaemonProcess::with_limited_files(&folder.config(), 6 * 1024);
    online(&subscriber);
    board.load(&script()).expect("hands");
    let sentence = alert(&alerts, ProgramAlarm::NotRecorded, Some("not_recorded"));
    assert!(sentence.contains("File too large"), "{sentence}");
    health(&subscriber, "n1", "that the disk is full", |body| body["journal_ok"] == false);
    assert_eq!(moves(&subscriber, PLIES).join(" "), MOVES);
    process.lift_limit();
    alert(&alerts, ProgramAlarm::NotRecorded, None);
    health(&subscriber, "n1", "that the journal is well again", |body| body["journal_ok"] == true);
    process.terminate();
    assert!(process.wait_for_end().success());
}
