//! Tests of several boards that are known only by their serial numbers and whose cables are pulled at the same time.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::link::Link;
use flagfall_hardware::port::LinkProblem;
use flagfall_hardware::pty::Pty;
use flagfall_hardware::reactor::Reactor;

use super::support::{Board, Folder, LONG, TestLink, by_path, by_serial, many_links, now, reactor};
use crate::seconds::within;

/// The time limit from the last plugged cable to the open port, in microseconds. The session after it takes 0.7 s and an
/// answer, within two seconds in all. A probe takes 0.9 s and an answer.
const OPEN_WITHIN: u64 = 1_200_000;

struct Setup {
    folder: Folder,
    ports: Arc<Reactor>,
    rng: Rng,
    boards: Vec<(String, Board)>,
    names: usize,
}

impl Setup {
    fn new(seed: u64) -> Setup {
        Setup { folder: Folder::new(), ports: reactor(), rng: Rng::with_seed(seed), boards: Vec::new(), names: 0 }
    }

    /// Starts a board with a random delay before its answers.
    fn board(&mut self, serial: u16) -> Board {
        Board::answering(serial, Duration::from_millis(self.rng.u64(5..100)))
    }

    /// Plugs the board in under a new name.
    fn plug_in(&mut self, board: Board) {
        let name = format!("{:03}-{}", self.rng.u8(..), self.names);
        self.names += 1;
        self.folder.link(&name, &board.path);
        self.boards.push((name, board));
    }

    /// Plugs the boards of these numbers in, in any order.
    fn plug(&mut self, serials: &[u16]) {
        let mut serials = serials.to_vec();
        self.rng.shuffle(&mut serials);
        let boards: Vec<Board> = serials.into_iter().map(|serial| self.board(serial)).collect();
        boards.into_iter().for_each(|board| self.plug_in(board));
    }

    /// Pulls every cable.
    fn pull(&mut self) {
        self.boards.iter().for_each(|(name, _)| self.folder.unlink(name));
        self.boards.clear();
    }

    fn links(&self, serials: &[u16]) -> Vec<TestLink> {
        let link = |serial: &u16| TestLink::start(by_serial(&self.folder, &serial.to_string()), &self.ports);
        serials.iter().map(link).collect()
    }
}

/// Returns how long each link took, with the slowest last.
fn back(links: &[TestLink], since: u64) -> Vec<u64> {
    let mut took: Vec<u64> = links.iter().map(|link| link.up().0.saturating_sub(since)).collect();
    took.sort_unstable();
    took
}

fn all_at_once(count: u16, seed: u64) {
    let serials: Vec<u16> = (2101..2101 + count).collect();
    let mut setup = Setup::new(seed);
    setup.plug(&serials);
    let links = setup.links(&serials);
    back(&links, now());
    for _ in 0..4 {
        setup.pull();
        links.iter().for_each(|link| drop(link.down()));
        setup.plug(&serials);
        let took = back(&links, now());
        took.iter().for_each(|took| within(*took, OPEN_WITHIN));
    }
}

#[test]
fn six_and_eight_boards_come_back_together() {
    let _alone = many_links();
    std::thread::scope(|scope| {
        scope.spawn(|| all_at_once(6, 1));
        scope.spawn(|| all_at_once(8, 2));
    });
}

#[test]
fn more_boards_than_one_link_asks_come_back_together() {
    let _alone = many_links();
    all_at_once(20, 3);
}

#[test]
fn boards_that_come_back_one_by_one_do_not_wait_for_each_other() {
    let serials: Vec<u16> = (2201..=2208).collect();
    let mut setup = Setup::new(4);
    setup.plug(&serials);
    let links = setup.links(&serials);
    back(&links, now());
    for _ in 0..5 {
        setup.pull();
        links.iter().for_each(|link| drop(link.down()));
        let mut plugged: Vec<(u16, u64)> = Vec::new();
        let mut order = serials.clone();
        setup.rng.shuffle(&mut order);
        for serial in order {
            let board = setup.board(serial);
            // This wait only lets time pass: meanwhile the other ports are probed, and some boards are back.
            std::thread::park_timeout(Duration::from_millis(setup.rng.u64(0..300)));
            plugged.push((serial, now()));
            setup.plug_in(board);
        }
        for (serial, since) in plugged {
            let took = links[usize::from(serial - 2201)].up().0.saturating_sub(since);
            within(took, OPEN_WITHIN);
        }
    }
}

/// Returns a port that a link probes and at which the test answers.
fn asked(setup: &Setup) -> Pty {
    let (mut port, path) = Pty::pair().unwrap();
    setup.folder.link("asked", &path);
    port.read(&mut [0; 1], LONG).expect("the first question");
    port
}

/// Returns how often a session starts in the bytes of this time.
fn begins(port: &mut Pty, span: Duration) -> usize {
    let end = now() + span.as_micros() as u64;
    let mut begins = 0;
    let mut buffer = [0; 64];
    while now() < end {
        if let Ok(count) = port.read(&mut buffer, Duration::from_micros(end.saturating_sub(now()))) {
            begins += buffer[..count].iter().filter(|byte| **byte == 0x40).count();
        }
    }
    begins
}

/// Sends this serial number as the board.
fn send_serial_number(port: &mut Pty, number: &str) {
    port.write(&[0x91, 0, 8]).unwrap();
    port.write(number.as_bytes()).unwrap();
}

#[test]
fn a_question_of_a_removed_link_helps_another_link() {
    let mut setup = Setup::new(5);
    let test_link = TestLink::start(by_serial(&setup.folder, "2301"), &setup.ports);
    let mut port = asked(&setup);
    let second_link = TestLink::start(by_serial(&setup.folder, "2302"), &setup.ports);
    let board = setup.board(2301);
    setup.plug_in(board);
    test_link.up();
    assert_eq!(begins(&mut port, Duration::from_millis(800)), 0, "begun anew");
    let reported = now();
    send_serial_number(&mut port, "02302");
    let (at, _) = second_link.up();
    within(at - reported, 500_000);
}

#[test]
fn a_serial_number_that_another_link_wants_reaches_it_at_once() {
    let setup = Setup::new(8);
    let test_link = TestLink::start(by_serial(&setup.folder, "2601"), &setup.ports);
    let mut port = asked(&setup);
    let second_link = TestLink::start(by_serial(&setup.folder, "2602"), &setup.ports);
    // Only the test reads the first question of a session. It answers when all links know of each other.
    assert_eq!(begins(&mut port, Duration::from_millis(300)), 0);
    let reported = now();
    send_serial_number(&mut port, "02602");
    let (at, _) = second_link.up();
    within(at - reported, 300_000);
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
}

#[test]
fn a_silent_device_is_asked_once_for_all_links() {
    let setup = Setup::new(6);
    let test_link = setup.links(&[2401, 2402, 2403, 2404, 2405]);
    test_link.iter().for_each(|test_link| assert_eq!(test_link.missing(), LinkProblem::NotFound));
    let mut port = asked(&setup);
    assert_eq!(begins(&mut port, Duration::from_secs(7)), 0, "the device was probed more than once");
    let wakes: Vec<u64> = test_link.iter().map(|test_link| test_link.wakes()).collect();
    assert!(wakes.iter().all(|wakes| *wakes < 150), "{wakes:?} times in seven seconds");
}

#[test]
fn a_probed_port_is_given_to_the_link_that_is_configured_for_it() {
    let setup = Setup::new(7);
    let test_link = TestLink::start(by_serial(&setup.folder, "2501"), &setup.ports);
    let mut port = asked(&setup);
    let begun = now();
    let configured = TestLink::start(by_path(&setup.folder, "asked"), &setup.ports);
    let (at, _) = configured.up();
    within(at - begun, 500_000);
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    while port.read(&mut [0; 64], Duration::from_millis(50)).is_ok() {}
    configured.link.send(vec![0x42]).unwrap();
    let mut buffer = [0; 64];
    assert_eq!(port.read(&mut buffer, LONG).expect("its own bytes"), 1);
    assert_eq!(buffer[0], 0x42);
}
