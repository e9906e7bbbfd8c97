//! The daemon with boards over Bluetooth LE, through btleplug, a D-Bus of its own and a BlueZ that serves emulated boards: a whole game
//! on each board, with links that are lost in the middle; a clock by itself; a board that needs a key.
#![cfg(feature = "broker")]

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use flagfall::config::{Board, Clock};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Start};
use flagfall_protocols::driver::Channel;
use serde_json::{Value, json};

use crate::bluez;
use crate::bluez::{Bluez, Bus, Peripheral};
use crate::support::hall::subscriber::{ReceivedMessage, Subscriber, uci_moves};
use crate::support::hall::{RunningDaemon, TestHall};
use crate::support::waiting::wait_until;

/// The board's id, its driver, its address, and the name that it advertises.
const BOARDS: [(&str, &str, &str, &str); 2] =
    [("b1", "dgt_pegasus", "C0:00:00:00:00:01", "DGT_PEGASUS_00017"), ("b2", "chessnut", "C0:00:00:00:00:02", "Chessnut Air")];

/// Légal's mate as hand motions; captured men are lifted first.
const GAME: [(&str, &str); 15] = [
    ("e2e4", "move e2 e4"),
    ("e7e5", "move e7 e5"),
    ("g1f3", "move g1 f3"),
    ("b8c6", "move b8 c6"),
    ("f1c4", "slide f1 c4 0.4"),
    ("d7d6", "move d7 d6"),
    ("b1c3", "move b1 c3"),
    ("c8g4", "slide c8 g4 0.4"),
    ("h2h3", "move h2 h3"),
    ("g4h5", "slide g4 h5 0.3"),
    ("f3e5", "lift e5\n+0.3 drop\n+0.2 move f3 e5"),
    ("h5d1", "lift d1\n+0.3 drop\n+0.2 slide h5 d1 0.5"),
    ("c4f7", "lift f7\n+0.3 drop\n+0.2 slide c4 f7 0.4"),
    ("e8e7", "move e8 e7"),
    ("c3d5", "move c3 d5"),
];
/// The link is lost when this number of plies is known; the next ply is made while the link is down.
const LOST_AFTER: [usize; 2] = [5, 8];
/// Longer than the time until a connection is back, and longer than the time until a move is sure without a clock.
const LONG: Duration = Duration::from_secs(40);

#[test]
fn whole_games_survive_lost_links() {
    bluez::in_own_process("whole_games_survive_lost_links", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        for (_, driver, address, name) in BOARDS {
            bluez.add(Peripheral::for_driver(driver, address, name));
        }
        let hall = TestHall::new();
        let (running, subscriber) = RunningDaemon::heard(hall.loaded(BOARDS.map(board).to_vec()));
        for (id, _, address, _) in BOARDS {
            let online = subscriber.device(id, &["online"], 0);
            assert_eq!((&online.body()["transport"], &online.body()["port"]), (&Value::from("ble"), &Value::from(address)));
        }
        for (id, ..) in BOARDS {
            subscriber.wait_until_armed(id);
        }
        for (ply, (uci, hands)) in GAME.iter().enumerate() {
            let lost = LOST_AFTER.contains(&ply);
            let before = subscriber.count();
            for (_, _, address, _) in BOARDS {
                if lost {
                    bluez.fall_silent(address);
                }
                bluez.load(address, &Script::parse(&format!("0.05 {hands}")).expect("a script"));
            }
            for (_, _, address, _) in BOARDS.iter().filter(|_| lost) {
                wait_until("the hands are done", LONG, || bluez.done(address));
                bluez.appear(address);
            }
            for (id, ..) in BOARDS {
                if lost {
                    subscriber.device(id, &["online", "unstable"], before);
                }
                subscriber.wait_for_ply(id, ply + 1, uci, LONG);
            }
        }
        for (id, _, address, _) in BOARDS {
            let state = subscriber.latest(&format!("/live/ev/1/{id}/state")).expect("a state");
            assert_eq!(uci_moves(state.body()), GAME.map(|(uci, _)| uci.to_owned()), "{id}");
            assert_eq!(bluez.counters(address).lights, 0, "{id}: players do not notice the daemon");
            assert_eq!((bluez.seen(address).most_at_once, bluez.seen(address).connections.len()), (1, 3), "{id}");
        }
        drop(running);
        BOARDS
            .iter()
            .for_each(|(id, _, address, _)| assert!(!bluez.connected(address), "{id}: the daemon disconnects at its end"));
    });
}

/// A board without a clock and a clock by itself, each with a link of its own.
#[test]
fn a_clock_by_itself_completes_the_moves_of_a_board() {
    const BOARD: &str = "C0:00:00:00:00:03";
    const CLOCK: &str = "C0:00:00:00:00:04";
    bluez::in_own_process("a_clock_by_itself_completes_the_moves_of_a_board", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        bluez.add(Peripheral::for_driver("chessnut", BOARD, "Chessnut Pro"));
        bluez.add(Peripheral::for_driver("dgt3000_gateway", CLOCK, "DGT3000-Gateway"));
        let hall = TestHall::new();
        let clock = Clock { driver: "dgt3000_gateway".to_owned(), bluetooth: Some(CLOCK.to_owned()) };
        let mut loaded = hall.loaded(vec![Board { clock: Some(clock), ..board(("b1", "chessnut", BOARD, "")) }]);
        loaded.config.event.casual = true;
        let (running, subscriber) = RunningDaemon::heard(loaded);
        subscriber.device("b1", &["online"], 0);
        let clock_is = |state: &str, from: usize| {
            let wanted = |received: &ReceivedMessage| {
                let ours = received.topic.ends_with("/device/clock-b1/status");
                (ours && received.body()["kind"] == "clock" && received.body()["state"] == state).then(|| received.clone())
            };
            subscriber.wait(&format!("the clock {state}"), from, wanted)
        };
        assert_eq!(clock_is("online", 0).body()["port"], CLOCK);
        let arbiter = |what: &str, from: usize, is: &dyn Fn(&Value) -> bool| {
            let wanted = |received: &ReceivedMessage| {
                (received.topic.ends_with("/arbiter/ev/1/b1/state") && is(received.body())).then(|| received.body().clone())
            };
            subscriber.wait(what, from, wanted)
        };
        arbiter("an armed game with a clock", 0, &|state| state["stage"] == "armed" && state["clock_status"] == "reporting");
        let hands = |address: &str, script: &str| bluez.load(address, &Script::parse(script).expect("a script"));
        hands(CLOCK, "0.1 run");
        arbiter("a clock that runs", 0, &|state| state["clock"]["running"] == "white");
        hands(BOARD, "0 move e2 e4");
        arbiter("a move that is made", 0, &|state| state["phase"] == "made");
        hands(CLOCK, "0 press left");
        let pressed = |plies: usize| {
            move |state: &Value| {
                let moves = state["moves"].as_array().cloned().unwrap_or_default();
                moves.len() == plies && moves.iter().all(|mv| mv["pressed_at"].is_array())
            }
        };
        let state = arbiter("a move that is completed", 0, &pressed(1));
        assert_eq!((&state["moves"][0]["uci"], &state["clock"]["source"]), (&"e2e4".into(), &"dgt3000_gateway".into()));
        let from = subscriber.count();
        bluez.drop_link(CLOCK);
        arbiter("the clock to be lost", from, &|state| state["clock_status"] == "lost");
        clock_is("offline", from);
        // It may have reported once more before it was lost. That it runs shows a second later, when a time falls; before that the
        // movement of a lever is no press.
        let mut lost = false;
        subscriber.wait("the clock to be back and running", from, |received| {
            let state = received.topic.ends_with("/arbiter/ev/1/b1/state").then(|| received.body())?;
            lost |= state["clock_status"] == "lost";
            (lost && state["clock_status"] == "reporting" && state["clock"]["running"] == "black").then_some(())
        });
        hands(BOARD, "0 move e7 e5");
        let e5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
        arbiter("a second move that is made", from, &|state| state["phase"] == "made" && state["board"] == e5);
        hands(CLOCK, "0 press right");
        arbiter("a second move that is completed", from, &pressed(2));
        for address in [BOARD, CLOCK] {
            let counters = bluez.counters(address);
            assert_eq!((counters.lights, counters.set_and_run, counters.display), (0, 0, 0), "{address}");
        }
        running.stop();
        // The configuration no longer names a clock: its link is gone, and its presses stay.
        let mut loaded = hall.loaded(vec![board(("b1", "chessnut", BOARD, ""))]);
        loaded.config.event.casual = true;
        let running = RunningDaemon::start(loaded);
        let kept = |received: &ReceivedMessage| {
            let state = received.topic.ends_with("/arbiter/ev/1/b1/state").then(|| received.body())?;
            (state["clock_status"] == "lost" && pressed(2)(state)).then_some(())
        };
        Subscriber::new(running.tcp).wait("the presses of the former clock", 0, kept);
        running.stop();
        assert!(journal(&hall, "b1").contains(" link 1 down restart"), "the journal has the end of the clock's link");
    });
}

/// Arbiters get an alarm until the board is connected again with a better signal; other audiences learn nothing of it.
#[test]
fn a_weak_signal_is_an_alarm_until_it_is_better() {
    bluez::in_own_process("a_weak_signal_is_an_alarm_until_it_is_better", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        let (id, driver, address, name) = BOARDS[1];
        bluez.add(Peripheral { rssi: -90, ..Peripheral::for_driver(driver, address, name) });
        let hall = TestHall::new();
        let (running, subscriber) = RunningDaemon::heard(hall.loaded(vec![board(BOARDS[1])]));
        let status = |warnings: Value, signal: i16| {
            move |received: &ReceivedMessage| {
                let body = received.device(id).map(|_| received.body())?;
                (body["warnings"] == warnings && body["signal_dbm"] == signal).then_some(())
            }
        };
        let alarm = |status: &'static str| {
            move |received: &ReceivedMessage| {
                let ours = received.topic.contains("/arbiter/") && received.body()["kind"] == "weak_signal";
                (ours && received.body()["status"] == status).then(|| received.body().clone())
            }
        };
        subscriber.wait("a warning", 0, status(json!(["weak_signal"]), -90));
        let open = subscriber.wait("an alarm", 0, alarm("open"));
        assert_eq!(open["class"], "silent");
        assert!(open["sentence"].as_str().is_some_and(|sentence| sentence.contains("received weakly")), "{open}");
        let from = subscriber.count();
        bluez.set_rssi(address, -60);
        bluez.drop_link(address);
        subscriber.wait("no warning", from, status(Value::Null, -60));
        assert_eq!(subscriber.wait("its end", from, alarm("cured"))["id"], open["id"]);
        for received in subscriber.all() {
            let theirs = ["/live/", "/public/"].iter().any(|audience| received.topic.contains(audience));
            assert!(!theirs || !String::from_utf8_lossy(&received.bytes).contains("signal"), "{}", received.topic);
        }
        running.stop();
        let journal = journal(&hall, id);
        let ups = journal.lines().filter_map(|line| line.split_once(" link 0 up ")?.1.split(' ').next());
        assert_eq!(ups.collect::<Vec<_>>(), ["weak", "opened"], "the journal has the weak signal for a restart");
    });
}

/// The device has the name of a board, but it answers none of the board's questions.
#[test]
fn a_device_of_another_family_is_reported() {
    bluez::in_own_process("a_device_of_another_family_is_reported", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        let (id, _, address, name) = BOARDS[0];
        let other = (emulator::find("chesslink").expect("emulated").start)(&Start::default());
        bluez.add(Peripheral::new(address, name, &[Channel::NORDIC_UART], other));
        let hall = TestHall::new();
        let running = RunningDaemon::start(hall.loaded(vec![board(BOARDS[0])]));
        let reported = |received: &ReceivedMessage| {
            let body = received.device(id).map(|_| received.body())?;
            (body["state"] == "offline" && body["port"] == address && body["problem"] == "the device does not answer")
                .then_some(())
        };
        Subscriber::new(running.tcp).wait("the problem of the device", 0, reported);
        let written = bluez.seen(address).writes;
        assert!(
            !written.is_empty() && written.iter().all(|write| write.bytes == [0x4d]),
            "only the first question was sent: {written:x?}"
        );
    });
}

/// The key is sent to the board and appears nowhere else: not on disk, in no message, in no line of the log.
#[test]
fn a_key_is_sent_to_its_board_and_published_nowhere() {
    bluez::in_own_process("a_key_is_sent_to_its_board_and_published_nowhere", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        let (id, driver, address, name) = BOARDS[0];
        bluez.add(Peripheral { rssi: -71, ..Peripheral::for_driver(driver, address, name) });
        let hall = TestHall::new();
        let (file, log) = (hall.path().join("key"), hall.path().join("log"));
        std::fs::write(&file, "6307a1b2c3d4e5f600\n").expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("its mode");
        let writer = Mutex::new(File::create(&log).expect("a file"));
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(writer).init();
        let mut loaded = hall.loaded(vec![Board { unlock_file: Some(file.clone()), ..board(BOARDS[0]) }]);
        loaded.config.mqtt.raw = true;
        let (running, subscriber) = RunningDaemon::heard(loaded);
        let reported = |received: &ReceivedMessage| {
            let status = received.device(id) == Some("online") && received.body()["firmware"].is_string();
            status.then(|| received.body().clone())
        };
        let status = subscriber.wait("its firmware", 0, reported);
        assert_eq!((&status["firmware"], &status["signal_dbm"]), (&"1.0".into(), &(-71).into()));
        subscriber.wait_until_armed(id);
        let written: Vec<_> = bluez.seen(address).writes.into_iter().map(|write| write.bytes).collect();
        let asked = written.iter().take_while(|bytes| **bytes == [0x4d]).count();
        assert!(asked > 0, "{written:x?}");
        assert_eq!(written[asked], [0x63, 7, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0], "after the first question: {written:x?}");
        running.stop();
        assert!(shows_key(&std::fs::read(&file).expect("a file")), "the search finds the key in its own file");
        let files: Vec<PathBuf> = files(hall.path()).into_iter().filter(|path| *path != file).collect();
        let whole = files.iter().flat_map(|path| std::fs::read(path).expect("a file")).collect::<Vec<u8>>();
        let text = String::from_utf8_lossy(&whole);
        assert!(text.contains(" tx 0 0 4d") && text.contains(" tx 0 0 42"), "the journal is among the files: {files:?}");
        assert!(std::fs::metadata(&log).expect("a log").len() > 0, "the log is not empty");
        assert!(!shows_key(&whole), "{files:?}");
        for received in subscriber.all() {
            assert!(!shows_key(&received.bytes) && !shows_key(received.topic.as_bytes()), "{}", received.topic);
        }
        assert!(subscriber.all().iter().any(|received| received.topic.contains("/raw")), "bytes are published");
    });
}

/// Whether these bytes have the key of [`a_key_is_sent_to_its_board_and_published_nowhere`], in any way to write bytes.
fn shows_key(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let written = ["a1b2c3", "a1 b2 c3", "a1, b2, c3", "161,178,195", "161, 178, 195"];
    bytes.windows(3).any(|three| three == [0xa1, 0xb2, 0xc3]) || written.iter().any(|form| text.contains(form))
}

/// The text of a board's journal.
fn journal(hall: &TestHall, board: &str) -> String {
    let whole = files(&hall.journal().join(board)).into_iter().map(|file| std::fs::read_to_string(file).expect("text"));
    whole.collect()
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let within = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    within.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn board((id, driver, address, _): (&str, &str, &str, &str)) -> Board {
    Board { id: id.to_owned(), driver: Some(driver.to_owned()), bluetooth: Some(address.to_owned()), ..Board::default() }
}
