//! Starts, watches and stops one board for the supervisor: its links and its station. A station that hangs is replaced.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};

use super::link::{Link, Links};
use super::message::ToStation;
use super::shared::{Condition, Shared, StationHandle};
use super::station::Station;
use super::station_config::StationConfig;
use crate::log_limit;
use crate::outputs::tap::Tap;
use crate::session::station::{BOARD, CLOCK};
use crate::system_clock::{self, MonotonicTime};
use crate::wire::topics::Board;

/// The time limits for work on one item. A station that needs longer counts as hanging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// While it serves its board.
    pub serving: Duration,
    /// While it reads its journal. The journal of a whole day takes long.
    pub opening: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { serving: Duration::from_secs(5), opening: Duration::from_secs(120) }
    }
}

/// A station that hangs again within this time after it was replaced is parked.
const AGAIN_WITHIN: Duration = Duration::from_secs(60);

/// One board, with the task that serves it.
pub(super) struct SupervisedStation {
    /// The part that other threads use.
    pub(super) handle: Arc<StationHandle>,
    config: Arc<StationConfig>,
    patience: Patience,
    links: Links,
    task: u64,
    /// When the station hung last and another one took its place.
    replaced: Option<MonotonicTime>,
    /// How often its inbox had been full at the last check.
    full: u64,
}

impl SupervisedStation {
    /// Starts the links and the task of a board. No other board has the same `number`. Programs on this machine see it through `tap`.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(super) fn start(
        number: u64,
        config: StationConfig,
        patience: Patience,
        shared: &Arc<Shared>,
        tap: Option<Arc<Tap>>,
    ) -> Result<SupervisedStation> {
        let id = config.setting.board.board.clone();
        let handle = Arc::new(StationHandle::new(&id, tap));
        let start = |link, wanted| {
            let started = Link::start((number, link), wanted, shared, Arc::clone(&handle.inbox));
            started.map(Arc::new).with_context(|| format!("board {id}"))
        };
        let board = start(BOARD, config.wanted.clone())?;
        let clock = config.clock.clone().map(|wanted| start(CLOCK, wanted)).transpose()?;
        let links = Links { board, clock };
        let config = Arc::new(config);
        let mut station = SupervisedStation { handle, config, patience, links, task: 0, replaced: None, full: 0 };
        station.begin_task(shared, false);
        Ok(station)
    }

    /// Begins a task that reads the inbox from now on. A `parked` station only records.
    fn begin_task(&mut self, shared: &Arc<Shared>, parked: bool) {
        self.handle.set_condition(if parked { Condition::Parked } else { Condition::Opening });
        self.handle.heartbeat.reset();
        self.task = shared.scheduler.reserve();
        let owner = self.handle.inbox.replace_owner(Some((Arc::clone(&shared.scheduler), self.task)));
        let (config, links) = (Arc::clone(&self.config), self.links.clone());
        let station = Station::new(config, Arc::clone(shared), Arc::clone(&self.handle), owner, links, parked);
        shared.scheduler.begin(self.task, Box::new(station));
    }

    /// The board in topics.
    pub(super) fn board(&self) -> &Board {
        &self.config.setting.board
    }

    /// The folder of the station's journal.
    pub(super) fn dir(&self) -> Arc<Path> {
        self.config.dir.as_path().into()
    }

    /// Checks whether the station hangs or has ended by a fault. Then another one takes its place; if that one hangs soon too, the
    /// board is parked. While the disk does not answer, every thread that writes waits for it, and no station is replaced.
    pub(super) fn check_health(&mut self, shared: &Arc<Shared>, disk_stuck: bool) {
        let full = self.handle.inbox.full_count();
        if full > self.full {
            log_limit::warn(
                "the inbox of a board was full",
                &format_args!("board {}, {} times", self.handle.board, full - self.full),
            );
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
        let gone = !shared.scheduler.has(self.task) && self.handle.condition() == condition;
        if !gone && (stuck < limit || disk_stuck) {
            return;
        }
        let again = self.replaced.is_some_and(|before| now.since(before) < limit + AGAIN_WITHIN);
        let what = if again { "its bytes are still recorded" } else { "another station goes on from its journal" };
        let how = if gone { "its station has ended".to_owned() } else { format!("hangs for {} s", stuck.as_secs()) };
        tracing::error!("board {}: {how}: {what}", self.handle.board);
        self.replaced = Some(now);
        // The new station is informed of the links from their beginning.
        self.links.board.change_device(self.handle.wanted().unwrap_or_else(|| self.config.wanted.clone()));
        if let Some((clock, wanted)) = self.links.clock.as_ref().zip(self.config.clock.clone()) {
            clock.change_device(wanted);
        }
        self.begin_task(shared, again);
    }

    /// Asks the station to end.
    pub(super) fn request_stop(&self) {
        // The request goes behind what has arrived, and before it only if there is no room.
        if !self.handle.inbox.offer(ToStation::Stop) {
            self.handle.inbox.push_urgent(ToStation::Stop);
        }
    }

    /// Waits for the end of the station, then ends its links. A station that does not end in time is left behind.
    pub(super) fn stop(self, within: Duration) {
        if !self.handle.wait_until_ended(within) {
            tracing::error!("board {}: its station does not end", self.handle.board);
        }
        // Nobody reads the inbox any more.
        self.handle.inbox.close();
    }
}
