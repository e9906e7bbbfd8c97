//! Tests of one reactor with many links: its threads, a port that never stops sending, sinks without room, and calls that hang.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::Builder;

use flagfall_hardware::hid::System;
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::port::{PortEvent, PortLink};
use flagfall_hardware::pty::Pty;

use crate::bluez::STARTING;
use crate::hid::support::{CHESSNUT, TestLink as HidTestLink, any};
use crate::ports::support::{Folder, LONG, LinkReport, TestLink, by_path, now, open_free, reactor};
use crate::usb::Usb;

/// The number of threads of this process with this name.
fn threads(name: &str) -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    // A thread may end while the list is read.
    tasks.filter(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim() == name)).count()
}

/// The number of inotify instances of this process.
fn watches() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok);
    open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|target| target.as_os_str() == "anon_inode:inotify")).count()
}

#[test]
fn two_hundred_links_need_one_thread_and_one_watch() {
    const LINKS: usize = 200;
    let folder = Folder::new();
    let reactor = reactor();
    let mut boards: Vec<Pty> = Vec::new();
    for number in 0..LINKS {
        let (board, path) = Pty::pair().unwrap();
        folder.link(&number.to_string(), &path);
        boards.push(board);
    }
    let before = (threads("links"), watches());
    let began = now();
    let links: Vec<TestLink> =
        (0..LINKS).map(|number| TestLink::start(by_path(&folder, &number.to_string()), &reactor)).collect();
    crate::seconds::within(now() - began, 100_000);
    for link in &links {
        link.up();
    }
    for (number, board) in boards.iter_mut().enumerate() {
        board.write(&[number as u8; 3]).unwrap();
    }
    for (number, link) in links.iter().enumerate() {
        assert_eq!(link.bytes(3), [number as u8; 3]);
    }
    // Other tests run at the same time, and they have few links.
    let after = (threads("links"), watches());
    assert!(after.0 < before.0 + 20 && after.1 < before.1 + 20, "{before:?}, then {after:?}");
    // All cables are pulled at the same time.
    drop(boards);
    for link in &links {
        assert_eq!(link.down().1, LinkError::Unplugged.to_string());
    }
}

#[test]
fn a_port_that_never_stops_sending_delays_no_other_port() {
    let folder = Folder::new();
    let reactor = reactor();
    let (mut babbler, babbling) = Pty::pair().unwrap();
    let (mut board, path) = Pty::pair().unwrap();
    folder.link("babbler", &babbling);
    folder.link("board", &path);
    let received = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&received);
    let sink = move |_: u64, event: PortEvent<'_>| {
        if let PortEvent::Bytes { bytes, .. } = event {
            assert!(bytes.len() <= 4096, "one read a round");
            count.fetch_add(bytes.len(), Ordering::Relaxed);
        }
        true
    };
    let babbled = PortLink::start(&reactor, by_path(&folder, "babbler"), Box::new(sink));
    let test_link = TestLink::start(by_path(&folder, "board"), &reactor);
    test_link.up();
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ends.load(Ordering::Acquire) {
                // On a busy machine a write may time out.
                let written = babbler.write(&[0x55; 4096]);
                assert!(matches!(written, Ok(()) | Err(LinkError::TimedOut)), "{written:?}");
            }
        });
        let until = now() + LONG.as_micros() as u64;
        while received.load(Ordering::Relaxed) == 0 && now() < until {
            std::thread::yield_now();
        }
        for round in 0..100_u8 {
            let sent = now();
            board.write(&[round]).unwrap();
            let (at, report) = test_link.next();
            assert_eq!(report, LinkReport::Bytes(vec![round]));
            crate::seconds::within(at.saturating_sub(sent), 100_000);
        }
        ends.store(true, Ordering::Release);
    });
    assert!(received.load(Ordering::Relaxed) > 0);
    drop(babbled);
}

#[test]
fn a_sink_without_room_loses_and_reorders_nothing() {
    let folder = Folder::new();
    let reactor = reactor();
    let (mut board, path) = Pty::pair().unwrap();
    folder.link("board", &path);
    let (to, events) = sync_channel(4096);
    let (has_room, refused) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
    let (room, refusals) = (Arc::clone(&has_room), Arc::clone(&refused));
    let sink = move |at: u64, event: PortEvent<'_>| {
        if !room.load(Ordering::Acquire) {
            refusals.fetch_add(1, Ordering::Release);
            return false;
        }
        to.send((at, format!("{event:?}"))).is_ok()
    };
    let link = PortLink::start(&reactor, by_path(&folder, "board"), Box::new(sink));
    let next = || events.recv_timeout(LONG).expect("an event").1;
    while !next().starts_with("Up") {}
    for round in 0..20_u8 {
        has_room.store(false, Ordering::Release);
        let before = refused.load(Ordering::Acquire);
        board.write(&[round]).unwrap();
        while refused.load(Ordering::Acquire) < before + 2 {
            std::thread::yield_now();
        }
        // These bytes wait in the kernel.
        board.write(&[round, round]).unwrap();
        has_room.store(true, Ordering::Release);
        let mut got = String::new();
        while got.matches(&format!("[{round}")).count() + got.matches(&format!(", {round}")).count() < 3 {
            got += &next();
        }
        assert!(got.starts_with(&format!("Bytes {{ channel: 0, bytes: [{round}] }}")), "{got}");
    }
    // The end comes while there is no room, and after the bytes.
    has_room.store(false, Ordering::Release);
    let before = refused.load(Ordering::Acquire);
    board.write(b"last").unwrap();
    while refused.load(Ordering::Acquire) == before {
        std::thread::yield_now();
    }
    folder.unlink("board");
    drop(board);
    let wakes = reactor.wakes();
    while refused.load(Ordering::Acquire) < before + 5 {
        std::thread::yield_now();
    }
    assert!(reactor.wakes() - wakes < 50, "the port that hung up must not keep the reactor awake");
    has_room.store(true, Ordering::Release);
    let ends = [next(), next()];
    assert_eq!(ends, [format!("Bytes {{ channel: 0, bytes: {:?} }}", b"last"), "Down(Unplugged)".to_owned()]);
    drop(link);
}

/// Whether opening a device hangs.
static HANGS: Mutex<bool> = Mutex::new(true);
static GOES_ON: Condvar = Condvar::new();

/// Hangs like open(2) of a broken device, until the test is over.
fn hang(_: &Path) -> io::Result<OwnedFd> {
    let hangs = HANGS.lock().unwrap();
    drop(GOES_ON.wait_while(hangs, |hangs| *hangs).unwrap());
    Err(io::Error::from(io::ErrorKind::NotFound))
}

#[test]
fn calls_that_hang_harm_no_other_link() {
    let reactor = reactor();
    let machines = [Usb::new(), Usb::new(), Usb::new()];
    let hung: Vec<HidTestLink> = machines
        .iter()
        .map(|usb| {
            usb.list(0, CHESSNUT);
            fs::write(usb.node(0), "").unwrap();
            let system = System { open: hang, ..usb.system() };
            HidTestLink::start(flagfall_hardware::hid::Wanted { system, ..any(usb, "chessnut") }, &reactor)
        })
        .collect();
    let folder = Folder::new();
    for round in 0..3 {
        let (mut board, path) = Pty::pair().unwrap();
        folder.link(&round.to_string(), &path);
        let test_link = TestLink::start(by_path(&folder, &round.to_string()), &reactor);
        test_link.up();
        board.write(&[round]).unwrap();
        assert_eq!(test_link.bytes(1), [round]);
        drop(board);
        test_link.down();
    }
    // A link whose call hangs can be dropped.
    let dropped = now();
    let mut hung = hung.into_iter();
    drop(hung.next());
    crate::seconds::within(now() - dropped, 3_000_000);
    *HANGS.lock().unwrap() = false;
    GOES_ON.notify_all();
    hung.for_each(|link| drop(link.missing()));
}

#[test]
fn a_dropped_link_is_closed_and_reports_nothing_more() {
    let folder = Folder::new();
    let reactor = reactor();
    let (mut board, path) = Pty::pair().unwrap();
    folder.link("board", &path);
    for _ in 0..50 {
        let ended = Arc::new(AtomicBool::new(false));
        let (seen, (to, ups)) = (Arc::clone(&ended), sync_channel(1));
        let sink = move |_: u64, event: PortEvent<'_>| {
            assert!(!seen.load(Ordering::Acquire), "{event:?} after the end");
            if matches!(event, PortEvent::Up { .. }) {
                to.send(()).unwrap();
            }
            true
        };
        let link = PortLink::start(&reactor, by_path(&folder, "board"), Box::new(sink));
        ups.recv_timeout(LONG).expect("it opens");
        board.write(&[1]).unwrap();
        let _no_program_starts = STARTING.read();
        drop(link);
        ended.store(true, Ordering::Release);
        open_free(&path).expect("free");
    }
    assert!(!reactor.has_ended());
}

#[test]
fn a_sink_that_panics_ends_only_its_own_link() {
    let folder = Folder::new();
    let reactor = reactor();
    let ((_one, first), (mut two, second)) = (Pty::pair().unwrap(), Pty::pair().unwrap());
    folder.link("a", &first);
    folder.link("b", &second);
    let other = TestLink::start(by_path(&folder, "b"), &reactor);
    other.up();
    let sink = |_: u64, event: PortEvent<'_>| panic!("the test asks for this panic: {event:?}");
    let broken = PortLink::start(&reactor, by_path(&folder, "a"), Box::new(sink));
    // The port of the link that ended is free.
    let next = TestLink::start(by_path(&folder, "a"), &reactor);
    next.up();
    assert!(broken.send(vec![1]).is_err());
    two.write(&[7]).unwrap();
    assert_eq!(other.bytes(1), [7]);
}

#[test]
fn a_reactor_waits_and_ends() {
    let reactor = reactor();
    let until = now() + LONG.as_micros() as u64;
    while reactor.busy_since().is_some() {
        assert!(now() < until, "it waits for nothing");
    }
    assert!(!reactor.has_ended());
    // Dropping it on another thread waits for its own.
    let ended = Builder::new().spawn(move || drop(reactor)).unwrap();
    ended.join().unwrap();
}
