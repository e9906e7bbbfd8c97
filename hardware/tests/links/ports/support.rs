//! Boards on pseudo-terminals, folders of links to them, and a link whose reports are kept.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use flagfall_hardware::emulator::{Emulator, Sent, Settings};
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::port::{LinkProblem, PortEvent, PortLink, Wanted};
use flagfall_hardware::pty::Pty;
use flagfall_hardware::reactor::Reactor;
use flagfall_hardware::serial::Serial;
use flagfall_protocols::drivers;

/// Long enough for a busy machine. No working step waits so long.
pub(crate) const LONG: Duration = Duration::from_secs(60);

static BEGAN: LazyLock<Instant> = LazyLock::new(|| {
    #[allow(clippy::disallowed_methods, reason = "tests of real ports need real time")]
    Instant::now()
});

/// Returns the real time in microseconds since the first call.
pub(crate) fn now() -> u64 {
    let began = *BEGAN;
    #[allow(clippy::disallowed_methods, reason = "tests of real ports need real time")]
    let since = began.elapsed();
    since.as_micros() as u64
}

/// A lock for tests with many links, so that only one of them runs at a time. Each link that searches for its port watches
/// folders, and the kernel allows 128 watchers per user, including those that it is still closing.
pub(crate) fn many_links() -> MutexGuard<'static, ()> {
    static MANY: Mutex<()> = Mutex::new(());
    // A test that failed with this lock has reported its failure.
    MANY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a reactor for the links of one test.
pub(crate) fn reactor() -> Arc<Reactor> {
    Reactor::start(now).unwrap()
}

/// A report of a link.
#[derive(Debug, PartialEq)]
pub(crate) enum LinkReport {
    /// The path, and whether a probe had already asked the board there.
    Up(PathBuf, bool),
    Bytes(Vec<u8>),
    Down(String),
    Missing(LinkProblem),
}

pub(crate) struct TestLink {
    pub(crate) link: PortLink,
    reactor: Arc<Reactor>,
    events: Receiver<(u64, LinkReport)>,
}

impl TestLink {
    pub(crate) fn start(wanted: Wanted, reactor: &Arc<Reactor>) -> TestLink {
        let (to, events) = sync_channel(65_536);
        let sink = move |at: u64, event: PortEvent<'_>| {
            let reported = match event {
                PortEvent::Up { path, asked, .. } => LinkReport::Up(path.to_owned(), asked),
                PortEvent::Bytes { bytes, .. } => LinkReport::Bytes(bytes.to_vec()),
                PortEvent::Down(error) => LinkReport::Down(error.to_string()),
                PortEvent::Missing(problem) => LinkReport::Missing(problem.clone()),
            };
            // A test that ended reads no reports.
            let _ = to.send((at, reported));
            true
        };
        let link = PortLink::start(reactor, wanted, Box::new(sink));
        TestLink { link, reactor: Arc::clone(reactor), events }
    }

    /// How often the reactor of this link has woken up.
    pub(crate) fn wakes(&self) -> u64 {
        self.reactor.wakes()
    }

    pub(crate) fn next(&self) -> (u64, LinkReport) {
        self.events.recv_timeout(LONG).expect("an event within 20 s")
    }

    /// Returns the next report that is not bytes.
    pub(crate) fn change(&self) -> (u64, LinkReport) {
        loop {
            let (at, reported) = self.next();
            if !matches!(reported, LinkReport::Bytes(_)) {
                return (at, reported);
            }
        }
    }

    /// Returns when the next port opens, and its path; skips reports of a missing port.
    pub(crate) fn up(&self) -> (u64, PathBuf) {
        let (at, path, _) = self.up_or_asked();
        (at, path)
    }

    /// Returns the same, and whether a probe had already asked the board there.
    pub(crate) fn up_or_asked(&self) -> (u64, PathBuf, bool) {
        loop {
            match self.change() {
                (at, LinkReport::Up(path, asked)) => return (at, path, asked),
                (_, LinkReport::Missing(_)) => {}
                (_, other) => panic!("{other:?} instead of a port that opens"),
            }
        }
    }

    pub(crate) fn down(&self) -> (u64, String) {
        match self.change() {
            (at, LinkReport::Down(cause)) => (at, cause),
            (_, other) => panic!("{other:?} instead of an end"),
        }
    }

    pub(crate) fn missing(&self) -> LinkProblem {
        match self.change() {
            (_, LinkReport::Missing(problem)) => problem,
            (_, other) => panic!("{other:?} instead of a problem"),
        }
    }

    /// Checks that nothing is reported during this time.
    pub(crate) fn quiet(&self, span: Duration) {
        match self.events.recv_timeout(span) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("{other:?} instead of silence"),
        }
    }

    /// Returns at least `count` bytes.
    pub(crate) fn bytes(&self, count: usize) -> Vec<u8> {
        let mut all = Vec::new();
        while all.len() < count {
            match self.next().1 {
                LinkReport::Bytes(bytes) => all.extend(bytes),
                other => panic!("{other:?} instead of bytes"),
            }
        }
        all
    }
}

/// Opens a port that this process has just given up. While another thread reads the list of open files in `/proc`, the system frees a closed
/// port a moment later: only a descriptor of this process means that it was not closed.
pub(crate) fn open_free(path: &Path) -> Result<Serial, LinkError> {
    let until = now() + LONG.as_micros() as u64;
    loop {
        let files = fs::read_dir("/proc/self/fd").unwrap().flatten();
        let is_held = files.filter_map(|file| fs::read_link(file.path()).ok()).any(|file| file == path);
        match Serial::open(path, 9600) {
            Err(LinkError::Busy) if !is_held && now() < until => std::thread::yield_now(),
            opened => return opened,
        }
    }
}

/// Returns a wish that names only the family.
pub(crate) fn any(folder: &Folder) -> Wanted {
    let driver = drivers::find("dgt").expect("registered");
    Wanted { driver, port: None, usb_serial: None, serial: None, folders: vec![folder.path().to_owned()] }
}

pub(crate) fn by_path(folder: &Folder, name: &str) -> Wanted {
    Wanted { port: Some(folder.path().join(name)), ..any(folder) }
}

pub(crate) fn by_serial(folder: &Folder, serial: &str) -> Wanted {
    Wanted { serial: Some(serial.to_owned()), ..any(folder) }
}

/// A folder of permanent names. A name is removed before its pseudo-terminal is closed, because another test may get the number
/// of the terminal.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn link(&self, name: &str, port: &Path) {
        symlink(port, self.path().join(name)).unwrap();
    }

    pub(crate) fn unlink(&self, name: &str) {
        fs::remove_file(self.path().join(name)).unwrap();
    }
}

/// An emulated board on a pseudo-terminal. Dropping it pulls the plug.
pub(crate) struct Board {
    pub(crate) path: PathBuf,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Board {
    pub(crate) fn start(serial: u16) -> Board {
        Board::answering(serial, Settings::default().reply_delay)
    }

    /// Starts a board that waits this long before each answer.
    pub(crate) fn answering(serial: u16, reply_delay: Duration) -> Board {
        let (link, path) = Pty::pair().unwrap();
        let emulator = Emulator::new(Settings { serial, reply_delay, paced: false, clock: None, ..Settings::default() });
        let end = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&end);
        let thread = Builder::new().name("board".to_owned()).spawn(move || play(emulator, link, &stop)).unwrap();
        Board { path, end, thread: Some(thread) }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Release);
        self.thread.take().map(JoinHandle::join);
    }
}

fn play(mut board: Emulator, mut link: Pty, end: &AtomicBool) {
    let began = now();
    let mut out = Vec::new();
    let mut buffer = [0; 256];
    while !end.load(Ordering::Acquire) {
        let at = flagfall_protocols::time::Instant(now() - began);
        board.advance(at, &mut out);
        for Sent { bytes, .. } in out.drain(..) {
            // If the host does not read, the bytes of the board are lost.
            let _ = link.write(&bytes);
        }
        let wait = board.next().map_or(Duration::MAX, |next| next.since(at)).min(Duration::from_millis(20));
        match link.read(&mut buffer, wait) {
            Ok(count) => board.host(flagfall_protocols::time::Instant(now() - began), &buffer[..count]),
            Err(LinkError::TimedOut) => {}
            Err(error) => panic!("the board's end: {error}"),
        }
    }
}
