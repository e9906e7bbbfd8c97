//! A simulated machine with HID devices: a folder like the kernel's, and for each node a socket that keeps the bounds of
//! reports. Emulated boards are behind the sockets. The tests of both packages use this file.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Sent};
use flagfall_hardware::hid::System;
use socket2::{Domain, SockAddr, Socket, Type};
use tempfile::TempDir;

/// Long enough for a busy machine.
const LONG: Duration = Duration::from_secs(60);
/// How often the thread of a board checks for requests.
const POLL: Duration = Duration::from_millis(10);
/// The padding after a message in a report. No message begins with it, and it is not zero.
const PADDING: u8 = 0xa5;

static BEGAN: LazyLock<Instant> = LazyLock::new(|| {
    #[allow(clippy::disallowed_methods, reason = "tests of real links need real time")]
    Instant::now()
});

/// Returns the real time in microseconds since the first call.
pub(crate) fn now() -> u64 {
    let began = *BEGAN;
    #[allow(clippy::disallowed_methods, reason = "tests of real links need real time")]
    let since = began.elapsed();
    since.as_micros() as u64
}

/// A report descriptor with a vendor's usage page and unnumbered reports of 64 bytes in both directions.
pub(crate) const PLAIN: &[u8] = &[
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x40, 0x09, 0x01, 0x81, 0x02, 0x09,
    0x02, 0x91, 0x02, 0xc0,
];

/// How a device presents itself.
#[derive(Clone, Copy)]
pub(crate) struct Identity {
    pub(crate) vendor: u16,
    pub(crate) product: u16,
    pub(crate) serial: &'static str,
    pub(crate) descriptor: &'static [u8],
}

/// The simulated machine.
pub(crate) struct Usb(TempDir);

impl Usb {
    pub(crate) fn new() -> Usb {
        let usb = Usb(tempfile::tempdir().expect("a folder"));
        for folder in ["sys", "dev"] {
            std::fs::create_dir(usb.0.path().join(folder)).expect("a folder");
        }
        usb
    }

    pub(crate) fn system(&self) -> System {
        System { sys: self.0.path().join("sys"), dev: self.0.path().join("dev"), open: connect }
    }

    pub(crate) fn node(&self, number: u32) -> PathBuf {
        self.0.path().join(format!("dev/hidraw{number}"))
    }

    /// Adds a device to the kernel's list.
    pub(crate) fn list(&self, number: u32, identity: Identity) -> PathBuf {
        let folder = self.0.path().join(format!("sys/hidraw{number}"));
        let Identity { vendor, product, serial, descriptor } = identity;
        let lines = format!(
            "DRIVER=hid-generic\nHID_ID=0003:{vendor:08X}:{product:08X}\nHID_NAME=A maker  Board\nHID_PHYS=usb-1/input0\nHID_UNIQ={serial}\n"
        );
        std::fs::create_dir_all(folder.join("device")).expect("a folder");
        std::fs::write(folder.join("device/uevent"), lines).expect("written");
        std::fs::write(folder.join("device/report_descriptor"), descriptor).expect("written");
        folder
    }

    /// Plugs in a device that does nothing by itself.
    pub(crate) fn plug(&self, number: u32, identity: Identity) -> Node {
        let folder = self.list(number, identity);
        let listener = Socket::new(Domain::UNIX, Type::SEQPACKET, None).expect("a socket");
        let aside = self.0.path().join(format!("hidraw{number}"));
        listener.bind(&SockAddr::unix(&aside).expect("short")).expect("bound");
        listener.listen(4).expect("listens");
        let path = self.node(number);
        // The socket exists at once, like a node.
        std::fs::rename(aside, &path).expect("renamed");
        Node { path, folder, listener }
    }
}

/// Opens a node in place of the kernel's open(2).
fn connect(path: &Path) -> io::Result<OwnedFd> {
    let socket = Socket::new(Domain::UNIX, Type::SEQPACKET, None)?;
    socket.connect(&SockAddr::unix(path)?)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// A device that is plugged in until this value is dropped. Dropping the socket of [`Node::opened`] cuts off the program that
/// opened the device.
pub(crate) struct Node {
    pub(crate) path: PathBuf,
    folder: PathBuf,
    listener: Socket,
}

impl Node {
    /// Returns the other end for the next program that opens the device, if one opens it in time.
    pub(crate) fn opened(&self, within: Duration) -> Option<Socket> {
        self.listener.set_read_timeout(Some(within)).expect("set");
        let (socket, _) = self.listener.accept().ok()?;
        socket.set_read_timeout(Some(LONG)).expect("set");
        Some(socket)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

enum Request {
    Load(Script),
    /// The board is unplugged, or plugged in at this node.
    Node(Option<Node>),
}

/// An emulated board on a cable: each of its messages is a report of 64 bytes, and so is each command.
pub(crate) struct Board {
    requests: Option<SyncSender<Request>>,
    counters: Arc<Mutex<Counters>>,
    thread: Option<JoinHandle<()>>,
}

impl Board {
    pub(crate) fn start(board: Box<dyn Device>) -> Board {
        let (requests, taken) = sync_channel(16);
        let counters = Arc::default();
        let kept = Arc::clone(&counters);
        let thread = Builder::new().name("hid-board".to_owned()).spawn(move || play(board, &taken, &kept)).expect("a thread");
        Board { requests: Some(requests), counters, thread: Some(thread) }
    }

    fn request(&self, request: Request) {
        self.requests.as_ref().expect("it lives").send(request).expect("it lives");
    }

    pub(crate) fn load(&self, script: &str) {
        self.request(Request::Load(Script::parse(script).expect("a script")));
    }

    pub(crate) fn plug(&self, node: Node) {
        self.request(Request::Node(Some(node)));
    }

    pub(crate) fn unplug(&self) {
        self.request(Request::Node(None));
    }

    pub(crate) fn counters(&self) -> Counters {
        *self.counters.lock().expect("no thread panicked")
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            assert!(std::thread::panicking(), "the board panicked");
        }
    }
}

fn play(mut board: Box<dyn Device>, requests: &Receiver<Request>, counters: &Mutex<Counters>) {
    let began = now();
    let at = || flagfall_protocols::time::Instant(now() - began);
    let (mut node, mut host): (Option<Node>, Option<Socket>) = (None, None);
    let (mut out, mut buffer) = (Vec::new(), [0; 256]);
    loop {
        match requests.recv_timeout(if host.is_some() { Duration::ZERO } else { POLL }) {
            Ok(Request::Load(script)) => {
                board.advance(at(), &mut out);
                board.load(&script);
            }
            Ok(Request::Node(plugged)) => (node, host) = (plugged, None),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
        }
        if let Some(node) = node.as_ref().filter(|_| host.is_none()) {
            host = node.opened(POLL);
        }
        board.advance(at(), &mut out);
        // The messages of an unplugged board are lost.
        for Sent { bytes, .. } in out.drain(..) {
            let mut report = bytes;
            assert!(report.len() <= 64, "a message is one report");
            report.resize(64, PADDING);
            if let Some(host) = &host {
                // A program that closed the device receives nothing either.
                let _ = host.send(&report);
            }
        }
        if let Some(open) = &mut host {
            let wait = board.next().map_or(POLL, |next| next.since(at())).clamp(Duration::from_millis(1), POLL);
            open.set_read_timeout(Some(wait)).expect("set");
            match open.read(&mut buffer) {
                Ok(0) => host = None,
                Ok(count) => board.host(at(), 0, command(&buffer[..count])),
                Err(error) => assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted), "{error}"),
            }
        }
        *counters.lock().expect("no thread panicked") = board.counters();
    }
}

/// Returns the command in a report of 64 bytes after the number 00. The command holds its own length, and zeros follow it.
fn command(report: &[u8]) -> &[u8] {
    assert_eq!((report.len(), report[0]), (65, 0), "{report:x?}");
    let (command, padding) = report[1..].split_at(2 + usize::from(report[2]));
    assert!(padding.iter().all(|byte| *byte == 0), "{report:x?}");
    command
}
