//! Runs one emulated board as a task, which sleeps until the board must do something, its link has bytes, or a request comes. Emulated time
//! follows real time.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Device, Sent};
use flagfall_hardware::link::WRITE_TIMEOUT;
use flagfall_hardware::pty::Pty;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc::Receiver;
use tokio::task::consume_budget;
use tokio::time::{sleep, timeout};

use super::sent_log::SentLog;
use super::stable_link::StableLink;
use super::{Beginning, Shared};
use crate::emulate::EmulatedTime;
use crate::system_clock::{MonotonicTime, monotonic};

/// Longer than a board is needed; it is what a wait without a reason becomes.
const EVER: Duration = Duration::from_secs(3600);
/// The time between two looks whether a program has opened the path again: nothing else tells.
const ALONE_NAP: Duration = Duration::from_millis(20);
/// The longest wait while random bytes are sent.
const FLOOD_NAP: Duration = Duration::from_millis(2);
/// The largest number of random bytes in one write.
const FLOOD_PIECE: u64 = 16 * 1024;

/// A request to the board, which is answered when it is done.
#[derive(Debug)]
pub(super) enum Request {
    LinkAt(PathBuf, SyncSender<io::Result<()>>),
    Load(Script, SyncSender<()>),
    Unplug(SyncSender<()>),
    Replug(SyncSender<io::Result<PathBuf>>),
    Inject(Vec<u8>, SyncSender<()>),
    Flood(u32, SyncSender<()>),
    Mute(bool, SyncSender<()>),
    Stop,
}

/// What ended a sleep.
enum Heard {
    Nothing,
    /// Bytes of the host, or that it is gone; and whether a program has closed the path since the link is watched.
    Host(io::Result<usize>, bool),
    Request(Request),
}

/// A flood of random bytes.
struct Flood {
    rate: u32,
    since: MonotonicTime,
    sent: u64,
    rng: Rng,
}

/// The state of the task.
pub(super) struct Runner {
    emulator: Box<dyn Device>,
    link: Option<AsyncFd<Pty>>,
    path: Option<PathBuf>,
    stable: Option<StableLink>,
    time: EmulatedTime,
    shared: Arc<Shared>,
    log: Option<SentLog>,
    flood: Option<Flood>,
    muted: bool,
    /// A program had opened the path and has closed it.
    alone: bool,
    lost: u64,
}

impl Runner {
    pub(super) fn new(beginning: Beginning, stable: Option<StableLink>, shared: Arc<Shared>) -> Runner {
        let path = shared.lock().path.clone();
        Runner {
            emulator: beginning.device,
            link: None,
            path,
            stable,
            time: beginning.time,
            shared,
            log: beginning.log,
            flood: None,
            muted: false,
            alone: false,
            lost: 0,
        }
    }

    /// Runs the board until it is stopped.
    pub(super) async fn run(mut self, link: Pty, mut requests: Receiver<Request>) {
        self.link = watched(link).ok();
        let (mut sent, mut buffer) = (Vec::new(), [0; 256]);
        loop {
            // A host that always sends something must not keep the thread from other boards.
            consume_budget().await;
            self.emulator.advance(self.time.now(), &mut sent);
            for Sent { bytes, .. } in sent.drain(..) {
                self.write(&bytes).await;
            }
            self.write_flood().await;
            self.update_status();
            let idle = self.idle_time();
            let heard = tokio::select! {
                biased;
                request = requests.recv() => match request {
                    Some(request) => Heard::Request(request),
                    None => break,
                },
                (heard, closed) = hear(self.link.as_ref(), &mut buffer), if !self.alone => Heard::Host(heard, closed),
                () = sleep(idle) => match &self.link {
                    Some(link) if self.alone => Heard::Host(link.get_ref().try_read(&mut buffer), true),
                    _ => Heard::Nothing,
                },
            };
            match heard {
                Heard::Nothing => {}
                Heard::Host(heard, closed) => self.handle_bytes(heard, closed, &buffer),
                Heard::Request(Request::Stop) => break,
                Heard::Request(request) => self.handle_request(request).await,
            }
        }
        self.unplug();
        let mut status = self.shared.lock();
        (status.path, status.ended) = (None, true);
        self.shared.changed.notify_all();
    }

    /// How long nothing happens without input.
    fn idle_time(&mut self) -> Duration {
        let most = match (&self.flood, self.alone) {
            (Some(_), _) => FLOOD_NAP,
            (None, true) => ALONE_NAP,
            (None, false) => EVER,
        };
        self.time.sleep_until(self.emulator.next(), most)
    }

    /// Handles a request. The answer fails only if the requesting thread no longer waits.
    async fn handle_request(&mut self, request: Request) {
        match request {
            Request::LinkAt(at, answer) => {
                let stable = StableLink::new(at);
                let made = self.path.as_ref().map_or(Ok(()), |path| stable.point(path));
                if made.is_ok() {
                    self.stable = Some(stable);
                }
                let _ = answer.send(made);
            }
            Request::Load(script, answer) => {
                let now = self.time.now();
                let mut sent = Vec::new();
                self.emulator.advance(now, &mut sent);
                for Sent { bytes, .. } in sent {
                    self.write(&bytes).await;
                }
                self.emulator.load(&script);
                self.update_status();
                let _ = answer.send(());
            }
            Request::Unplug(answer) => {
                self.unplug();
                self.update_status();
                let _ = answer.send(());
            }
            Request::Replug(answer) => {
                let plugged = self.plug();
                self.update_status();
                let _ = answer.send(plugged);
            }
            Request::Inject(bytes, answer) => {
                self.write(&bytes).await;
                let _ = answer.send(());
            }
            Request::Flood(rate, answer) => {
                let flood = Flood { rate, since: monotonic(), sent: 0, rng: Rng::with_seed(u64::from(rate)) };
                self.flood = (rate > 0).then_some(flood);
                let _ = answer.send(());
            }
            Request::Mute(muted, answer) => {
                self.muted = muted;
                let _ = answer.send(());
            }
            // The caller ends.
            Request::Stop => {}
        }
    }

    fn unplug(&mut self) {
        if let Some(stable) = &self.stable {
            stable.remove();
        }
        (self.link, self.path, self.alone) = (None, None, false);
    }

    fn plug(&mut self) -> io::Result<PathBuf> {
        self.unplug();
        let (link, path) = Pty::pair().map_err(io::Error::other)?;
        self.link = Some(watched(link)?);
        self.path = Some(path.clone());
        if let Some(stable) = &self.stable {
            stable.point(&path)?;
        }
        Ok(path)
    }

    /// Writes bytes. Bytes that cannot be sent are lost, as on a cable.
    async fn write(&mut self, bytes: &[u8]) {
        if let Some(log) = &self.log {
            log.add(bytes);
        }
        let gone = match &self.link {
            Some(link) if !self.muted && !self.alone => write_all(link, bytes).await,
            _ => false,
        };
        if !gone {
            self.lost = self.lost.saturating_add(bytes.len() as u64);
        }
    }

    /// Writes the random bytes that are due.
    async fn write_flood(&mut self) {
        let Some(flood) = &mut self.flood else { return };
        let due = monotonic().since(flood.since).as_micros() as u64 / 100 * u64::from(flood.rate) / 10_000;
        let count = due.saturating_sub(flood.sent).min(FLOOD_PIECE);
        flood.sent += count;
        let mut bytes = vec![0; count as usize];
        flood.rng.fill(&mut bytes);
        self.write(&bytes).await;
    }

    /// Passes the host's bytes to the board, or notes that no program has the path open. If `closed`, the path may be open again already.
    fn handle_bytes(&mut self, heard: io::Result<usize>, closed: bool, buffer: &[u8]) {
        let alone = match &heard {
            Ok(count) => *count == 0,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        };
        if !self.alone && (alone || closed) {
            self.discard_unread();
        }
        if closed && !alone {
            // For the runtime a link that was closed is ready for ever: it would not wait any more, and no other wait would end.
            self.link = self.link.take().and_then(|link| watched(link.into_inner()).ok());
        }
        self.alone = alone;
        if let Ok(count @ 1..) = heard {
            // After the program's first bytes its hang-up is noticed: bytes that it has not read are not kept for the next program.
            if let Some(link) = &mut self.link {
                link.get_mut().watch_hang_up();
            }
            self.emulator.host(self.time.now(), 0, &buffer[..count]);
        }
    }

    /// Discards the bytes that the closed program had not read. A path that cannot be opened is in use again, or no longer
    /// exists.
    fn discard_unread(&self) {
        if let Some(path) = &self.path {
            let _ = Pty::discard_unread(path);
        }
    }

    /// Updates the status for other threads.
    fn update_status(&self) {
        let mut status = self.shared.lock();
        let done = self.emulator.done();
        let rings = done != status.done || self.path != status.path;
        (status.done, status.counters, status.lost_bytes) = (done, self.emulator.counters(), self.lost);
        if status.path != self.path {
            status.path.clone_from(&self.path);
        }
        if status.impossible.len() != self.emulator.impossible().len() {
            status.impossible = self.emulator.impossible().to_vec();
        }
        if rings {
            self.shared.changed.notify_all();
        }
    }
}

/// Makes the runtime watch a link.
#[allow(
    deprecated,
    reason = "its successor is unsafe; a link keeps its descriptor until it is dropped, since nobody closes it here"
)]
fn watched(link: Pty) -> io::Result<AsyncFd<Pty>> {
    AsyncFd::new(link)
}

/// Waits for bytes of the host, forever if there is no link. Returns them, and whether a program has closed the path; it may be open again.
async fn hear(link: Option<&AsyncFd<Pty>>, buffer: &mut [u8]) -> (io::Result<usize>, bool) {
    let Some(link) = link else { return std::future::pending().await };
    loop {
        let mut ready = match link.readable().await {
            Ok(ready) => ready,
            Err(error) => return (Err(error), true),
        };
        let closed = ready.ready().is_read_closed();
        match ready.try_io(|link| link.get_ref().try_read(buffer)) {
            Ok(heard) => return (heard, closed),
            Err(_) if closed => return (Err(io::ErrorKind::WouldBlock.into()), closed),
            Err(_) => {}
        }
    }
}

/// Writes all bytes. Returns false if there was no room for [`WRITE_TIMEOUT`], or if a program has closed the path and there is no room.
async fn write_all(link: &AsyncFd<Pty>, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let Ok(Ok(mut ready)) = timeout(WRITE_TIMEOUT, link.writable()).await else { return false };
        let closed = ready.ready().is_write_closed();
        match ready.try_io(|link| link.get_ref().try_write(bytes)) {
            Ok(Ok(count)) => bytes = &bytes[count..],
            Err(_) if !closed => {}
            _ => return false,
        }
    }
    true
}
