//! One board as the supervisor has it: its link, its thread, and what to do if that hangs.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};

use super::link::{Link, Links};
use super::message::ToStation;
use super::shared::{Condition, Shared, StationHandle};
use super::station::Station;
use super::station_config::StationConfig;
use crate::session::station::{BOARD, CLOCK};
use crate::system_clock::{self, MonotonicTime};

/// How long a station may work on one thing before it is said to hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// At work.
    pub serving: Duration,
    /// While it reads its journal; a whole day's takes long.
    pub opening: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { serving: Duration::from_secs(5), opening: Duration::from_secs(120) }
    }
}

/// Who hangs again within this time of being replaced hangs for good.
const AGAIN_WITHIN: Duration = Duration::from_secs(60);

/// One board that is served.
pub(super) struct SupervisedStation {
    /// What others see of it.
    pub(super) handle: Arc<StationHandle>,
    config: StationConfig,
    patience: Patience,
    links: Links,
    thread: Option<JoinHandle<()>>,
    /// When it hung last and another thread took its place.
    replaced: Option<MonotonicTime>,
    /// How often its inbox had been full when it was looked at last.
    full: u64,
}

impl SupervisedStation {
    /// Starts a board's threads. `number` is one that no other board has.
    ///
    /// # Errors
    /// There are no more threads.
    pub(super) fn start(
        number: u64,
        config: StationConfig,
        patience: Patience,
        shared: &Arc<Shared>,
    ) -> Result<SupervisedStation> {
        let id = config.setting.board.board.clone();
        let handle = Arc::new(StationHandle::new(&id));
        let start = |link, wanted| {
            let started = Link::start(&id, (number, link), wanted, shared, Arc::clone(&handle.inbox));
            started.map(Arc::new).with_context(|| format!("board {id}"))
        };
        let board = start(BOARD, config.wanted.clone())?;
        let clock = config.clock.clone().map(|wanted| start(CLOCK, wanted)).transpose()?;
        let links = Links { board, clock };
        let mut station = SupervisedStation { handle, config, patience, links, thread: None, replaced: None, full: 0 };
        station.start_thread(shared, false)?;
        Ok(station)
    }

    /// Another thread reads the inbox from now on; `parked`: it only records.
    fn start_thread(&mut self, shared: &Arc<Shared>, parked: bool) -> Result<()> {
        self.handle.set_condition(if parked { Condition::Parked } else { Condition::Opening });
        let station = Station {
            config: self.config.clone(),
            shared: Arc::clone(shared),
            handle: Arc::clone(&self.handle),
            owner: self.handle.inbox.replace_owner(),
            links: self.links.clone(),
            parked,
        };
        let name = format!("board-{}", self.handle.board);
        let thread = Builder::new().name(name).spawn(move || station.run());
        self.thread = Some(thread.with_context(|| format!("board {}", self.handle.board))?);
        Ok(())
    }

    /// The folder of its journal.
    pub(super) fn dir(&self) -> PathBuf {
        self.config.dir.clone()
    }

    /// Looks whether the station hangs or its thread is gone: another thread takes its place, and if that hangs soon too the
    /// board is parked. Where the disk does not answer, every thread that writes waits for it and none is judged.
    pub(super) fn check_health(&mut self, shared: &Arc<Shared>, disk_stuck: bool) {
        let full = self.handle.inbox.full_count();
        if full > self.full {
            tracing::warn!("board {}: its inbox was full {} times", self.handle.board, full - self.full);
            self.full = full;
        }
        let condition = self.handle.condition();
        let limit = match condition {
            Condition::Opening => self.patience.opening,
            Condition::Serving => self.patience.serving,
            Condition::Parked | Condition::Refused | Condition::Ended => return,
        };
        let now = system_clock::monotonic();
        let stuck = self.handle.heartbeat.stuck_for(now);
        let gone = self.thread.as_ref().is_some_and(JoinHandle::is_finished);
        if !gone && (stuck < limit || disk_stuck) {
            return;
        }
        let again = self.replaced.is_some_and(|before| now.since(before) < limit + AGAIN_WITHIN);
        let what = if again { "its bytes are still recorded" } else { "another thread goes on from its journal" };
        let how = if gone { "its thread is gone".to_owned() } else { format!("hangs for {} s", stuck.as_secs()) };
        tracing::error!("board {}: {how}: {what}", self.handle.board);
        self.replaced = Some(now);
        // The new one hears of the links from their beginning.
        self.links.board.change_device(self.handle.wanted().unwrap_or_else(|| self.config.wanted.clone()));
        if let Some((clock, wanted)) = self.links.clock.as_ref().zip(self.config.clock.clone()) {
            clock.change_device(wanted);
        }
        if let Err(error) = self.start_thread(shared, again) {
            tracing::error!("{error:#}");
            self.handle.set_condition(Condition::Parked);
        }
    }

    /// The station is to end.
    pub(super) fn request_stop(&self) {
        // Behind what has arrived; before it only if there is no room.
        if !self.handle.inbox.offer(ToStation::Stop) {
            self.handle.inbox.push_urgent(ToStation::Stop);
        }
    }

    /// Waits for its end, then ends the link. A thread that does not end in time is left behind.
    pub(super) fn stop(self, within: Duration) {
        if self.thread.is_some() && self.handle.wait_until_ended(within) {
            if let Some(thread) = self.thread
                && thread.join().is_err()
            {
                tracing::error!("board {}: its thread had panicked", self.handle.board);
            }
        } else {
            tracing::error!("board {}: its thread does not end", self.handle.board);
        }
        // Nobody reads any more: a link that waits for room must not.
        self.handle.inbox.close();
    }
}
