//! Tests of a serial port as a link.

use std::time::Duration;

use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;
use flagfall_hardware::serial::Serial;

use super::support::{LONG, now, open_free};
use crate::bluez::STARTING;

fn read_exactly(link: &mut dyn Link, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 64];
    while bytes.len() < count {
        let got = link.read(&mut buffer, LONG).expect("all bytes come");
        bytes.extend_from_slice(&buffer[..got]);
    }
    bytes
}

#[test]
fn every_byte_value_passes_in_both_directions() {
    let (mut board, path) = Pty::pair().unwrap();
    let mut port = Serial::open(&path, 9600).unwrap();
    let mut all: Vec<u8> = (0..=255).collect();
    all.extend([0x00, 0x03, 0x04, 0x11, 0x13, 0x0d, 0x0a, 0x7f, 0xff, 0xff, 0x00]);
    board.write(&all).unwrap();
    assert_eq!(read_exactly(&mut port, all.len()), all);
    port.write(&all).unwrap();
    assert_eq!(read_exactly(&mut board, all.len()), all);
    let soon = Duration::from_millis(20);
    assert!(matches!(port.read(&mut [0; 8], soon), Err(LinkError::TimedOut)), "no echo");
    assert!(matches!(port.read_now(&mut [0; 8]), Ok(None)));
    assert!(matches!(port.read(&mut [], LONG), Ok(0)));
}

#[test]
fn one_program_has_the_port_at_a_time() {
    let (_board, path) = Pty::pair().unwrap();
    let first = Serial::open(&path, 9600).unwrap();
    for _ in 0..2 {
        assert!(matches!(Serial::open(&path, 9600), Err(LinkError::Busy)));
    }
    let _no_program_starts = STARTING.read();
    drop(first);
    let again = open_free(&path);
    assert!(again.is_ok(), "given up with the port: {again:?}");
}

#[test]
fn other_files_do_not_open_as_ports() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    assert!(matches!(Serial::open(&file, 9600), Err(LinkError::Unplugged)), "nothing is there");
    std::fs::write(&file, "x").unwrap();
    assert!(matches!(Serial::open(&file, 9600), Err(LinkError::Other(_))));
    assert!(matches!(Serial::open(folder.path(), 9600), Err(LinkError::Other(_))));
}

#[test]
fn an_unplug_ends_both_directions() {
    let (board, path) = Pty::pair().unwrap();
    let mut port = Serial::open(&path, 9600).unwrap();
    drop(board);
    for _ in 0..2 {
        assert!(matches!(port.read(&mut [0; 8], LONG), Err(LinkError::Unplugged)));
        assert!(matches!(port.read_now(&mut [0; 8]), Err(LinkError::Unplugged)));
        assert!(matches!(port.write(&[0x40]), Err(LinkError::Unplugged)));
    }
}

#[test]
fn a_write_that_is_never_read_times_out() {
    let (_board, path) = Pty::pair().unwrap();
    let mut port = Serial::open(&path, 9600).unwrap();
    let before = now();
    assert!(matches!(port.write(&vec![0x8e; 200_000]), Err(LinkError::TimedOut)));
    let took = now() - before;
    assert!((900_000..15_000_000).contains(&took), "{took} microseconds");
}
