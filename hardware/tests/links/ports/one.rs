//! Tests of one link: bytes, a pulled cable, silence, and the stop.

use std::time::Duration;

use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::port::{LinkProblem, SendError, Wanted};
use flagfall_hardware::pty::Pty;

use super::support::{Folder, LONG, TestLink, any, by_path, now, reactor};
use crate::seconds::within;

pub(crate) fn open() -> (Folder, Pty, TestLink) {
    let folder = Folder::new();
    let (board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    assert_eq!(test_link.up().1, path);
    (folder, board, test_link)
}

#[test]
fn bytes_pass_in_both_directions() {
    let (_folder, mut board, test_link) = open();
    let all: Vec<u8> = (0..=255).collect();
    let before = now();
    board.write(&all).unwrap();
    assert_eq!(test_link.bytes(256), all);
    test_link.link.send(all[..100].to_vec()).unwrap();
    test_link.link.send(Vec::new()).unwrap();
    test_link.link.send(all[100..].to_vec()).unwrap();
    let mut got = Vec::new();
    let mut buffer = [0; 64];
    while got.len() < 256 {
        let count = board.read(&mut buffer, LONG).expect("what was sent");
        got.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(got, all);
    board.write(&[1]).unwrap();
    let (at, _) = test_link.next();
    assert!((before..=now()).contains(&at), "stamped when it came");
}

#[test]
fn a_pulled_cable_is_reported_at_once() {
    let (folder, mut board, test_link) = open();
    board.write(b"last words").unwrap();
    assert_eq!(test_link.bytes(10), b"last words");
    folder.unlink("a");
    let pulled = now();
    drop(board);
    let (at, cause) = test_link.down();
    assert_eq!(cause, LinkError::Unplugged.to_string());
    within(at - pulled, 200_000);
    assert_eq!(test_link.link.send(vec![0x40]), Err(SendError::Down));
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    test_link.quiet(Duration::from_millis(1500));
}

#[test]
fn a_quiet_port_causes_no_wake() {
    let (_folder, mut board, test_link) = open();
    board.write(&[0x8e]).unwrap();
    test_link.bytes(1);
    let before = test_link.wakes();
    test_link.quiet(Duration::from_secs(2));
    assert_eq!(test_link.wakes(), before);
}

#[test]
fn a_link_without_a_port_does_not_spin() {
    let folder = Folder::new();
    let test_link = TestLink::start(by_path(&folder, "a"), &reactor());
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    test_link.quiet(Duration::from_secs(3));
    // The reactor wakes at 0.1, 0.3, 0.7, 1.5, 2.5 s, and when other tests change the watched folders above.
    let wakes = test_link.wakes();
    assert!((3..=60).contains(&wakes), "{wakes} times");
}

#[test]
fn stopping_is_prompt() {
    let folder = Folder::new();
    let (_board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let ports = reactor();
    let (open, lost) = (TestLink::start(by_path(&folder, "a"), &ports), TestLink::start(by_path(&folder, "b"), &ports));
    open.up();
    lost.missing();
    let before = now();
    drop((open, lost));
    within(now() - before, 1_000_000);
    // The port is free again.
    TestLink::start(by_path(&folder, "a"), &ports).up();
}

#[test]
fn bytes_that_are_never_read_end_the_link() {
    let (_folder, mut board, test_link) = open();
    let mut taken = 0;
    let refused = loop {
        match test_link.link.send(vec![0x40; 4096]) {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(taken < 1000, "the queue has no bound");
    };
    assert_eq!(refused, SendError::Full);
    // The link still reads meanwhile.
    board.write(b"still here").unwrap();
    assert_eq!(test_link.bytes(10), b"still here");
    assert_eq!(test_link.down().1, LinkError::TimedOut.to_string());
    // The port still exists, so it is opened again. Nothing from before is sent.
    test_link.up();
    test_link.quiet(Duration::from_millis(100));
}

#[test]
fn a_link_can_be_moved_to_another_device() {
    let folder = Folder::new();
    let ((_one, first), (mut two, second)) = (Pty::pair().unwrap(), Pty::pair().unwrap());
    folder.link("a", &first);
    folder.link("b", &second);
    let ports = reactor();
    let test_link = TestLink::start(by_path(&folder, "a"), &ports);
    assert_eq!(test_link.up().1, first);
    test_link.link.want(by_path(&folder, "b"));
    assert_eq!(test_link.down().1, LinkError::Unplugged.to_string());
    assert_eq!(test_link.up().1, second);
    two.write(&[7]).unwrap();
    assert_eq!(test_link.bytes(1), [7]);
    test_link.link.want(Wanted { port: Some(folder.path().join("c")), ..any(&folder) });
    test_link.down();
    assert_eq!(test_link.missing(), LinkProblem::NotFound);
    test_link.link.want(by_path(&folder, "a"));
    assert_eq!(test_link.up().1, first);
}
