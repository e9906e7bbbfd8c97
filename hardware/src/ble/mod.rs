//! Connects links to Bluetooth LE devices through BlueZ, the Bluetooth service of Linux. One thread serves all links.
//!
//! ```text
//!             ┌──────── not there: check with every advertisement, else once a second ─────────────┐
//!             ▼                                                                                    │
//!   want ─▶ choose ─▶ connect ─▶ services ─▶ subscribe ─▶ Up ─▶ Bytes … ─▶ Down ── pause, jitter ──┤
//!              by address, name or family                                                          │
//!                                                     the adapter or the bus is gone: all links begin again
//! ```
//!
//! BlueZ may keep an object of a device that is of no use any more: a connection is made, and its services are never found. So
//! after two failed attempts the object is removed, and the device is found anew by its advertisement. A paired device is kept.
//!
//! The radio finds devices by their address or their name. The family's session confirms that a device is what its name says,
//! and its first question is harmless. No key is sent before the device has sent something. Every wait has a limit, because
//! BlueZ sets none. BlueZ ends without notice, so it is asked every few seconds whether it is there. The radio begins one
//! attempt to connect per second, and never two for one device.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{self, error::TrySendError};

pub use crate::ble_types::*;
use crate::port::SendError;

mod choose;
mod connection;
mod link;
mod nearby;
mod opening;
mod orders;
mod pause;
mod problem;
mod queries;
mod radio;
mod remove;

pub use btleplug::api::BDAddr as Address;
pub use choose::device;
pub use nearby::nearby;
pub use pause::Pace;
pub use problem::LinkProblem;

use orders::{Order, Orders};
use radio::Radio as Task;

/// The largest number of messages that wait to be written to one device.
const MAX_WAITING: usize = 64;

/// The channel between a link's owner and the radio: bytes go through it while the device is connected.
type Outlet = Arc<Mutex<Option<mpsc::Sender<(u8, Vec<u8>)>>>>;

/// The thread that communicates with BlueZ for all links. Dropping this value ends all of them.
pub struct Radio {
    orders: Arc<Orders>,
    thread: Option<JoinHandle<()>>,
}

impl Radio {
    /// Starts the thread. `adapter` is the name of an adapter (`hci0`); `None` uses the first one. `now` returns microseconds
    /// that never go back. `seed` makes the pauses of several machines different.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start(adapter: Option<String>, now: fn() -> u64, seed: u64) -> io::Result<Arc<Radio>> {
        Radio::start_at(Pace::default(), adapter, now, seed)
    }

    /// The same as [`Radio::start`], with other waiting times.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start_at(pace: Pace, adapter: Option<String>, now: fn() -> u64, seed: u64) -> io::Result<Arc<Radio>> {
        let orders = Arc::<Orders>::default();
        let runtime = runtime()?;
        let task = Task::new(adapter, pace, now, seed, Arc::clone(&orders));
        let thread = Builder::new().name("radio".to_owned()).spawn(move || run(task, runtime))?;
        Ok(Arc::new(Radio { orders, thread: Some(thread) }))
    }
}

fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Runs each session in its own runtime. bluez-async keeps the connection to the bus in a task that ends only with its runtime.
fn run(mut task: Task, mut own: Runtime) {
    while own.block_on(task.turn()).is_continue() {
        // If no new runtime can be created, the old one is used again. The rest of the old session ends with it later.
        if let Ok(next) = runtime() {
            own = next;
        }
    }
}

impl Drop for Radio {
    fn drop(&mut self) {
        self.orders.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Radio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Radio").finish_non_exhaustive()
    }
}

/// A link to one device. Dropping it disconnects.
#[derive(Debug)]
pub struct BleLink {
    radio: Arc<Radio>,
    id: u64,
    outlet: Outlet,
}

impl BleLink {
    /// Begins to search for the device. `id` must be unique among the links of this radio.
    pub fn start(radio: Arc<Radio>, id: u64, wanted: Wanted, sink: Sink) -> BleLink {
        let outlet = Outlet::default();
        radio.orders.give(Order::Join { id, wanted, sink, outlet: Arc::clone(&outlet) });
        BleLink { radio, id, outlet }
    }

    /// Writes bytes to a channel, in pieces that the device accepts. This never blocks. Bytes that wait when the device goes
    /// away are dropped.
    ///
    /// # Errors
    /// The link is down, or 64 pieces wait already.
    pub fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        let outlet = self.outlet.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = outlet.as_ref().ok_or(SendError::Down)?.try_send((channel, bytes));
        sent.map_err(|error| match error {
            TrySendError::Full(_) => SendError::Full,
            TrySendError::Closed(_) => SendError::Down,
        })
    }

    /// Changes the device of the link. A connected device is disconnected first.
    pub fn want(&self, wanted: Wanted) {
        self.radio.orders.give(Order::Want { id: self.id, wanted });
    }
}

impl Drop for BleLink {
    fn drop(&mut self) {
        self.radio.orders.give(Order::Leave { id: self.id });
    }
}
