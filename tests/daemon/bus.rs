//! Several DGT boards on one serial line: the daemon finds them and asks them in turn, each has a station of its own, and a board that
//! never answers costs the others nothing.
#![cfg(feature = "broker")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::config::Board;
use flagfall::emulate::EmulatedTime;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::dgt_bus::{BusFaults, BusSettings, Chain};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;
use flagfall_protocols::drivers::dgt_bus::frame::Command;
use flagfall_protocols::square::{Placement, Reading, Square};
use serde_json::Value;

use crate::support::hall::subscriber::ReceivedMessage;
use crate::support::hall::{RunningDaemon, TestHall};
use crate::support::waiting::thread;

/// A move in UCI notation, and its hand motions.
type Ply = (&'static str, &'static str);

/// Boards with their ids, addresses and two moves each.
const BOARDS: [(&str, u16, [Ply; 2]); 3] = [
    ("b1", 1025, [("e2e4", "move e2 e4"), ("e7e5", "move e7 e5")]),
    ("b2", 6685, [("d2d4", "move d2 d4"), ("g8f6", "move g8 f6")]),
    ("b3", 16_383, [("c2c4", "move c2 c4"), ("c7c5", "move c7 c5")]),
];
const DEAD: (&str, u16) = ("b4", 77);
/// The problem of a board that never answered.
const UNANSWERED: &str = "the device does not answer";

/// A chain of boards on a pseudo-terminal in real time; it ends when it is dropped.
struct Line {
    chain: Arc<Mutex<Chain>>,
    /// The bytes of the daemon.
    asked: Arc<Mutex<Vec<u8>>>,
    path: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    fn start(chain: Chain) -> Line {
        Line::with_dead_boards(chain, Vec::new())
    }

    /// The boards in `wake` are dead until the daemon asks all boards for the first time.
    fn with_dead_boards(chain: Chain, mut wake: Vec<usize>) -> Line {
        let (mut pty, path) = Pty::pair().expect("a pseudo-terminal");
        let chain = Arc::new(Mutex::new(chain));
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (theirs, stopped) = (Arc::clone(&chain), Arc::clone(&stop));
        let received = Arc::clone(&asked);
        let thread = thread("chain", move || {
            let (mut sent, mut buffer, mut time) = (Vec::new(), [0; 256], EmulatedTime::new(1.0));
            while !stopped.load(Ordering::Relaxed) {
                let next = {
                    let mut chain = theirs.lock().unwrap_or_else(PoisonError::into_inner);
                    chain.advance(time.now(), &mut sent);
                    chain.next()
                };
                let bytes: Vec<u8> = sent.drain(..).flat_map(|piece| piece.bytes).collect();
                pty.write(&bytes).expect("the other end is open");
                let wait = next.map_or(Duration::from_millis(20), |next| time.until(next)).min(Duration::from_millis(20));
                match pty.read(&mut buffer, wait) {
                    Ok(count) => {
                        let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
                        received.extend_from_slice(&buffer[..count]);
                        let mut chain = theirs.lock().unwrap_or_else(PoisonError::into_inner);
                        if !wake.is_empty() && has_command(&received, Command::Ping, 0) {
                            wake.drain(..).for_each(|board| chain.damage(board, BusFaults::default(), false));
                        }
                        chain.host(time.now(), &buffer[..count]);
                    }
                    Err(LinkError::TimedOut) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        });
        Line { chain, asked, path, stop, thread: Some(thread) }
    }

    /// Whether the daemon sent this command.
    fn was_asked(&self, command: Command, address: u16) -> bool {
        has_command(&self.asked.lock().unwrap_or_else(PoisonError::into_inner), command, address)
    }

    fn load(&self, board: usize, script: &str) {
        let script = Script::parse(script).expect("a script");
        self.chain.lock().unwrap_or_else(PoisonError::into_inner).load(board, &script);
    }
}

/// Whether these bytes have a command to this address, or to all boards.
fn has_command(bytes: &[u8], command: Command, address: u16) -> bool {
    bytes.windows(4).any(|frame| *frame == command.to(address))
}

impl Drop for Line {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking());
        }
    }
}

#[test]
fn boards_on_one_line_are_served_each_by_itself() {
    let on_line = BOARDS.iter().map(|(_, address, _)| *address).chain([DEAD.1]);
    let board = |serial| BusSettings { dead: serial == DEAD.1, ..BusSettings::new(Settings { serial, ..Settings::default() }) };
    let line = Line::start(Chain::new(on_line.map(board).collect(), 1));
    let hall = TestHall::new();
    let ids = BOARDS.iter().map(|(id, address, _)| (*id, *address)).chain([DEAD]);
    let (_running, subscriber) =
        RunningDaemon::heard(hall.loaded(ids.map(|(id, address)| configured(id, address, &line.path)).collect()));
    for (id, ..) in BOARDS {
        subscriber.device(id, &["online"], 0);
        subscriber.wait_until_armed(id);
    }
    // A board is asked in its turn: a press is not seen if the opponent presses before that.
    for (number, (_, _, moves)) in BOARDS.iter().enumerate() {
        let [(_, white), (_, black)] = moves;
        line.load(number, &format!("1 run\n+1 {white}\n+0.4 press left\n+5 {black}\n+0.4 press right\n"));
    }
    for (id, _, played) in BOARDS {
        let topic = format!("/arbiter/ev/1/{id}/state");
        let there = subscriber.find(0, Duration::from_secs(60), |received| {
            let state = received.topic.ends_with(&topic).then(|| received.body())?;
            let completed = state["completed"] == serde_json::json!({"white": 1, "black": 1});
            (completed && moves(state) == played.map(|(uci, _)| uci)).then(|| state["clock"].clone())
        });
        let clock = there
            .unwrap_or_else(|| panic!("board {id}: {:?}", subscriber.latest(&topic).map(|received| received.body().clone())));
        assert!(clock["white_ms"].is_u64() && clock["source"] != "none", "{id}: {clock}");
    }
    let dead = subscriber.latest("/device/dgt-bus-77/status").expect("its status");
    assert_eq!((&dead.body()["state"], &dead.body()["problem"]), (&"offline".into(), &UNANSWERED.into()));
    let chain = line.chain.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(chain.counters().dangerous, 0, "the daemon only asks");
}

/// The number of boards in a whole chain; the places of its dead boards and of those without a configuration.
const CHAIN: usize = 12;
const SILENT: [usize; 2] = [3, 9];
const STRANGERS: [usize; 2] = [6, 11];
/// With this seed pings overlap in the first round.
const SEED: u64 = 1;

/// A chain of twelve boards gets its power late: no board answers when each is asked by its address, and all boards answer at once when
/// all are asked, so that some must be asked again. Each board has a position of its own.
#[test]
fn a_whole_chain_is_found_though_its_pings_overlap() {
    let address = |number: usize| 1025 + 401 * number as u16;
    // Each board lacks another man.
    let stands = |number: usize| {
        let mut placement = Placement::initial();
        let square = Square::all().filter(|square| placement.get(*square) != Reading::Empty).nth(number).expect("32 men");
        placement.set(square, Reading::Empty);
        placement
    };
    let board = |number| {
        let board = Settings { serial: address(number), placement: stands(number), ..Settings::default() };
        BusSettings { dead: true, ..BusSettings::new(board) }
    };
    let live: Vec<usize> = (0..CHAIN).filter(|number| !SILENT.contains(number)).collect();
    let line = Line::with_dead_boards(Chain::new((0..CHAIN).map(board).collect(), SEED), live.clone());
    let ours: Vec<usize> = (0..CHAIN).filter(|number| !STRANGERS.contains(number)).collect();
    let hall = TestHall::new();
    let boards = ours.iter().map(|number| configured(&format!("c{number}"), address(*number), &line.path)).collect();
    let (_running, subscriber) = RunningDaemon::heard(hall.loaded(boards));
    for &number in ours.iter().filter(|number| live.contains(number)) {
        let id = format!("c{number}");
        subscriber.device(&id, &["online"], 0);
        let (topic, stands) = (format!("/arbiter/ev/1/{id}/state"), stands(number).to_string());
        let there = |received: &ReceivedMessage| {
            (received.topic.ends_with(&topic) && received.body()["board"] == stands.as_str()).then_some(())
        };
        subscriber.wait(&format!("the men of {id}"), 0, there);
    }
    for number in SILENT {
        let topic = format!("/device/dgt-bus-{}/status", address(number));
        let reported = |received: &ReceivedMessage| {
            (received.topic.ends_with(&topic) && received.body()["problem"] == UNANSWERED).then_some(())
        };
        subscriber.wait(&format!("that {} does not answer", address(number)), 0, reported);
        assert_eq!(subscriber.latest(&topic).expect("its status").body()["state"], "offline");
    }
    // The daemon tells every board that it found not to answer the next ping to all, even if the board has no configuration.
    for number in 0..CHAIN {
        assert_eq!(line.was_asked(Command::IgnoreNextPing, address(number)), live.contains(&number), "{}", address(number));
    }
    for number in STRANGERS {
        assert!(
            subscriber.latest(&format!("/device/dgt-bus-{}/status", address(number))).is_none(),
            "{} is not ours",
            address(number)
        );
    }
    let chain = line.chain.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(chain.mixed() > 0, "no pings overlapped");
    assert_eq!(chain.counters().dangerous, 0, "the daemon only asks");
}

fn configured(id: &str, address: u16, path: &Path) -> Board {
    Board {
        id: id.to_owned(),
        driver: Some("dgt_bus".to_owned()),
        serial: Some(address.to_string()),
        port: Some(path.to_owned()),
        ..Board::default()
    }
}

fn moves(state: &Value) -> Vec<&str> {
    state["moves"].as_array().into_iter().flatten().filter_map(|mv| mv["uci"].as_str()).collect()
}
