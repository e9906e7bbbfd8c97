//! The thread of one link: bytes, the end of a cable, silence, stopping.

use std::time::Duration;

use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::port::{LinkProblem, Ports, SendError, Wanted};
use flagfall_hardware::pty::Pty;

use super::support::{Folder, Heard, LONG, any, by_path, now};
use crate::seconds::within;

pub(crate) fn open() -> (Folder, Pty, Heard) {
    let folder = Folder::new();
    let (board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let heard = Heard::start(by_path(&folder, "a"), &Ports::new());
    assert_eq!(heard.up().1, path);
    (folder, board, heard)
}

#[test]
fn bytes_pass_both_ways() {
    let (_folder, mut board, heard) = open();
    let all: Vec<u8> = (0..=255).collect();
    let before = now();
    board.write(&all).unwrap();
    assert_eq!(heard.bytes(256), all);
    heard.thread.send(all[..100].to_vec()).unwrap();
    heard.thread.send(Vec::new()).unwrap();
    heard.thread.send(all[100..].to_vec()).unwrap();
    let mut got = Vec::new();
    let mut buffer = [0; 64];
    while got.len() < 256 {
        let count = board.read(&mut buffer, LONG).expect("what was sent");
        got.extend_from_slice(&buffer[..count]);
    }
    assert_eq!(got, all);
    board.write(&[1]).unwrap();
    let (at, _) = heard.next();
    assert!((before..=now()).contains(&at), "stamped when it came");
}

#[test]
fn a_pulled_cable_is_told_at_once() {
    let (folder, mut board, heard) = open();
    board.write(b"last words").unwrap();
    assert_eq!(heard.bytes(10), b"last words");
    folder.unlink("a");
    let pulled = now();
    board.close();
    let (at, cause) = heard.down();
    assert_eq!(cause, LinkError::Unplugged.to_string());
    within(at - pulled, 200_000);
    assert_eq!(heard.thread.send(vec![0x40]), Err(SendError::Down));
    assert_eq!(heard.missing(), LinkProblem::NotFound);
    heard.quiet(Duration::from_millis(1500));
}

#[test]
fn a_quiet_port_wakes_nobody() {
    let (_folder, mut board, heard) = open();
    board.write(&[0x8e]).unwrap();
    heard.bytes(1);
    let before = heard.thread.wakes();
    heard.quiet(Duration::from_secs(2));
    assert_eq!(heard.thread.wakes(), before);
}

#[test]
fn a_link_without_a_port_does_not_spin() {
    let folder = Folder::new();
    let heard = Heard::start(by_path(&folder, "a"), &Ports::new());
    assert_eq!(heard.missing(), LinkProblem::NotFound);
    heard.quiet(Duration::from_secs(3));
    // 0.1, 0.3, 0.7, 1.5, 2.5 s; and other tests' comings and goings in watched folders above.
    let wakes = heard.thread.wakes();
    assert!((3..=60).contains(&wakes), "{wakes} times");
}

#[test]
fn stopping_is_prompt() {
    let folder = Folder::new();
    let (_board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let ports = Ports::new();
    let (open, lost) = (Heard::start(by_path(&folder, "a"), &ports), Heard::start(by_path(&folder, "b"), &ports));
    open.up();
    lost.missing();
    let before = now();
    open.thread.stop();
    lost.thread.stop();
    within(now() - before, 1_000_000);
    // The port is free again.
    Heard::start(by_path(&folder, "a"), &ports).up();
}

#[test]
fn what_nobody_reads_ends_the_link() {
    let (_folder, mut board, heard) = open();
    let mut taken = 0;
    let refused = loop {
        match heard.thread.send(vec![0x40; 4096]) {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(taken < 1000, "the queue has no bound");
    };
    assert_eq!(refused, SendError::Full);
    // Reading goes on meanwhile.
    board.write(b"still here").unwrap();
    assert_eq!(heard.bytes(10), b"still here");
    assert_eq!(heard.down().1, LinkError::TimedOut.to_string());
    // It is there, so it is opened again, and nothing of before is sent.
    heard.up();
    heard.quiet(Duration::from_millis(100));
}

#[test]
fn another_device_may_be_bound() {
    let folder = Folder::new();
    let ((_one, first), (mut two, second)) = (Pty::pair().unwrap(), Pty::pair().unwrap());
    folder.link("a", &first);
    folder.link("b", &second);
    let ports = Ports::new();
    let heard = Heard::start(by_path(&folder, "a"), &ports);
    assert_eq!(heard.up().1, first);
    heard.thread.want(by_path(&folder, "b"));
    assert_eq!(heard.down().1, LinkError::Unplugged.to_string());
    assert_eq!(heard.up().1, second);
    two.write(&[7]).unwrap();
    assert_eq!(heard.bytes(1), [7]);
    heard.thread.want(Wanted { port: Some(folder.path().join("c")), ..any(&folder) });
    heard.down();
    assert_eq!(heard.missing(), LinkProblem::NotFound);
    heard.thread.want(by_path(&folder, "a"));
    assert_eq!(heard.up().1, first);
}
