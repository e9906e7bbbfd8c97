//! Tests of a pseudo-terminal as a link.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;

use crate::bluez::start;

const SOON: Duration = Duration::from_millis(20);
const LATE: Duration = Duration::from_secs(5);

fn read_exactly(link: &mut Pty, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 64];
    while bytes.len() < count {
        let got = link.read(&mut buffer, LATE).expect("all bytes come");
        bytes.extend_from_slice(&buffer[..got]);
    }
    bytes
}

#[test]
fn every_byte_value_passes_in_both_directions() {
    let (mut board, path) = Pty::pair().unwrap();
    let mut host = Pty::open(&path).unwrap();
    let mut all: Vec<u8> = (0..=255).collect();
    // These are the bytes that a terminal may interpret: null, interrupt, end, flow control, return, erase, all ones.
    all.extend([0x00, 0x03, 0x04, 0x11, 0x13, 0x0d, 0x0a, 0x7f, 0xff, 0xff, 0x00]);
    board.write(&all).unwrap();
    assert_eq!(read_exactly(&mut host, all.len()), all);
    host.write(&all).unwrap();
    assert_eq!(read_exactly(&mut board, all.len()), all);
    assert!(matches!(host.read(&mut [0; 8], SOON), Err(LinkError::TimedOut)), "no echo");
    assert!(matches!(board.read(&mut [0; 8], SOON), Err(LinkError::TimedOut)), "no echo");
}

#[test]
fn closing_the_master_is_an_unplug() {
    let (board, path) = Pty::pair().unwrap();
    let mut host = Pty::open(&path).unwrap();
    drop(board);
    for _ in 0..2 {
        assert!(matches!(host.read(&mut [0; 8], LATE), Err(LinkError::Unplugged)));
        assert!(matches!(host.write(&[0x40]), Err(LinkError::Unplugged)));
    }
    assert!(matches!(Pty::open(&path), Err(LinkError::Unplugged)), "the path is gone");
}

#[test]
fn the_host_may_open_and_close_the_terminal() {
    let (mut board, path) = Pty::pair().unwrap();
    assert!(matches!(board.read(&mut [0; 8], SOON), Err(LinkError::TimedOut)), "no host is there, and the read does not spin");
    for round in 0..2 {
        let mut host = Pty::open(&path).unwrap();
        host.write(&[round]).unwrap();
        assert_eq!(read_exactly(&mut board, 1), [round]);
        drop(host);
        assert!(matches!(board.read(&mut [0; 8], SOON), Err(LinkError::TimedOut)));
    }
}

#[test]
fn a_host_that_goes_is_seen_when_watched() {
    let (mut board, path) = Pty::pair().unwrap();
    let mut host = Pty::open(&path).unwrap();
    board.watch_hang_up();
    host.write(&[0x42]).unwrap();
    drop(host);
    assert_eq!(read_exactly(&mut board, 1), [0x42], "bytes from before the end come first");
    assert!(matches!(board.read(&mut [0; 8], LATE), Err(LinkError::Unplugged)));
}

#[test]
fn a_write_that_is_never_read_times_out() {
    let (mut board, _path) = Pty::pair().unwrap();
    assert!(matches!(board.write(&vec![0x8e; 200_000]), Err(LinkError::TimedOut)));
}

#[test]
fn an_empty_buffer_reads_nothing() {
    let (mut board, _path) = Pty::pair().unwrap();
    assert!(matches!(board.read(&mut [], LATE), Ok(0)));
}

#[test]
fn a_read_waits_until_bytes_come() {
    let (mut board, path) = Pty::pair().unwrap();
    let mut host = Pty::open(&path).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || host.read(&mut [0; 8], LATE).map_err(|error| error.to_string()));
        // The wait for a missing answer is the only pause.
        assert!(matches!(board.read(&mut [0; 8], SOON), Err(LinkError::TimedOut)));
        board.write(&[0x8e]).unwrap();
        assert_eq!(waiting.join().unwrap(), Ok(1));
    });
}

/// Programs that were started while pairs were made run on, and have no copy of an end: the cable of such a pair could not be pulled.
#[test]
fn a_program_that_starts_meanwhile_gets_no_end() {
    let over = AtomicBool::new(false);
    let (began, begun) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                drop(Pty::pair().unwrap());
                _ = began.try_send(());
            }
        });
        begun.recv().expect("a pair");
        let programs: Vec<Child> = (0..100).map(|_| quiet_program()).collect();
        over.store(true, Ordering::Relaxed);
        let kept: Vec<PathBuf> = programs.iter().flat_map(terminals_of).collect();
        for mut program in programs {
            program.kill().expect("it runs");
            program.wait().expect("a child");
        }
        assert_eq!(kept, Vec::<PathBuf>::new());
    });
}

/// A program that waits for its input.
fn quiet_program() -> Child {
    let mut command = Command::new("cat");
    start(command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()))
}

/// The terminals that this program has open.
fn terminals_of(program: &Child) -> Vec<PathBuf> {
    let open = std::fs::read_dir(format!("/proc/{}/fd", program.id())).expect("it runs");
    let paths = open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    paths.filter(|path| path.ends_with("ptmx") || path.starts_with("/dev/pts")).collect()
}
