//! Emulates a board on a pseudo-terminal in real time. Other programs open its path as they would open a serial port.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Emulator, Impossible, Settings};
use flagfall_hardware::pty::Pty;
use flagfall_protocols::time::Instant;
use tokio::sync::mpsc::{Sender, channel};

use super::EmulatedTime;

mod runner;
mod sent_log;
mod stable_link;

use runner::{Request, Runner};
pub use sent_log::SentLog;
use stable_link::StableLink;

/// The largest number of requests that wait for the board.
const MAX_REQUESTS: usize = 64;
/// The time limit for a request. It is longer than a blocked write.
const ANSWER: Duration = Duration::from_secs(10);
/// The largest number of bytes that may be injected at once.
const MAX_INJECTED: usize = 1 << 20;

/// The status of a board for other threads.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The path that other programs open; none while it is unplugged.
    pub path: Option<PathBuf>,
    /// All hand motions are done, reported and sent.
    pub done: bool,
    /// What the board was asked, and what went wrong.
    pub counters: Counters,
    /// The first hundred hand motions that could not be done.
    pub impossible: Vec<(Instant, Impossible)>,
    /// Bytes that were not read: the board is unplugged or muted, or the other program does not read.
    pub lost_bytes: u64,
    /// The board has ended.
    ended: bool,
}

/// The status, and the condition that is notified when it changes.
#[derive(Debug, Default)]
struct Shared {
    status: Mutex<Status>,
    changed: Condvar,
}

/// What a board has when it is switched on.
#[derive(Debug)]
pub struct Beginning {
    /// The device.
    pub device: Box<dyn Device>,
    /// Its time.
    pub time: EmulatedTime,
    /// The place of a symbolic link to its path.
    pub link: Option<PathBuf>,
    /// The file of what it sends.
    pub log: Option<SentLog>,
}

/// An emulated board on a pseudo-terminal, with a thread of its own or on the thread of a runtime with others. Stops when dropped.
///
/// The board's time begins when it is made and goes on while it is unplugged. It identifies itself honestly: the trade-mark text
/// is this project's.
#[derive(Debug)]
pub struct PtyBoard {
    shared: Arc<Shared>,
    requests: Sender<Request>,
    thread: Option<JoinHandle<()>>,
}

impl PtyBoard {
    /// Starts a DGT board on which hands move as `script` says, `speed` times as fast as people (0.01..=1000). `name` is the name
    /// of its thread.
    ///
    /// # Errors
    /// An error of the operating system: no pseudo-terminal or thread is left.
    pub fn start(name: &str, settings: Settings, script: &Script, speed: f64) -> io::Result<PtyBoard> {
        PtyBoard::with_device(name, Box::new(Emulator::new(settings)), script, speed)
    }

    /// Starts a board of any family; a pseudo-terminal has one channel only.
    ///
    /// # Errors
    /// As [`PtyBoard::start`].
    pub fn with_device(name: &str, mut device: Box<dyn Device>, script: &Script, speed: f64) -> io::Result<PtyBoard> {
        device.load(script);
        let beginning = Beginning { device, time: EmulatedTime::new(speed), link: None, log: None };
        let (mut board, run) = PtyBoard::make(beginning)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        board.thread = Some(std::thread::Builder::new().name(format!("emu-{name}")).spawn(move || runtime.block_on(run))?);
        Ok(board)
    }

    /// Makes a board without a thread. It lives while somebody polls the future, and must not be asked for anything on that thread.
    ///
    /// # Errors
    /// No pseudo-terminal is left, or the link cannot be made.
    pub fn make(mut beginning: Beginning) -> io::Result<(PtyBoard, impl Future<Output = ()> + Send + use<>)> {
        let (pty, path) = Pty::pair().map_err(io::Error::other)?;
        let stable = beginning.link.take().map(StableLink::new);
        stable.as_ref().map_or(Ok(()), |stable| stable.point(&path))?;
        let status = Status { path: Some(path), done: beginning.device.done(), ..Status::default() };
        let shared = Arc::new(Shared { status: Mutex::new(status), changed: Condvar::new() });
        let (requests, requested) = channel(MAX_REQUESTS);
        let run = Runner::new(beginning, stable, Arc::clone(&shared)).run(pty, requested);
        Ok((PtyBoard { shared, requests, thread: None }, run))
    }

    /// The path that other programs open; none while the board is unplugged.
    pub fn path(&self) -> Option<PathBuf> {
        self.shared.lock().path.clone()
    }

    /// The status of the board now.
    pub fn status(&self) -> Status {
        self.shared.lock().clone()
    }

    /// Makes a symbolic link at `at` that leads to the current path, as udev's names do. The link is removed with the cable and
    /// comes back with it. An existing symbolic link is replaced.
    ///
    /// # Errors
    /// The link cannot be made.
    pub fn link_at(&self, at: &Path) -> io::Result<()> {
        self.call(|answer| Request::LinkAt(at.to_owned(), answer))?
    }

    /// Adds hand motions; the script's time begins now.
    ///
    /// # Errors
    /// The board was stopped.
    pub fn load(&self, script: &Script) -> io::Result<()> {
        self.call(|answer| Request::Load(script.clone(), answer))
    }

    /// Whether all hand motions are done, reported and sent. The clock may go on.
    pub fn done(&self) -> bool {
        self.shared.lock().done
    }

    /// Waits at most `most` until [`PtyBoard::done`]. Returns whether it is done.
    pub fn wait_done(&self, most: Duration) -> bool {
        let waiting = |status: &mut Status| !status.done && !status.ended;
        let status = self.shared.changed.wait_timeout_while(self.shared.lock(), most, waiting);
        status.unwrap_or_else(PoisonError::into_inner).0.done
    }

    /// Unplugs the cable. The path no longer exists when this returns. An unplugged board stays unplugged.
    ///
    /// # Errors
    /// The board was stopped.
    pub fn unplug(&self) -> io::Result<()> {
        self.call(Request::Unplug)
    }

    /// Plugs the cable in, after unplugging it if needed. Returns the path, which may be another one.
    ///
    /// # Errors
    /// No pseudo-terminal is left, or the board was stopped.
    pub fn replug(&self) -> io::Result<PathBuf> {
        self.call(Request::Replug)?
    }

    /// Injects bytes to the host between two bytes of the board.
    ///
    /// # Errors
    /// There are more than 1 MiB, or the board was stopped.
    pub fn inject(&self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > MAX_INJECTED {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "more than 1 MiB to be injected"));
        }
        self.call(|answer| Request::Inject(bytes.to_vec(), answer))
    }

    /// Sends random bytes to the host between the board's own, at this rate; 0 ends it.
    ///
    /// # Errors
    /// The board was stopped.
    pub fn flood(&self, bytes_per_second: u32) -> io::Result<()> {
        self.call(|answer| Request::Flood(bytes_per_second, answer))
    }

    /// Mutes the board: it still reads and plays, but its bytes are dropped.
    ///
    /// # Errors
    /// The board was stopped.
    pub fn mute(&self, muted: bool) -> io::Result<()> {
        self.call(|answer| Request::Mute(muted, answer))
    }

    /// Stops the board. Its path and link no longer exist when this returns.
    pub fn stop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // This fails only if the thread has ended already: the few that ask wait for their answers, so there is room.
            let _ = self.requests.try_send(Request::Stop);
            let _ = thread.join();
        }
    }

    fn call<T>(&self, request: impl FnOnce(SyncSender<T>) -> Request) -> io::Result<T> {
        let (answer, answered) = sync_channel(1);
        let ended = || io::Error::new(io::ErrorKind::BrokenPipe, "the emulated board was stopped");
        self.requests.try_send(request(answer)).map_err(|_| ended())?;
        answered.recv_timeout(ANSWER).map_err(|_| ended())
    }
}

impl Drop for PtyBoard {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Status> {
        // A thread that panicked with this lock had read or replaced whole fields only.
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
