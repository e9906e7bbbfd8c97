//! Bluetooth LE links, through the system's BlueZ: one thread for all of them.
//!
//! ```text
//!             ┌──────── not there: look again with every advertisement, else once a second ────────┐
//!             ▼                                                                                    │
//!   want ─▶ choose ─▶ connect ─▶ services ─▶ subscribe ─▶ Up ─▶ Bytes … ─▶ Down ── pause, jitter ──┤
//!              by address, name or family                                                          │
//!                                                     the adapter or the bus is gone: all begin anew
//! ```
//!
//! Devices are found by their address or their name. That a device is what its name says is confirmed by the family's session,
//! whose first question harms nobody; until the device has said something no key is sent. Every wait has an end: BlueZ leaves
//! that to its callers. Its own end is silent, so it is asked every few seconds whether it is there. One attempt to connect is
//! begun a second, and never two for one device.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use flagfall_protocols::driver::Channel;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::link::LinkError;
use crate::port::SendError;

mod choose;
mod connection;
mod link;
mod nearby;
mod orders;
mod pause;
mod problem;
mod queries;
mod radio;

pub use btleplug::api::BDAddr as Address;
pub use choose::device;
pub use connection::Place;
pub use nearby::{Nearby, nearby};
pub use pause::Pace;
pub use problem::LinkProblem;

use orders::{Order, Orders};
use radio::Radio as Task;

/// Pieces that may wait to be written to one device.
const MAX_WAITING: usize = 64;

/// Which device a link is to: the one with the address, else the one with the name, else the only one whose name begins as the
/// family's do and ends with the serial number. Without an address it must be heard, and none beside it that could be meant.
#[derive(Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its address.
    pub address: Option<Address>,
    /// Its whole advertised name; case does not matter.
    pub name: Option<String>,
    /// Its serial number, for families that end their names with it.
    pub serial: Option<String>,
    /// Beginnings of the family's names.
    pub family: &'static [&'static str],
    /// What it is talked to through; none = everything that notifies is listened to, for devices that nobody knows yet.
    pub channels: Option<&'static [Channel]>,
    /// A key that some devices want: written to channel 0 once in each connection, as soon as the device has said something
    /// and before anything else, and told to nobody.
    pub unlock: Option<Vec<u8>>,
}

/// Without the key: it is only said whether there is one.
impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wanted { address, name, serial, family, channels, unlock } = self;
        let mut wanted = f.debug_struct("Wanted");
        wanted.field("address", address).field("name", name).field("serial", serial).field("family", family);
        wanted.field("channels", channels).field("unlock", &unlock.as_ref().map(|_| format_args!("not shown"))).finish()
    }
}

/// What a link tells.
#[derive(Debug)]
pub enum BleEvent<'a> {
    /// The device is connected and everything is subscribed: begin the session.
    Up {
        /// Its address.
        address: Address,
        /// Its name.
        name: Option<&'a str>,
        /// How strongly it was received, dBm.
        signal: Option<i16>,
        /// What is where, by number of the channel.
        places: &'a [Place],
    },
    /// Bytes arrived in one notification.
    Bytes {
        /// The number of the channel.
        channel: u8,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The device is not connected any more.
    Down(LinkError),
    /// There is no device, and why. Said once for each change of the problem.
    Missing(LinkProblem),
}

/// Where a link's events go, each with its time. It must not block; false = there is no room, and it is asked again.
pub type Sink = Box<dyn FnMut(u64, &BleEvent<'_>) -> bool + Send>;

/// What a link's owner and the radio share: where bytes go while the device is connected.
type Outlet = Arc<Mutex<Option<mpsc::Sender<(u8, Vec<u8>)>>>>;

/// The thread that talks to BlueZ for all links. Dropping it ends all of them.
pub struct Radio {
    orders: Arc<Orders>,
    thread: Option<JoinHandle<()>>,
}

impl Radio {
    /// Starts the thread. `adapter` names one (`hci0`); none = the first. `now` gives microseconds that never run back; `seed`
    /// lets several machines pause differently.
    ///
    /// # Errors
    /// No more threads.
    pub fn start(adapter: Option<String>, now: fn() -> u64, seed: u64) -> io::Result<Arc<Radio>> {
        Radio::start_at(Pace::default(), adapter, now, seed)
    }

    /// The same, with waits of one's own.
    ///
    /// # Errors
    /// No more threads.
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

/// Each session has a runtime of its own: bluez-async leaves the connection to the bus in a task that nobody can end, and only
/// with its runtime does it go.
fn run(mut task: Task, mut own: Runtime) {
    while own.block_on(task.turn()).is_continue() {
        // Without room for another it goes on in this one: what is left of it goes with it later.
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
    /// Looks for the device from now on. `id` is one that no other link of this radio has.
    pub fn start(radio: Arc<Radio>, id: u64, wanted: Wanted, sink: Sink) -> BleLink {
        let outlet = Outlet::default();
        radio.orders.give(Order::Join { id, wanted, sink, outlet: Arc::clone(&outlet) });
        BleLink { radio, id, outlet }
    }

    /// Writes bytes to a channel, in pieces that the device takes. Never blocks. What waits when the device goes is dropped.
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

    /// From now on another device; one that is connected is let go first.
    pub fn want(&self, wanted: Wanted) {
        self.radio.orders.give(Order::Want { id: self.id, wanted });
    }
}

impl Drop for BleLink {
    fn drop(&mut self) {
        self.radio.orders.give(Order::Leave { id: self.id });
    }
}
