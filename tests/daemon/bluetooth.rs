//! The daemon with boards by Bluetooth LE: through btleplug, a D-Bus of its own and a BlueZ that serves emulated boards, a whole
//! game on each, with links that are lost in the middle; a clock by itself; a board that wants a key.
#![cfg(feature = "broker")]

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use flagfall::config::{Board, Clock};
use flagfall::wall::mono;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Start};
use flagfall_protocols::driver::Channel;
use serde_json::{Value, json};

use crate::bluez;
use crate::bluez::{Bluez, Bus, Peripheral};
use crate::support::hall::ear::{Ear, Heard};
use crate::support::hall::{House, Running};

/// Board, driver, address, and the name it advertises.
const BOARDS: [(&str, &str, &str, &str); 2] =
    [("b1", "dgt_pegasus", "C0:00:00:00:00:01", "DGT_PEGASUS_00017"), ("b2", "chessnut", "C0:00:00:00:00:02", "Chessnut Air")];

/// Légal's mate, by hand: captured men are lifted first. After the plies that are followed by `~` the link is lost.
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
/// The link is lost when so many plies are known; the next one is made while it is down.
const LOST_AFTER: [usize; 2] = [5, 8];
/// Longer than a connection takes to come back, and a move to be sure where no clock tells.
const LONG: Duration = Duration::from_secs(40);

#[test]
fn whole_games_with_links_that_are_lost() {
    bluez::in_own_process("whole_games_with_links_that_are_lost", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        for (_, driver, address, name) in BOARDS {
            bluez.add(Peripheral::for_driver(driver, address, name));
        }
        let house = House::new();
        let running = Running::start(house.loaded(BOARDS.map(board).to_vec()));
        let ear = Ear::new(running.tcp);
        for (id, _, address, _) in BOARDS {
            let online = ear.device(id, &["online"], 0);
            assert_eq!((&online.body()["transport"], &online.body()["port"]), (&Value::from("ble"), &Value::from(address)));
        }
        for (id, ..) in BOARDS {
            let armed = |heard: &Heard| {
                let state = heard.topic.ends_with(&format!("/arbiter/ev/1/{id}/state"));
                (state && heard.body()["stage"] == "armed").then_some(())
            };
            ear.wait("the men in their places", 0, armed);
        }
        for (ply, (uci, hands)) in GAME.iter().enumerate() {
            let lost = LOST_AFTER.contains(&ply);
            let before = ear.count();
            for (_, _, address, _) in BOARDS {
                if lost {
                    bluez.fall_silent(address);
                }
                bluez.load(address, &Script::parse(&format!("0.05 {hands}")).expect("a script"));
            }
            for (_, _, address, _) in BOARDS.iter().filter(|_| lost) {
                await_that("the hands are done", || bluez.done(address));
                bluez.appear(address);
            }
            for (id, ..) in BOARDS {
                if lost {
                    ear.device(id, &["online", "unstable"], before);
                }
                made(&ear, id, ply + 1, uci);
            }
        }
        for (id, _, address, _) in BOARDS {
            let state = ear.latest(&format!("/live/ev/1/{id}/state")).expect("a state");
            assert_eq!(moves(state.body()), GAME.map(|(uci, _)| uci.to_owned()), "{id}");
            assert_eq!(bluez.counters(address).lights, 0, "{id}: players see nothing of it");
            assert_eq!((bluez.seen(address).most_at_once, bluez.seen(address).connections.len()), (1, 3), "{id}");
        }
        drop(running);
        BOARDS.iter().for_each(|(id, _, address, _)| assert!(!bluez.connected(address), "{id}: let go in the end"));
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
        let house = House::new();
        let clock = Clock { driver: "dgt3000_gateway".to_owned(), bluetooth: Some(CLOCK.to_owned()) };
        let mut loaded = house.loaded(vec![Board { clock: Some(clock), ..board(("b1", "chessnut", BOARD, "")) }]);
        loaded.config.event.casual = true;
        let running = Running::start(loaded);
        let ear = Ear::new(running.tcp);
        ear.device("b1", &["online"], 0);
        let clock_is = |state: &str, from: usize| {
            let wanted = |heard: &Heard| {
                let ours = heard.topic.ends_with("/device/clock-b1/status");
                (ours && heard.body()["kind"] == "clock" && heard.body()["state"] == state).then(|| heard.clone())
            };
            ear.wait(&format!("the clock {state}"), from, wanted)
        };
        assert_eq!(clock_is("online", 0).body()["port"], CLOCK);
        let arbiter = |what: &str, from: usize, is: &dyn Fn(&Value) -> bool| {
            let wanted = |heard: &Heard| {
                (heard.topic.ends_with("/arbiter/ev/1/b1/state") && is(heard.body())).then(|| heard.body().clone())
            };
            ear.wait(what, from, wanted)
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
        let from = ear.count();
        bluez.drop_link(CLOCK);
        arbiter("the clock to be lost", from, &|state| state["clock_status"] == "lost");
        clock_is("offline", from);
        // It may have reported once more before it was lost.
        let mut lost = false;
        ear.wait("the clock to be back", from, |heard| {
            let state = heard.topic.ends_with("/arbiter/ev/1/b1/state").then(|| heard.body())?;
            lost |= state["clock_status"] == "lost";
            (lost && state["clock_status"] == "reporting").then_some(())
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
        // The configuration names no clock any more: its link is gone, and what it told stays.
        let mut loaded = house.loaded(vec![board(("b1", "chessnut", BOARD, ""))]);
        loaded.config.event.casual = true;
        let running = Running::start(loaded);
        let kept = |heard: &Heard| {
            let state = heard.topic.ends_with("/arbiter/ev/1/b1/state").then(|| heard.body())?;
            (state["clock_status"] == "lost" && pressed(2)(state)).then_some(())
        };
        Ear::new(running.tcp).wait("the presses of the clock that was there", 0, kept);
        running.stop();
        assert!(journal(&house, "b1").contains(" link 1 down restart"), "the station is told that the clock's link is gone");
    });
}

/// The arbiters are told of it, until it is connected again and heard better; players see nothing of it.
#[test]
fn a_board_that_is_received_weakly() {
    bluez::in_own_process("a_board_that_is_received_weakly", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        let (id, driver, address, name) = BOARDS[1];
        bluez.add(Peripheral { rssi: -90, ..Peripheral::for_driver(driver, address, name) });
        let house = House::new();
        let running = Running::start(house.loaded(vec![board(BOARDS[1])]));
        let ear = Ear::new(running.tcp);
        let status = |warnings: Value, signal: i16| {
            move |heard: &Heard| {
                let body = heard.device(id).map(|_| heard.body())?;
                (body["warnings"] == warnings && body["signal_dbm"] == signal).then_some(())
            }
        };
        let alarm = |status: &'static str| {
            move |heard: &Heard| {
                let ours = heard.topic.contains("/arbiter/") && heard.body()["kind"] == "weak_signal";
                (ours && heard.body()["status"] == status).then(|| heard.body().clone())
            }
        };
        ear.wait("a warning", 0, status(json!(["weak_signal"]), -90));
        let open = ear.wait("an alarm", 0, alarm("open"));
        assert_eq!(open["class"], "silent");
        assert!(open["sentence"].as_str().is_some_and(|sentence| sentence.contains("received weakly")), "{open}");
        let from = ear.count();
        bluez.set_rssi(address, -60);
        bluez.drop_link(address);
        ear.wait("no warning", from, status(Value::Null, -60));
        assert_eq!(ear.wait("its end", from, alarm("cured"))["id"], open["id"]);
        for heard in ear.all() {
            let theirs = ["/live/", "/public/"].iter().any(|audience| heard.topic.contains(audience));
            assert!(!theirs || !String::from_utf8_lossy(&heard.bytes).contains("signal"), "{}", heard.topic);
        }
        running.stop();
        let journal = journal(&house, id);
        let ups = journal.lines().filter_map(|line| line.split_once(" link 0 up ")?.1.split(' ').next());
        assert_eq!(ups.collect::<Vec<_>>(), ["weak", "opened"], "a restart finds the same");
    });
}

/// It has a board's name and knows none of its questions.
#[test]
fn a_device_that_is_none_of_its_family_is_told() {
    bluez::in_own_process("a_device_that_is_none_of_its_family_is_told", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        let (id, _, address, name) = BOARDS[0];
        let other = (emulator::find("chesslink").expect("emulated").start)(&Start::default());
        bluez.add(Peripheral::new(address, name, &[Channel::NORDIC_UART], other));
        let house = House::new();
        let running = Running::start(house.loaded(vec![board(BOARDS[0])]));
        let told = |heard: &Heard| {
            let body = heard.device(id).map(|_| heard.body())?;
            (body["state"] == "offline" && body["port"] == address && body["problem"] == "the device does not answer")
                .then_some(())
        };
        Ear::new(running.tcp).wait("what is wrong with it", 0, told);
        let written = bluez.seen(address).writes;
        assert!(
            !written.is_empty() && written.iter().all(|write| write.bytes == [0x4d]),
            "the first question only: {written:x?}"
        );
    });
}

/// It is told to the board and stands nowhere: not on disk, in no message, in no line of the log.
#[test]
fn a_key_is_the_boards_alone() {
    bluez::in_own_process("a_key_is_the_boards_alone", |bus: Bus| {
        let bluez = Bluez::start(&bus.address());
        let (id, driver, address, name) = BOARDS[0];
        bluez.add(Peripheral { rssi: -71, ..Peripheral::for_driver(driver, address, name) });
        let house = House::new();
        let (file, log) = (house.path().join("key"), house.path().join("log"));
        std::fs::write(&file, "6307a1b2c3d4e5f600\n").expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("its mode");
        let writer = Mutex::new(File::create(&log).expect("a file"));
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(writer).init();
        let mut loaded = house.loaded(vec![Board { unlock_file: Some(file.clone()), ..board(BOARDS[0]) }]);
        loaded.config.mqtt.raw = true;
        let running = Running::start(loaded);
        let ear = Ear::new(running.tcp);
        let told = |heard: &Heard| {
            let status = heard.device(id) == Some("online") && heard.body()["firmware"].is_string();
            status.then(|| heard.body().clone())
        };
        let status = ear.wait("its firmware", 0, told);
        assert_eq!((&status["firmware"], &status["signal_dbm"]), (&"1.0".into(), &(-71).into()));
        let armed = |heard: &Heard| {
            let state = heard.topic.ends_with(&format!("/arbiter/ev/1/{id}/state"));
            (state && heard.body()["stage"] == "armed").then_some(())
        };
        ear.wait("the men in their places", 0, armed);
        let written: Vec<_> = bluez.seen(address).writes.into_iter().map(|write| write.bytes).collect();
        let asked = written.iter().take_while(|bytes| **bytes == [0x4d]).count();
        assert!(asked > 0, "{written:x?}");
        assert_eq!(written[asked], [0x63, 7, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0], "after the first question: {written:x?}");
        running.stop();
        assert!(shows_key(&std::fs::read(&file).expect("a file")), "what is looked for is found where it is");
        let files: Vec<PathBuf> = files(house.path()).into_iter().filter(|path| *path != file).collect();
        let whole = files.iter().flat_map(|path| std::fs::read(path).expect("a file")).collect::<Vec<u8>>();
        let text = String::from_utf8_lossy(&whole);
        assert!(text.contains(" tx 0 0 4d") && text.contains(" tx 0 0 42"), "the journal is among them: {files:?}");
        assert!(std::fs::metadata(&log).expect("a log").len() > 0, "it says something");
        assert!(!shows_key(&whole), "{files:?}");
        for heard in ear.all() {
            assert!(!shows_key(&heard.bytes) && !shows_key(heard.topic.as_bytes()), "{}", heard.topic);
        }
        assert!(ear.all().iter().any(|heard| heard.topic.contains("/raw")), "bytes are published");
    });
}

/// Whether the key of [`a_key_is_the_boards_alone`] is in there, however bytes are written.
fn shows_key(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let written = ["a1b2c3", "a1 b2 c3", "a1, b2, c3", "161,178,195", "161, 178, 195"];
    bytes.windows(3).any(|three| three == [0xa1, 0xb2, 0xc3]) || written.iter().any(|form| text.contains(form))
}

/// What stands in a board's journal.
fn journal(house: &House, board: &str) -> String {
    let whole = files(&house.journal().join(board)).into_iter().map(|file| std::fs::read_to_string(file).expect("text"));
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

#[allow(clippy::disallowed_methods, reason = "real time among real parts")]
fn await_that(what: &str, done: impl Fn() -> bool) {
    let began = mono();
    while !done() {
        assert!(mono().since(began) < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until so many plies are known on a board, the last of them this one.
fn made(ear: &Ear, id: &str, plies: usize, uci: &str) {
    let topic = format!("/live/ev/1/{id}/state");
    let there = ear.find(0, LONG, |heard| {
        let known = heard.topic.ends_with(&topic).then(|| moves(heard.body()))?;
        (known.len() == plies && known.last().is_some_and(|last| last == uci)).then_some(())
    });
    assert!(
        there.is_some(),
        "board {id}, ply {plies}: {uci} never came: {:?}",
        ear.latest(&topic).map(|heard| moves(heard.body()))
    );
}

fn moves(state: &Value) -> Vec<String> {
    let list = state["moves"].as_array().cloned().unwrap_or_default();
    list.iter().filter_map(|mv| Some(mv["uci"].as_str()?.to_owned())).collect()
}
