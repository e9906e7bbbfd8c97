//! Tests of ports that open and then fail, and of devices that no driver expects.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use flagfall_hardware::link::Link;
use flagfall_hardware::port::{LinkProblem, Wanted};
use flagfall_hardware::pty::Pty;
use flagfall_protocols::driver::{Driver, DriverInfo, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

use super::support::{Board, Folder, LONG, LinkReport, TestLink, by_path, by_serial, now, reactor};

/// Makes the name point to this port, without a change in the watched folders.
fn point(name: &Path, port: &Path) {
    let new = name.with_extension("new");
    symlink(port, &new).unwrap();
    fs::rename(&new, name).unwrap();
}

#[test]
fn a_port_that_opens_and_fails_is_tried_more_and_more_slowly() {
    let (folder, hidden) = (Folder::new(), Folder::new());
    let name = hidden.path().join("port");
    let (mut board, path) = Pty::pair().unwrap();
    point(&name, &path);
    folder.link("a", &name);
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    let end = now() + 2_500_000;
    let mut ups = 0;
    while now() < end {
        test_link.up();
        ups += 1;
        let (next, path) = Pty::pair().unwrap();
        point(&name, &path);
        // The port disappears before it sent a byte.
        drop(std::mem::replace(&mut board, next));
        test_link.down();
    }
    // The link tries at once, then after 0.1, 0.2, 0.4, 0.8 and 1 s.
    assert!((3..=6).contains(&ups), "{ups} times in 2.5 s");

    test_link.up();
    board.write(&[0x8e]).unwrap();
    test_link.bytes(1);
    let (_next, path) = Pty::pair().unwrap();
    point(&name, &path);
    drop(board);
    let (down, _) = test_link.down();
    let (up, _) = test_link.up();
    assert!(up - down < 1_000_000, "bytes came: not the longest wait, but {} microseconds", up - down);
}

/// The driver of the test panics at this byte.
const ODD: u8 = 0x55;

struct Fragile(Box<dyn Driver>);

impl Driver for Fragile {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        if let Input::Bytes { bytes, .. } = input {
            assert!(!bytes.contains(&ODD), "the test asks for this panic");
        }
        self.0.handle(at, input);
    }

    fn poll(&mut self) -> Option<Output> {
        self.0.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.deadline()
    }
}

static FRAGILE: std::sync::LazyLock<DriverInfo> = std::sync::LazyLock::new(|| DriverInfo {
    make: || Box::new(Fragile(drivers::find("dgt").expect("registered").start())),
    ..*drivers::find("dgt").expect("registered")
});

#[test]
fn a_driver_that_panics_at_another_device_still_finds_its_board() {
    let folder = Folder::new();
    let (mut odd, path) = Pty::pair().unwrap();
    folder.link("odd", &path);
    let wanted = Wanted { driver: &FRAGILE, ..by_serial(&folder, "7001") };
    let test_link = TestLink::start(wanted, &reactor());
    odd.read(&mut [0; 64], LONG).expect("it is asked");
    odd.write(&[ODD]).unwrap();
    match test_link.missing() {
        LinkProblem::Failed { path: reported, cause } => {
            assert!(reported == path && cause.contains("driver"), "{}: {cause}", reported.display())
        }
        problem => panic!("{problem}"),
    }
    let board = Board::start(7001);
    folder.link("board", &board.path);
    loop {
        match test_link.change().1 {
            LinkReport::Up(path, _) => break assert_eq!(path, board.path),
            LinkReport::Missing(problem) => assert_eq!(problem, LinkProblem::NotFound, "reported once"),
            other => panic!("{other:?}"),
        }
    }
    test_link.quiet(Duration::from_millis(100));
}
