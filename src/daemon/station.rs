//! Runs the thread of one station, from its inbox through the journal, the driver and the game to the outbox (the queue of
//! outgoing messages).
//!
//! A turn is one item of the inbox or one deadline. A panic in a turn is caught: the journal is flushed, and the station is
//! rebuilt from it. If rebuilding panics too, the same record would cause a panic for ever. Then the board is parked: its bytes
//! are still recorded, and all other boards continue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::fenced_journal::FencedJournal;
use super::inbox::Popped;
use super::link::Links;
use super::live::Live;
use super::message::ToStation;
use super::output_router::OutputRouter;
use super::parked::ParkedStation;
use super::shared::{Condition, Shared, StationHandle};
use super::station_config::StationConfig;
use crate::system_clock;

/// Whether the station continues after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Another turn comes.
    Continue,
    /// It was the last turn.
    End,
}

/// A station and everything that it needs.
pub(super) struct Station {
    /// Its configuration.
    pub(super) config: StationConfig,
    /// What all stations share.
    pub(super) shared: Arc<Shared>,
    /// The part that other threads use.
    pub(super) handle: Arc<StationHandle>,
    /// Its number as an owner of its inbox.
    pub(super) owner: u64,
    /// Its links.
    pub(super) links: Links,
    /// It hung before, so it only records.
    pub(super) parked: bool,
}

impl Station {
    /// Runs until a stop is requested or another owner takes its inbox.
    pub(super) fn run(self) {
        let Station { config, shared, handle, owner, links, parked } = self;
        let mut router = OutputRouter::new(&config, Arc::clone(&shared), Arc::clone(&handle), owner, links);
        let mut after_fault = false;
        let end = loop {
            if parked {
                break park(&config, &handle, owner, &mut router, "hung twice");
            }
            let opened = catch_panic(&handle, || {
                let disk = FencedJournal::open(&config, Arc::clone(&handle), owner)?;
                Live::open(disk, &config, &shared, &handle, &mut router, after_fault)
            });
            if router.is_replaced() {
                break Condition::Ended;
            }
            let mut live = match opened {
                Some(Ok(live)) => live,
                Some(Err(error)) => {
                    tracing::error!("board {}: {error:#}", handle.board);
                    router.device.set_missing(format!("{error:#}"));
                    router.publish_device_statuses();
                    router.hand_over();
                    break Condition::Refused;
                }
                None => break park(&config, &handle, owner, &mut router, "failed twice at the same record"),
            };
            handle.set_condition(Condition::Serving);
            if serve(&mut live, &handle, owner, &mut router) == ServeEnd::Ended {
                break Condition::Ended;
            }
            if router.is_replaced() {
                break Condition::Ended;
            }
            tracing::error!("board {}: a fault in the program; the station is rebuilt from its journal", handle.board);
            // If this panics too, the journal is read as far as it is good.
            let _ = catch_panic(&handle, || live.abandon());
            after_fault = true;
        };
        // A replaced owner does not change the handle any more.
        if !router.is_replaced() {
            handle.tap.iter().for_each(|tap| tap.set_offline());
            handle.set_condition(end);
            handle.set_ended();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServeEnd {
    Ended,
    Panicked,
}

fn serve(live: &mut Live, handle: &StationHandle, owner: u64, router: &mut OutputRouter) -> ServeEnd {
    loop {
        let wait = live.next_turn().map(|next| next.since(system_clock::monotonic()));
        let popped = handle.inbox.pop(owner, wait);
        let item = match popped {
            Popped::Item(item) => Some(item),
            Popped::TimedOut => None,
            Popped::Closed => Some(ToStation::Stop),
        };
        if !handle.inbox.is_current_owner(owner) {
            return ServeEnd::Ended;
        }
        match catch_panic(handle, || live.turn(item, owner, router)) {
            Some(Flow::Continue) => {}
            Some(Flow::End) => return ServeEnd::Ended,
            None => return ServeEnd::Panicked,
        }
    }
}

/// Runs a piece of work. Returns none if it panicked; the panic hook has logged that.
fn catch_panic<T>(handle: &StationHandle, work: impl FnOnce() -> T) -> Option<T> {
    let _busy = handle.heartbeat.busy();
    // What a panic leaves half done is dropped with the station.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Records without a game until the end.
fn park(config: &StationConfig, handle: &Arc<StationHandle>, owner: u64, router: &mut OutputRouter, why: &str) -> Condition {
    tracing::error!("board {}: parked: its game {why}; its bytes are still recorded", handle.board);
    handle.set_condition(Condition::Parked);
    let problem = format!("the board's game {why} and was parked");
    router.device.set_parked(problem.clone());
    handle.tap.iter().for_each(|tap| tap.set_offline());
    router.publish_device_statuses();
    let disk = FencedJournal::open(config, Arc::clone(handle), owner).map_err(Into::into);
    let opened = disk.and_then(|disk| ParkedStation::open(config, disk, handle));
    match opened {
        Ok(mut parked) => {
            // The last turn may have recorded events and not sent them.
            router.catch_up(&config.dir, parked.last_numbers());
            parked.serve(handle, owner, router, &problem);
        }
        Err(error) => handle.note_journal(Some(&error)),
    }
    Condition::Parked
}
