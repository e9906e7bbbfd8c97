//! Runs the thread of one emulated board. Emulated time follows real time, and the thread waits only for its link.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::time::Duration;

use fastrand::Rng;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Device, Sent};
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;

use super::Shared;
use super::stable_link::StableLink;
use crate::emulate::EmulatedTime;
use crate::system_clock::{MonotonicTime, monotonic};

/// The longest wait of the thread, and so the longest delay of a request.
const NAP: Duration = Duration::from_millis(20);
/// The longest wait of the thread while random bytes are sent.
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

/// A flood of random bytes.
struct Flood {
    rate: u32,
    since: MonotonicTime,
    sent: u64,
    rng: Rng,
}

/// The state of the thread.
pub(super) struct Runner {
    emulator: Box<dyn Device>,
    link: Option<Pty>,
    path: Option<PathBuf>,
    stable: Option<StableLink>,
    time: EmulatedTime,
    requests: Receiver<Request>,
    shared: Arc<Shared>,
    flood: Option<Flood>,
    muted: bool,
    /// A program had opened the path and has closed it.
    alone: bool,
    lost: u64,
}

impl Runner {
    pub(super) fn new(
        emulator: Box<dyn Device>,
        link: Pty,
        speed: f64,
        requests: Receiver<Request>,
        shared: Arc<Shared>,
    ) -> Runner {
        let path = shared.lock().path.clone();
        Runner {
            emulator,
            link: Some(link),
            path,
            stable: None,
            time: EmulatedTime::new(speed),
            requests,
            shared,
            flood: None,
            muted: false,
            alone: false,
            lost: 0,
        }
    }

    pub(super) fn run(mut self) {
        let mut sent = Vec::new();
        while self.handle_requests() {
            self.emulator.advance(self.time.now(), &mut sent);
            for Sent { bytes, .. } in sent.drain(..) {
                self.write(&bytes);
            }
            self.write_flood();
            self.update_status();
            if !self.wait_for_bytes() {
                break;
            }
        }
        self.unplug();
        let mut status = self.shared.lock();
        (status.path, status.ended) = (None, true);
        self.shared.changed.notify_all();
    }

    /// How long nothing happens without input.
    fn idle_time(&mut self) -> Duration {
        let most = if self.flood.is_some() { FLOOD_NAP } else { NAP };
        let next = self.emulator.next().map(|next| self.time.until(next));
        next.map_or(most, |next| next.min(most))
    }

    /// Handles all waiting requests. Returns false if the board must stop.
    fn handle_requests(&mut self) -> bool {
        loop {
            match self.requests.try_recv() {
                Ok(request) => {
                    if !self.handle_request(request) {
                        return false;
                    }
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// Handles a request. The answer fails only if the requesting thread no longer waits.
    fn handle_request(&mut self, request: Request) -> bool {
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
                    self.write(&bytes);
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
                self.write(&bytes);
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
            Request::Stop => return false,
        }
        true
    }

    fn unplug(&mut self) {
        if let Some(stable) = &self.stable {
            stable.remove();
        }
        if let Some(mut link) = self.link.take() {
            link.close();
        }
        (self.path, self.alone) = (None, false);
    }

    fn plug(&mut self) -> io::Result<PathBuf> {
        self.unplug();
        let (link, path) = Pty::pair().map_err(io::Error::other)?;
        self.link = Some(link);
        self.path = Some(path.clone());
        if let Some(stable) = &self.stable {
            stable.point(&path)?;
        }
        Ok(path)
    }

    /// Writes bytes. Bytes that cannot be sent are lost, as on a cable.
    fn write(&mut self, bytes: &[u8]) {
        let gone = match &mut self.link {
            Some(link) if !self.muted && !self.alone => link.write(bytes).is_ok(),
            _ => false,
        };
        if !gone {
            self.lost = self.lost.saturating_add(bytes.len() as u64);
        }
    }

    /// Writes the random bytes that are due.
    fn write_flood(&mut self) {
        let Some(flood) = &mut self.flood else { return };
        let due = monotonic().since(flood.since).as_micros() as u64 / 100 * u64::from(flood.rate) / 10_000;
        let count = due.saturating_sub(flood.sent).min(FLOOD_PIECE);
        flood.sent += count;
        let mut bytes = vec![0; count as usize];
        flood.rng.fill(&mut bytes);
        self.write(&bytes);
    }

    /// Waits in the link for the host's bytes, until the board itself must do something. Returns false if it must stop.
    fn wait_for_bytes(&mut self) -> bool {
        let quiet = self.idle_time();
        let mut buffer = [0; 256];
        let heard = match &mut self.link {
            Some(link) => link.read(&mut buffer, quiet),
            None => Err(LinkError::Unplugged),
        };
        let alone = self.link.is_some() && !matches!(heard, Ok(_) | Err(LinkError::TimedOut));
        if alone && !self.alone {
            self.discard_unread();
        }
        self.alone = alone;
        match heard {
            Ok(count) => {
                // After the program's first bytes its hang-up is noticed: bytes that it has not read are not kept for the next
                // program.
                if let Some(link) = &mut self.link {
                    link.watch_hang_up();
                }
                self.emulator.host(self.time.now(), 0, &buffer[..count]);
            }
            Err(LinkError::TimedOut) => {}
            // There is no link to wait in: the next request may plug it in, or a program may open it again.
            Err(_) => match self.requests.recv_timeout(quiet) {
                Ok(request) => return self.handle_request(request),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            },
        }
        true
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
