//! One board as the supervisor has it: its link, its thread, and what to do if that hangs.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};
use flagfall_hardware::link::LinkError;
use flagfall_hardware::port::{PortEvent, PortThread};

use super::inbox::Inbox;
use super::message::ToStation;
use super::plan::Plan;
use super::shared::{Condition, Face, Shared};
use super::station::Station;
use crate::wall::{self, Mono};

/// A station that works on one thing for longer than this hangs.
const STUCK: Duration = Duration::from_secs(5);
/// Reading a whole day's journal takes longer.
const OPENING: Duration = Duration::from_secs(120);

/// One board that is served.
pub(super) struct Served {
    /// What others see of it.
    pub(super) face: Arc<Face>,
    plan: Plan,
    port: Arc<PortThread>,
    thread: Option<JoinHandle<()>>,
    /// It hung once and another thread took its place.
    replaced: bool,
    /// How often its inbox had been full when it was looked at last.
    full: u64,
}

impl Served {
    /// Starts a board's threads.
    ///
    /// # Errors
    /// There are no more threads.
    pub(super) fn start(plan: Plan, shared: &Arc<Shared>) -> Result<Served> {
        let id = plan.setting.board.board.clone();
        let face = Arc::new(Face::new(&id));
        let sink = sink(Arc::clone(&face.inbox));
        let port = PortThread::start(&format!("port-{id}"), plan.wanted.clone(), Arc::clone(&shared.ports), micros, sink);
        let port = Arc::new(port.with_context(|| format!("board {id}"))?);
        let mut served = Served { face, plan, port, thread: None, replaced: false, full: 0 };
        served.begin(shared)?;
        Ok(served)
    }

    fn begin(&mut self, shared: &Arc<Shared>) -> Result<()> {
        let station = Station {
            plan: self.plan.clone(),
            shared: Arc::clone(shared),
            face: Arc::clone(&self.face),
            reader: self.face.inbox.replace_reader(),
            port: Arc::clone(&self.port),
        };
        let name = format!("board-{}", self.face.board);
        let thread = Builder::new().name(name).spawn(move || station.run());
        self.thread = Some(thread.with_context(|| format!("board {}", self.face.board))?);
        Ok(())
    }

    /// The folder of its journal.
    pub(super) fn dir(&self) -> PathBuf {
        self.plan.dir.clone()
    }

    /// Looks whether the station hangs: the first time another thread takes its place, after that it is given up.
    pub(super) fn look(&mut self, shared: &Arc<Shared>) {
        let full = self.face.inbox.full();
        if full > self.full {
            tracing::warn!("board {}: its inbox was full {} times", self.face.board, full - self.full);
            self.full = full;
        }
        let condition = self.face.condition();
        let limit = match condition {
            Condition::Opening => OPENING,
            Condition::Serving => STUCK,
            Condition::Parked | Condition::Refused | Condition::Ended => return,
        };
        let stuck = self.face.pulse.stuck_for(wall::mono());
        if stuck < limit {
            return;
        }
        let board = &self.face.board;
        if self.replaced {
            tracing::error!("board {board}: hangs again, for {} s: given up", stuck.as_secs());
            self.face.set_condition(Condition::Parked);
            return;
        }
        tracing::error!("board {board}: hangs for {} s: another thread goes on from its journal", stuck.as_secs());
        self.replaced = true;
        if let Err(error) = self.begin(shared) {
            tracing::error!("{error:#}");
            self.face.set_condition(Condition::Parked);
        }
        // The new one hears of the link from its beginning.
        self.port.want(self.plan.wanted.clone());
    }

    /// Ends the station, then the link. A thread that does not end in time is left behind.
    pub(super) fn stop(self, within: Duration) {
        self.face.inbox.urgent(ToStation::Stop);
        if self.thread.is_some() && self.face.wait_until_ended(within) {
            if let Some(thread) = self.thread
                && thread.join().is_err()
            {
                tracing::error!("board {}: its thread had panicked", self.face.board);
            }
        } else {
            tracing::error!("board {}: its thread does not end", self.face.board);
        }
        // Nobody reads any more: a link that waits for room must not.
        self.face.inbox.close();
    }
}

fn micros() -> u64 {
    wall::mono().0
}

/// What a link's thread tells, put into the inbox of its station.
fn sink(inbox: Arc<Inbox<ToStation>>) -> Box<dyn FnMut(u64, PortEvent<'_>) + Send> {
    Box::new(move |at, event| {
        let at = Mono(at);
        let item = match event {
            PortEvent::Up { path, .. } => ToStation::Up { at, path: path.display().to_string() },
            PortEvent::Bytes(bytes) => ToStation::Bytes { at, bytes: bytes.to_vec() },
            PortEvent::Down(error) => ToStation::Down { at, cause: cause(&error) },
            PortEvent::Missing(trouble) => ToStation::Missing { problem: trouble.to_string() },
        };
        // False only at the end, when nobody wants to know.
        inbox.push(item);
    })
}

/// One word for a `link` record.
const fn cause(error: &LinkError) -> &'static str {
    match error {
        LinkError::Unplugged => "unplugged",
        LinkError::Refused => "refused",
        LinkError::TimedOut => "timed-out",
        LinkError::Busy => "busy",
        LinkError::Denied => "denied",
        LinkError::Silent => "silent",
        LinkError::Other(_) => "other",
    }
}
