//! Runs the turns of one station, from its inbox through the journal, the driver and the game to the outbox (the queue of
//! outgoing messages).
//!
//! A turn is one item of the inbox or one deadline. A panic in a turn is caught: the journal is flushed, and the station is
//! rebuilt from it. If rebuilding panics too, the same record would cause a panic for ever. Then the board is parked: its bytes
//! are still recorded, and all other boards continue.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::fenced_journal::FencedJournal;
use super::inbox::Popped;
use super::link::Links;
use super::live::Live;
use super::message::ToStation;
use super::output_router::OutputRouter;
use super::parked::ParkedStation;
use super::scheduler::{Next, Work};
use super::shared::{Condition, Shared, StationHandle};
use super::station_config::StationConfig;
use crate::system_clock;

/// One owner of a board's inbox, with everything that it needs.
pub(super) struct Station {
    config: Arc<StationConfig>,
    shared: Arc<Shared>,
    handle: Arc<StationHandle>,
    owner: u64,
    router: OutputRouter,
    phase: Phase,
    after_fault: bool,
}

/// What the station does in its next turn.
enum Phase {
    /// It opens its journal.
    Opening,
    /// It serves its board.
    Serving(Box<Live>),
    /// It begins to record only, for this reason.
    Parking(&'static str),
    /// It records only.
    Parked(Box<ParkedStation>),
}

impl Station {
    /// A station that reads the inbox as `owner` from its first turn on. One that hung before is `parked`: it only records.
    pub(super) fn new(
        config: Arc<StationConfig>,
        shared: Arc<Shared>,
        handle: Arc<StationHandle>,
        owner: u64,
        links: Links,
        parked: bool,
    ) -> Station {
        let router = OutputRouter::new(&config, Arc::clone(&shared), Arc::clone(&handle), owner, links);
        let phase = if parked { Phase::Parking("hung twice") } else { Phase::Opening };
        Station { config, shared, handle, owner, router, phase, after_fault: false }
    }

    /// Rebuilds the station from its journal, or begins a new session.
    fn open(&mut self) -> Next {
        if self.shared.stops.load(Ordering::Relaxed) {
            return self.end(Condition::Ended);
        }
        let Station { config, shared, handle, owner, router, .. } = self;
        let after_fault = self.after_fault;
        let opened = catch_panic(handle, || {
            let disk = FencedJournal::open(config, Arc::clone(handle), *owner)?;
            Live::open(disk, config, shared, handle, router, after_fault)
        });
        if router.is_replaced() {
            return Next::End;
        }
        match opened {
            Some(Ok(live)) => {
                handle.set_condition(Condition::Serving);
                self.phase = Phase::Serving(Box::new(live));
                Next::Now
            }
            Some(Err(error)) => {
                tracing::error!("board {}: {error:#}", handle.board);
                router.device.set_missing(format!("{error:#}"));
                router.publish_device_statuses();
                router.hand_over();
                self.end(Condition::Refused)
            }
            None => {
                self.phase = Phase::Parking("failed twice at the same record");
                Next::Long
            }
        }
    }

    fn serve(&mut self) -> Next {
        let Station { handle, owner, router, phase: Phase::Serving(live), .. } = self else { return Next::Now };
        let item = match handle.inbox.take(*owner) {
            Popped::Item(item) => Some(item),
            Popped::Closed if router.is_replaced() => return Next::End,
            Popped::Closed => Some(ToStation::Stop),
            Popped::TimedOut => None,
        };
        let is_due = item.is_some() || live.next_turn().is_some_and(|due| due <= system_clock::monotonic());
        let turn = || if is_due { live.turn(item, *owner, router) } else { ControlFlow::Continue(()) };
        match catch_panic(handle, turn) {
            Some(ControlFlow::Continue(())) if !handle.inbox.rest(*owner) => Next::Now,
            Some(ControlFlow::Continue(())) => Next::Wait(live.next_turn()),
            Some(ControlFlow::Break(())) => self.end(Condition::Ended),
            None if router.is_replaced() => Next::End,
            None => {
                tracing::error!("board {}: a fault in the program; the station is rebuilt from its journal", handle.board);
                if let Phase::Serving(live) = std::mem::replace(&mut self.phase, Phase::Opening) {
                    // If this panics too, the journal is read as far as it is good.
                    let _ = catch_panic(&self.handle, || live.abandon());
                }
                self.after_fault = true;
                self.handle.set_condition(Condition::Opening);
                Next::Long
            }
        }
    }

    /// Begins to record without a game.
    fn park(&mut self, why: &str) -> Next {
        let Station { config, handle, owner, router, .. } = self;
        tracing::error!("board {}: parked: its game {why}; its bytes are still recorded", handle.board);
        handle.set_condition(Condition::Parked);
        let problem = format!("the board's game {why} and was parked");
        router.device.set_parked(problem.clone());
        handle.tap.iter().for_each(|tap| tap.set_offline());
        router.publish_device_statuses();
        let disk = FencedJournal::open(config, Arc::clone(handle), *owner).map_err(Into::into);
        match disk.and_then(|disk| ParkedStation::open(config, disk, handle, problem)) {
            Ok(parked) => {
                // The last turn may have recorded events and not sent them.
                router.catch_up(&config.dir, parked.last_numbers());
                self.phase = Phase::Parked(Box::new(parked));
                Next::Now
            }
            Err(error) => {
                handle.note_journal(Some(&error));
                Next::End
            }
        }
    }

    fn end(&mut self, condition: Condition) -> Next {
        // The next start may open the folder of the journal as soon as this station has ended.
        self.phase = Phase::Opening;
        // A replaced owner does not change the handle any more.
        if !self.router.is_replaced() {
            drop(self.handle.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
            // Nobody reads it any more: links throw away what they have, and commands are refused.
            self.handle.inbox.close();
            self.handle.tap.iter().for_each(|tap| tap.set_offline());
            self.handle.set_condition(condition);
            self.handle.set_ended();
        }
        Next::End
    }
}

impl Work for Station {
    fn turn(&mut self) -> Next {
        if self.router.is_replaced() {
            return Next::End;
        }
        let handle = Arc::clone(&self.handle);
        let next = match self.phase {
            Phase::Opening => return self.open(),
            Phase::Serving(_) => return self.serve(),
            Phase::Parking(why) => catch_panic(&handle, || self.park(why)),
            Phase::Parked(ref mut parked) => catch_panic(&handle, || parked.turn(&handle, self.owner, &mut self.router)),
        };
        match next {
            None | Some(Next::End) => self.end(Condition::Parked),
            Some(next) => next,
        }
    }
}

/// Runs a piece of work. Returns none if it panicked; the panic hook has logged that.
fn catch_panic<T>(handle: &StationHandle, work: impl FnOnce() -> T) -> Option<T> {
    let _busy = handle.heartbeat.busy();
    // What a panic leaves half done is dropped with the station.
    catch_unwind(AssertUnwindSafe(work)).ok()
}
