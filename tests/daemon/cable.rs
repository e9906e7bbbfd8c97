//! The cable is pulled and put back in the middle of games, and every time the port comes back under another name: the board is online
//! within two seconds, its position is read again, and in the end every move of the game is known.
//!
//! Moves without a link are found if the position alone shows them: one move, or two if only one pair of moves leads to the position at
//! the next press. Three moves without a link need an arbiter, and are not played here.
#![cfg(feature = "broker")]

use std::path::Path;
use std::time::Duration;

use fastrand::Rng;
use flagfall::config::Board;
use flagfall::emulate::hands::Play;
use flagfall::journal::{Disk, read};
use flagfall::system_clock::{MonotonicTime, monotonic};
use flagfall_hardware::pty::Pty;
use flagfall_protocols::trace::Body;

use crate::support::hall::subscriber::Subscriber;
use crate::support::hall::table::{Table, play, wait_until_complete};
use crate::support::hall::{RunningDaemon, TestHall};
use crate::support::seconds::assert_within;
use crate::support::seeds::campaign;
use crate::support::waiting::{PATIENCE, pause, wait_until};

/// The longest time from the return of the plug to the message that the board is online.
const BACK_WITHIN: Duration = Duration::from_secs(2);
const BOARDS: usize = 5;
const PULLS_PER_GAME: usize = 5;
/// The time from one pull of a cable to the next of the same board.
const ROUND: Duration = Duration::from_millis(8_500);
/// A move this short before a pull may not have been reported yet.
const NOT_TOLD: Duration = Duration::from_millis(300);

/// The first bytes of a report of all squares.
const DUMP: [u8; 3] = [0x86, 0, 67];

/// The way in which the daemon finds a board again.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// By a symbolic link that always leads to the present port.
    Link,
    /// By its serial number alone.
    Serial,
    /// By its first port, and when that does not come back, by the serial number that it reported there.
    Learnt,
}

/// A pull of the cable: the time from the beginning of the game, and the time until the cable is put back.
#[derive(Clone, Copy, Debug)]
struct Pull {
    at: Duration,
    out: Duration,
}

/// Random pulls, each with at most one whole move without a link, and one cable out at a time; other tests pull several cables at once.
fn random_pulls(table: &Table, way: Way, rng: &mut Rng) -> Vec<Pull> {
    let presses = table.presses();
    let (from, longest, read_again) = match (way, table.id.as_str()) {
        (Way::Serial, _) => (1_400, 300, 1_700),
        (Way::Learnt, _) => (3_500, 300, 1_700),
        (Way::Link, "b0") => (0, 400, 850),
        (Way::Link, "b3") => (5_600, 400, 850),
        (Way::Link, _) => (7_000, 400, 850),
    };
    let one = |number: usize| loop {
        let at = Duration::from_millis(800 + rng.u64(from..from + 150)) + ROUND * number as u32;
        let out = if rng.u8(0..4) == 0 { Duration::ZERO } else { Duration::from_millis(rng.u64(50..longest)) };
        let dark = at - NOT_TOLD..at + out + Duration::from_millis(read_again);
        if presses.iter().filter(|press| dark.contains(*press)).count() <= 1 {
            return Pull { at, out };
        }
    };
    (0..PULLS_PER_GAME).map(one).collect()
}

/// Plays the game of one table with these pulls; returns the time until the board was back after each of them, with a description.
fn play_with_pulls(table: &Table, way: Way, pulls: &[Pull], hall: &TestHall, subscriber: &Subscriber) -> Vec<(Duration, String)> {
    let began = monotonic();
    table.board.load(&table.script).expect("hands");
    let pull = |(number, pull): (usize, &Pull)| {
        pause(began.after(pull.at).since(monotonic()));
        let from = subscriber.count();
        table.board.unplug().expect("pulled");
        // Another pseudo-terminal gets the number that became free.
        let _other = Pty::pair().expect("a pseudo-terminal");
        if !matches!(way, Way::Link) {
            table.board.link_at(&hall.port(&format!("tty-{}-{number}", table.id))).expect("another name");
        }
        pause(pull.out);
        table.board.replug().expect("put back");
        let plugged = monotonic();
        let took = subscriber.device(&table.id, &["online", "unstable"], from).at.since(plugged);
        (took, format!("{} {way:?} {pull:?}: {took:?}", table.id))
    };
    let times = pulls.iter().enumerate().map(pull).collect();
    assert!(table.board.wait_done(Duration::from_secs(120)), "{}: the game does not end", table.id);
    times
}

/// The players at a board that is found by asking think longer, so that they make one move at a time without a link.
fn game_of(number: usize, seed: usize) -> Play {
    match number {
        1 | 2 => play(number + seed, 15, [2_000, 2_700]),
        _ => play(number + seed, 18, [1_300, 2_000]),
    }
}

fn play_and_pull(seed: u64) {
    let hall = TestHall::new();
    let tables: Vec<Table> = (0..BOARDS).map(|number| Table::new(&hall, number, &game_of(number, seed as usize))).collect();
    let way = |number: usize| match number {
        1 => Way::Serial,
        2 => Way::Learnt,
        _ => Way::Link,
    };
    let configured = |(number, table): (usize, &Table)| match way(number) {
        Way::Link | Way::Learnt => table.by_port(&hall),
        Way::Serial => Board { id: table.id.clone(), serial: Some((1000 + number).to_string()), ..Board::default() },
    };
    let (daemon, subscriber) = RunningDaemon::heard(hall.loaded(tables.iter().enumerate().map(configured).collect()));
    tables.iter().for_each(|table| drop(subscriber.device(&table.id, &["online"], 0)));
    // A board is online at its first answer, before its position is read.
    tables.iter().for_each(|table| subscriber.wait_until_armed(&table.id));

    let (shared_hall, shared_subscriber) = (&hall, &subscriber);
    let mut times: Vec<(Duration, String)> = std::thread::scope(|scope| {
        let start = |(number, table)| {
            let pulls = random_pulls(table, way(number), &mut Rng::with_seed(seed + number as u64));
            scope.spawn(move || play_with_pulls(table, way(number), &pulls, shared_hall, shared_subscriber))
        };
        let games: Vec<_> = tables.iter().enumerate().map(start).collect();
        games.into_iter().flat_map(|game| game.join().expect("a game")).collect()
    });
    times.sort();
    wait_until_complete(&subscriber, &tables);
    times.iter().for_each(|(took, when)| assert_within(*took, BACK_WITHIN, when));
    daemon.stop();
    for table in &tables {
        let status = table.board.status();
        assert!(status.impossible.is_empty(), "{}: {:?}", table.id, status.impossible);
        assert_eq!((status.counters.set_and_run, status.counters.display, status.counters.dangerous), (0, 0, 0), "{}", table.id);
        assert_eq!(positions_read(&hall.journal().join(&table.id)), vec![true; PULLS_PER_GAME + 1], "{}", table.id);
    }
}

/// For each connection in this journal, whether the position was read.
fn positions_read(dir: &Path) -> Vec<bool> {
    let recovered = read(&mut Disk::reading(dir)).expect("a journal");
    let mut sessions: Vec<Vec<u8>> = Vec::new();
    for record in recovered.records() {
        match record.body {
            Body::Link { up: true, .. } => sessions.push(Vec::new()),
            Body::Rx { bytes, .. } => sessions.last_mut().expect("a link").extend_from_slice(&bytes),
            _ => {}
        }
    }
    sessions.iter().map(|bytes| bytes.windows(3).any(|three| three == DUMP)).collect()
}

/// All cables are pulled and put back under other names in another order; each board is back in time after the last plug.
fn all_at_once(count: usize) {
    let hall = TestHall::new();
    let tables: Vec<Table> = (0..count).map(|number| Table::new(&hall, number, &play(number, 2, [100, 200]))).collect();
    let configured = |(number, table): (usize, &Table)| Board {
        id: table.id.clone(),
        serial: Some((1000 + number).to_string()),
        ..Board::default()
    };
    let (daemon, subscriber) = RunningDaemon::heard(hall.loaded(tables.iter().enumerate().map(configured).collect()));
    tables.iter().for_each(|table| drop(subscriber.device(&table.id, &["online"], 0)));
    let from = subscriber.count();
    tables.iter().for_each(|table| table.board.unplug().expect("pulled"));
    let mut rng = Rng::with_seed(count as u64);
    let mut order: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut order);
    for (place, number) in order.iter().enumerate() {
        tables[*number].board.link_at(&hall.port(&format!("other-{place}"))).expect("another name");
    }
    rng.shuffle(&mut order);
    order.iter().for_each(|number| drop(tables[*number].board.replug().expect("put back")));
    let plugged = monotonic();
    let times: Vec<Duration> = tables.iter().map(|table| wait_until_back(&subscriber, &table.id, from).since(plugged)).collect();
    times.iter().for_each(|took| assert_within(*took, BACK_WITHIN, format_args!("{count} boards, {times:?}")));
    // A board is online at its first answer; the hands begin when its position has been read, too.
    for table in &tables {
        let journal = hall.journal().join(&table.id);
        wait_until("the position is read again", PATIENCE, || matches!(positions_read(&journal)[..], [_, true]));
    }
    tables.iter().for_each(|table| table.board.load(&table.script).expect("hands"));
    assert!(tables.iter().all(|table| table.board.wait_done(PATIENCE)));
    wait_until_complete(&subscriber, &tables);
    daemon.stop();
    for table in &tables {
        // The first connection may have been too short.
        let readings = positions_read(&hall.journal().join(&table.id));
        assert!(matches!(readings[..], [_, true]), "{}: {readings:?}", table.id);
    }
}

/// Waits until the board is lost and online again; returns the time at which it was online.
fn wait_until_back(subscriber: &Subscriber, board: &str, from: usize) -> MonotonicTime {
    let mut gone = false;
    let back = subscriber.find(from, PATIENCE, |received| match received.device(board) {
        Some("online" | "unstable") if gone => Some(received.at),
        Some(state) => {
            gone |= state == "offline";
            None
        }
        None => None,
    });
    back.unwrap_or_else(|| panic!("board {board} does not come back"))
}

#[test]
fn six_boards_known_by_their_numbers_are_pulled_and_put_back_at_once() {
    all_at_once(6);
}

#[test]
fn eight_boards_known_by_their_numbers_are_pulled_and_put_back_at_once() {
    all_at_once(8);
}

#[test]
fn the_cable_is_pulled_at_twenty_five_moments() {
    campaign("cable pulls", 1..2, |seed| {
        play_and_pull(seed);
        (BOARDS * PULLS_PER_GAME) as u64
    });
}
