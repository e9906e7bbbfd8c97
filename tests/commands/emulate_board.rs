//! An emulated board on a pseudo-terminal, for another program that opens its path.

use std::future::poll_fn;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use flagfall::emulate::board::Beginning;
use flagfall::emulate::{EmulatedTime, PtyBoard};
use flagfall::system_clock::{MonotonicTime, monotonic};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Emulator, Settings};
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;
use tokio::sync::Notify;

use crate::support::seconds::assert_within;
use crate::support::waiting::{PATIENCE, wait_until};

const BOUND: Duration = Duration::from_secs(10);
const ASK_BOARD: u8 = 0x42;
const REPORT: u8 = 0x4b;
const DUMP: usize = 67;

fn unpaced() -> Settings {
    Settings { paced: false, ..Settings::default() }
}

fn script(text: &str) -> Script {
    Script::parse(text).expect("a script")
}

/// Reads until `enough` returns true.
fn read_until(host: &mut Pty, mut enough: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let (began, mut all, mut buffer) = (monotonic(), Vec::new(), [0; 4096]);
    while !enough(&all) {
        assert!(monotonic().since(began) < BOUND, "only {} bytes came: {all:02x?}", all.len());
        match host.read(&mut buffer, Duration::from_millis(50)) {
            Ok(count) => all.extend_from_slice(&buffer[..count]),
            Err(LinkError::TimedOut) => {}
            Err(error) => panic!("{error}"),
        }
    }
    all
}

/// The dump of the board, without the bytes before and after it.
fn ask_board(path: &Path) -> Vec<u8> {
    let mut host = Pty::open(path).expect("the path opens");
    host.write(&[ASK_BOARD]).expect("written");
    let begin = |all: &[u8]| all.windows(3).position(|three| three == [0x86, 0, 67]);
    let all = read_until(&mut host, |all| begin(all).is_some_and(|begin| all.len() >= begin + DUMP));
    let begin = begin(&all).expect("seen");
    all[begin..begin + DUMP].to_vec()
}

fn gone_since(host: &mut Pty) -> MonotonicTime {
    let (began, mut buffer) = (monotonic(), [0; 64]);
    loop {
        match host.read(&mut buffer, Duration::from_millis(50)) {
            Err(LinkError::Unplugged) => return monotonic(),
            Ok(_) | Err(LinkError::TimedOut) => {}
            Err(error) => panic!("{error}"),
        }
        assert!(monotonic().since(began) < BOUND, "the program did not notice that the cable is out");
    }
}

#[test]
fn a_board_answers_and_can_be_opened_again() {
    let board = PtyBoard::start("answers", unpaced(), &Script::new(), 1.0).expect("a board");
    let path = board.path().expect("plugged");
    for _ in 0..3 {
        assert_eq!(ask_board(&path)[3..7], [8, 9, 10, 12], "the dump begins at a8: r n b q");
    }
}

/// Runs a board only while it is not held.
#[derive(Default)]
struct Gate {
    held: AtomicBool,
    waker: Mutex<Option<Waker>>,
    /// The board is held and would have a turn.
    woken: Notify,
    turns: AtomicU32,
}

impl Gate {
    async fn run(self: Arc<Gate>, run: impl Future<Output = ()>) {
        let mut run = Box::pin(run);
        let turn = poll_fn(|context| {
            if self.held.load(Ordering::Relaxed) {
                *self.waker.lock().expect("no panic") = Some(context.waker().clone());
                self.woken.notify_one();
                return Poll::Pending;
            }
            self.turns.fetch_add(1, Ordering::Relaxed);
            run.as_mut().poll(context)
        });
        turn.await;
    }
}

/// The runtime learns that a program has closed the path, and before the board has its turn another program has opened it.
#[test]
fn a_path_that_is_opened_again_at_once_does_not_keep_the_board_busy() {
    let beginning = Beginning { device: Box::new(Emulator::new(unpaced())), time: EmulatedTime::new(1.0), link: None, log: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let _guard = runtime.enter();
    let (board, run) = PtyBoard::make(beginning).expect("a board");
    let gate = Arc::new(Gate::default());
    runtime.spawn(Arc::clone(&gate).run(run));
    let path = board.path().expect("plugged");
    let mut host = Pty::open(&path).expect("opens");
    host.write(&[REPORT, ASK_BOARD]).expect("written");
    let reading = runtime.spawn_blocking(move || {
        read_until(&mut host, |all| all.len() >= DUMP);
        host
    });
    let host = runtime.block_on(reading).expect("the dump");
    gate.held.store(true, Ordering::Relaxed);
    drop(host);
    runtime.block_on(gate.woken.notified());
    let mut host = Pty::open(&path).expect("opens again");
    gate.turns.store(0, Ordering::Relaxed);
    gate.held.store(false, Ordering::Relaxed);
    gate.waker.lock().expect("no panic").take().expect("a turn").wake();
    let reading = runtime.spawn_blocking(move || {
        board.load(&script("0.3 lift e2\n+0.1 place e4")).expect("running");
        let done = board.wait_done(BOUND);
        read_until(&mut host, |all| all.ends_with(&[0x8e, 0, 5, 52, 0, 0x8e, 0, 5, 36, 1]));
        done
    });
    assert!(runtime.block_on(reading).expect("the moves"), "the hands stand still");
    let turns = gate.turns.load(Ordering::Relaxed);
    assert!(turns < 100, "{turns} turns for one move");
}

/// As with a serial port, bytes are lost that the last program has not read, and bytes that are sent while no program has the path
/// open.
#[test]
fn nothing_is_kept_for_the_next_program() {
    let board = PtyBoard::start("alone", unpaced(), &Script::new(), 10.0).expect("a board");
    let path = board.path().expect("plugged");
    let mut host = Pty::open(&path).expect("opens");
    host.write(&[REPORT, ASK_BOARD]).expect("written");
    read_until(&mut host, |all| all.len() >= DUMP);
    board.inject(&[0x8d, 0, 10]).expect("running");
    drop(host);
    let moves: String = (0..40).map(|_| "+0.5 lift e2\n+0.5 place e2\n").collect();
    board.load(&script(&format!("5 lift d2\n{moves}"))).expect("running");
    assert!(board.wait_done(BOUND), "the script continues without a program");
    assert!(board.status().lost_bytes > 300, "only {} bytes were lost", board.status().lost_bytes);
    let mut host = Pty::open(&path).expect("opens again");
    host.write(&[ASK_BOARD]).expect("written");
    let received = read_until(&mut host, |all| all.len() >= DUMP);
    assert_eq!(received[..3], [0x86, 0, 67], "the answer comes first");
}

#[test]
fn hands_move_in_real_time_times_speed() {
    let board = PtyBoard::start("moves", unpaced(), &Script::new(), 20.0).expect("a board");
    let mut host = Pty::open(&board.path().expect("plugged")).expect("opens");
    host.write(&[REPORT]).expect("written");
    let began = monotonic();
    board.load(&script("6 lift e2\n+0.5 place e4")).expect("running");
    assert!(board.wait_done(BOUND), "the script does not end");
    let took = monotonic().since(began);
    assert!(took >= Duration::from_millis(300), "6.5 s at speed 20 took {took:?}");
    assert_within(took, Duration::from_secs(5), "6.5 s at speed 20");
    let fields = |all: &[u8]| all.windows(5).filter(|five| five[..3] == [0x8e, 0, 5]).count();
    let received = read_until(&mut host, |all| fields(all) == 2);
    assert!(received.ends_with(&[0x8e, 0, 5, 36, 1]), "a white pawn on e4 last: {received:02x?}");
    assert!(board.status().impossible.is_empty());
}

#[test]
fn the_cable_is_pulled_and_put_back_under_another_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let stable = folder.path().join("usb-flagfall-0001");
    let board = PtyBoard::start("cable", unpaced(), &Script::new(), 1.0).expect("a board");
    board.link_at(&stable).expect("a link");
    let mut host = Pty::open(&stable).expect("opens");
    host.write(&[REPORT]).expect("written");
    board.load(&script("0.2 lift e2\n+0.1 place e4")).expect("running");
    let pulled = monotonic();
    board.unplug().expect("pulled");
    assert_eq!(board.path(), None);
    assert!(std::fs::symlink_metadata(&stable).is_err(), "the link in the folder is removed with the cable");
    // Meanwhile another board gets the number that is free.
    assert_within(gone_since(&mut host).since(pulled), Duration::from_secs(1), "the end of the path");
    let other = PtyBoard::start("other", unpaced(), &Script::new(), 1.0).expect("a board");
    assert!(board.wait_done(BOUND), "the script continues without the cable");
    let again = board.replug().expect("put back");
    assert_ne!(Some(&again), other.path().as_ref());
    assert_eq!(std::fs::read_link(&stable).expect("the name is back"), again);
    drop(host);
    let dump = ask_board(&stable);
    let squares = &dump[3..];
    assert_eq!((squares[52], squares[36]), (0, 1), "e2 is empty, the pawn is on e4");
    // The cable is pulled and put back at once, without another board between.
    assert!(board.replug().is_ok());
    assert_eq!(ask_board(&stable), dump);
    drop(board);
    assert!(std::fs::symlink_metadata(&stable).is_err(), "the name is taken away");
}

#[test]
fn a_name_that_is_a_file_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = folder.path().join("taken");
    std::fs::write(&taken, "mine").expect("written");
    let board = PtyBoard::start("taken", unpaced(), &Script::new(), 1.0).expect("a board");
    assert_eq!(board.link_at(&taken).map_err(|error| error.kind()), Err(ErrorKind::AlreadyExists));
    drop(board);
    assert_eq!(std::fs::read_to_string(&taken).expect("still there"), "mine");
}

#[test]
fn a_board_can_send_garbage_and_a_flood_and_can_fall_silent() {
    let mut board = PtyBoard::start("garbage", unpaced(), &Script::new(), 1.0).expect("a board");
    let mut host = Pty::open(&board.path().expect("plugged")).expect("opens");
    board.inject(b"\xff\x00garbage").expect("running");
    assert_eq!(read_until(&mut host, |all| all.len() >= 9), b"\xff\x00garbage");
    assert!(board.inject(&vec![0; (1 << 20) + 1]).is_err());
    board.flood(200_000).expect("running");
    read_until(&mut host, |all| all.len() >= 50_000);
    board.flood(0).expect("running");
    board.mute(true).expect("running");
    // The bytes of the flood are still on their way.
    while host.read(&mut [0; 4096], Duration::from_millis(100)).is_ok() {}
    // A host that stands still may have lost a part of the flood.
    let before = board.status().lost_bytes;
    host.write(&[ASK_BOARD]).expect("written");
    wait_until("the answer is lost", PATIENCE, || board.status().lost_bytes >= before + DUMP as u64);
    let received = host.read(&mut [0; 64], Duration::from_millis(300));
    assert!(matches!(received, Err(LinkError::TimedOut)), "a silent board answered: {received:?}");
    board.stop();
    assert_eq!(board.unplug().map_err(|error| error.kind()), Err(ErrorKind::BrokenPipe));
    assert_eq!(board.path(), None);
}

#[test]
fn twenty_boards_start_and_stop() {
    let start = |number: usize| PtyBoard::start(&number.to_string(), unpaced(), &Script::new(), 1.0).expect("a board");
    let boards: Vec<PtyBoard> = (0..20).map(start).collect();
    for board in &boards {
        assert_eq!(ask_board(&board.path().expect("plugged")).len(), DUMP);
    }
}
