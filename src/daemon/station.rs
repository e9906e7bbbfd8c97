//! One station's thread: from its inbox through the journal, the driver and the game to the outbox.
//!
//! A turn is one item of the inbox or one deadline. It runs with a net: a panic in a game is caught, the journal is written
//! out, and the station is rebuilt from it. If that panics too, the same record would bring it down for ever: the board is
//! parked, what it says is still recorded, and all other boards go on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::fence::Fenced;
use super::inbox::Popped;
use super::link::Links;
use super::live::Live;
use super::message::ToStation;
use super::outlet::Outlet;
use super::parked::Parked;
use super::plan::Plan;
use super::shared::{Condition, Face, Shared};
use crate::system_clock;

/// What became of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Another one comes.
    On,
    /// It was the last.
    End,
}

/// A station and all it talks to.
pub(super) struct Station {
    /// What it is to do.
    pub(super) plan: Plan,
    /// What all stations share.
    pub(super) shared: Arc<Shared>,
    /// What others see of it.
    pub(super) face: Arc<Face>,
    /// Its number as a reader of its inbox.
    pub(super) reader: u64,
    /// Its links.
    pub(super) links: Links,
    /// It hung before: only record.
    pub(super) parked: bool,
}

impl Station {
    /// Runs until it is told to stop or another reader takes its inbox.
    pub(super) fn run(self) {
        let Station { plan, shared, face, reader, links, parked } = self;
        let mut outlet = Outlet::new(&plan, Arc::clone(&shared), Arc::clone(&face), reader, links);
        let mut again = false;
        let end = loop {
            if parked {
                break park(&plan, &face, reader, &mut outlet, "hung twice");
            }
            let opened = with_net(&face, || {
                let disk = Fenced::open(&plan, Arc::clone(&face), reader)?;
                Live::open(disk, &plan, &shared, &face, &mut outlet, again)
            });
            if outlet.is_replaced() {
                break Condition::Ended;
            }
            let mut live = match opened {
                Some(Ok(live)) => live,
                Some(Err(error)) => {
                    tracing::error!("board {}: {error:#}", face.board);
                    outlet.device.missing(format!("{error:#}"));
                    outlet.tell_devices();
                    outlet.hand_over();
                    break Condition::Refused;
                }
                None => break park(&plan, &face, reader, &mut outlet, "failed twice at the same record"),
            };
            face.set_condition(Condition::Serving);
            if serve(&mut live, &face, reader, &mut outlet) == Served::Ended {
                break Condition::Ended;
            }
            if outlet.is_replaced() {
                break Condition::Ended;
            }
            tracing::error!("board {}: a fault in the program; the station is rebuilt from its journal", face.board);
            // What panics again here leaves a journal that is read as far as it is good.
            let _ = with_net(&face, || live.abandon());
            again = true;
        };
        // A replaced reader says nothing of the station any more.
        if !outlet.is_replaced() {
            face.set_condition(end);
            face.set_ended();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Served {
    Ended,
    Panicked,
}

fn serve(live: &mut Live, face: &Face, reader: u64, outlet: &mut Outlet) -> Served {
    loop {
        let wait = live.next().map(|next| next.since(system_clock::monotonic()));
        let popped = face.inbox.pop(reader, wait);
        let item = match popped {
            Popped::Item(item) => Some(item),
            Popped::TimedOut => None,
            Popped::Closed => Some(ToStation::Stop),
        };
        if !face.inbox.is_reader(reader) {
            return Served::Ended;
        }
        match with_net(face, || live.turn(item, reader, outlet)) {
            Some(Flow::On) => {}
            Some(Flow::End) => return Served::Ended,
            None => return Served::Panicked,
        }
    }
}

/// Runs a piece of work; none if it panicked, which the panic hook has told.
fn with_net<T>(face: &Face, work: impl FnOnce() -> T) -> Option<T> {
    let _busy = face.pulse.busy();
    // What a panic leaves half done is thrown away with the station.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The game is not touched any more.
fn park(plan: &Plan, face: &Arc<Face>, reader: u64, outlet: &mut Outlet, why: &str) -> Condition {
    tracing::error!("board {}: parked: its game {why}; its bytes are still recorded", face.board);
    face.set_condition(Condition::Parked);
    let problem = format!("the board's game {why} and was parked");
    outlet.device.parked(problem.clone());
    outlet.tell_devices();
    outlet.tell_parked(plan);
    let disk = Fenced::open(plan, Arc::clone(face), reader).map_err(Into::into);
    let opened = disk.and_then(|disk| Parked::open(plan, disk));
    match opened {
        Ok(mut parked) => {
            // What the last turn recorded and did not send.
            outlet.catch_up(&plan.dir, parked.last());
            parked.serve(face, reader, outlet, &problem);
        }
        Err(error) => tracing::error!("board {}: not even recorded: {error:#}", face.board),
    }
    Condition::Parked
}
