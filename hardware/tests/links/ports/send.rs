//! Writing: at once if the port accepts it, in order, and never after the end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::scope;
use std::time::Duration;

use flagfall_hardware::link::Link;
use flagfall_hardware::port::SendError;
use flagfall_hardware::pty::Pty;
use flagfall_hardware::serial::Serial;

use super::one::open;
use super::support::{Folder, LONG, TestLink, by_path, open_free, reactor};
use crate::bluez::STARTING;

/// Returns byte number `index` of a stream in which no two parts are equal.
fn byte(index: usize) -> u8 {
    (index.wrapping_mul(31) ^ (index >> 8)) as u8
}

fn read(board: &mut Pty, from: usize, to: usize) {
    let mut buffer = [0; 512];
    let mut at = from;
    while at < to {
        let most = buffer.len().min(to - at);
        let count = board.read(&mut buffer[..most], LONG).expect("what was sent");
        for got in &buffer[..count] {
            assert_eq!(*got, byte(at), "byte {at}");
            at += 1;
        }
    }
}

#[test]
fn sending_causes_no_wake() {
    let (_folder, mut board, test_link) = open();
    board.write(&[0x8e]).unwrap();
    test_link.bytes(1);
    test_link.quiet(Duration::from_millis(50));
    let before = test_link.wakes();
    for index in 0..1000 {
        test_link.link.send(vec![byte(index)]).unwrap();
        read(&mut board, index, index + 1);
    }
    test_link.quiet(Duration::from_millis(50));
    assert_eq!(test_link.wakes(), before);
}

#[test]
fn a_port_that_is_full_now_and_then_keeps_the_order() {
    let (_folder, mut board, test_link) = open();
    let before = test_link.wakes();
    let (mut sent, mut got, mut full, mut most) = (0, 0, 0, 0);
    for round in 0..200 {
        // Small pieces and large ones.
        for size in [1, 7, 4096, 2, 1000 + round] {
            match test_link.link.send((sent..sent + size).map(byte).collect()) {
                Ok(()) => sent += size,
                Err(error) => {
                    assert_eq!(error, SendError::Full);
                    full += 1;
                }
            }
        }
        // Mostly the board reads a small part of the waiting bytes, sometimes all of them; then pieces are sent directly again.
        most = most.max(sent - got);
        let part = if round % 20 == 19 { sent - got } else { (sent - got) / 8 };
        read(&mut board, got, got + part);
        got += part;
    }
    read(&mut board, got, sent);
    assert!(sent > 200_000, "{sent} bytes");
    assert!(full < 200, "{full} pieces were refused");
    assert!(most > 25_000, "no more than {most} bytes waited: a pseudo-terminal takes 20,480");
    assert!(test_link.wakes() > before, "the reactor must send the bytes that the port did not accept");
    test_link.quiet(Duration::from_millis(50));
}

#[test]
fn several_threads_send_whole_pieces() {
    let (_folder, mut board, test_link) = open();
    let link = &test_link.link;
    scope(|scope| {
        for letter in [b'a', b'b', b'c'] {
            scope.spawn(move || {
                for _ in 0..300 {
                    while link.send(vec![letter; 300]) == Err(SendError::Full) {
                        std::thread::yield_now();
                    }
                }
            });
        }
        let mut all = Vec::new();
        let mut buffer = [0; 4096];
        while all.len() < 3 * 300 * 300 {
            let count = board.read(&mut buffer, LONG).expect("what was sent");
            all.extend_from_slice(&buffer[..count]);
        }
        assert!(all.chunks(300).all(|piece| piece.iter().all(|byte| *byte == piece[0])));
    });
}

/// Notes the end of a test's part when it is dropped.
struct EndsAtDrop<'a>(&'a AtomicBool);

impl Drop for EndsAtDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn nothing_is_written_after_the_end_and_the_port_is_free_at_once() {
    let folder = Folder::new();
    let (mut board, path) = Pty::pair().unwrap();
    folder.link("a", &path);
    let ports = reactor();
    let test_link = TestLink::start(by_path(&folder, "a"), &ports);
    for round in 0..100_u8 {
        assert_eq!(test_link.up().1, path);
        // It may have to wait, and a board that does not read is lost after a second.
        let no_program_starts = STARTING.read();
        let ended = AtomicBool::new(false);
        scope(|scope| {
            let sender = scope.spawn(|| {
                while !ended.load(Ordering::Acquire) {
                    let _ = test_link.link.send(vec![round]);
                }
                assert_eq!(test_link.link.send(vec![round]), Err(SendError::Down), "round {round}");
            });
            // If this thread panics, the sender must end too.
            let _end = EndsAtDrop(&ended);
            board.read(&mut [0; 1], LONG).expect("what is sent");
            // The link moves to another port. Another program can open this port as soon as the end is reported.
            test_link.link.want(by_path(&folder, "nowhere"));
            test_link.down();
            let other = open_free(&path);
            drop(no_program_starts);
            assert!(other.is_ok(), "round {round}: {other:?}");
            // The bytes from before the end are read; the sender keeps trying.
            while board.read(&mut [0; 4096], Duration::from_millis(5)).is_ok() {}
            ended.store(true, Ordering::Release);
            sender.join().expect("the sender");
        });
        assert!(board.read(&mut [0; 1], Duration::ZERO).is_err(), "round {round}: written after the end");
        test_link.link.want(by_path(&folder, "a"));
    }
}

#[test]
fn stopping_closes_the_port() {
    let (folder, _board, test_link) = open();
    let path = std::fs::canonicalize(folder.path().join("a")).unwrap();
    test_link.link.send(vec![0x40]).unwrap();
    assert!(Serial::open(&path, 9600).is_err(), "it is held");
    let _no_program_starts = STARTING.read();
    drop(test_link);
    open_free(&path).expect("free");
}
