//! One peripheral: its board, which runs in real time, and the state of its radio.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flagfall_hardware::emulator::{Device, Sent};
use flagfall_protocols::driver::Channel;
use flagfall_protocols::time::Instant as BoardTime;
use tokio::sync::{Notify, watch};

use super::{Peripheral, Service};

/// The actions of the host on a peripheral, and their results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// How many times the properties of the peripheral were sent to the host, with or without a query.
    pub(crate) queries: u64,
    /// The times at which the host asked for a connection.
    pub(crate) attempts: Vec<Instant>,
    /// The times at which the host got a connection.
    pub(crate) connections: Vec<Instant>,
    /// The most connections that the host had or asked for at a time. The number is 2 or more if the host asked for one while
    /// it had one or waited for one.
    pub(crate) most_at_once: usize,
    /// How many times the host removed the peripheral's object.
    pub(crate) removals: u64,
    /// The bytes that the host wrote.
    pub(crate) writes: Vec<Written>,
    /// Writes that were refused, because there was no connection.
    pub(crate) refused_writes: u64,
    /// Notifications that were sent.
    pub(crate) notifications: u64,
    /// Bytes that the board sent while no host was subscribed.
    pub(crate) unheard: u64,
}

/// One write of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// The time of the write.
    pub(crate) at: Instant,
    /// The characteristic.
    pub(crate) uuid: u128,
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
    /// Whether it was a write command, which is not acknowledged.
    pub(crate) command: bool,
}

pub(super) struct Radio {
    pub(super) name: String,
    pub(super) services: Vec<Service>,
    pub(super) mtu: u16,
    pub(super) rssi: i16,
    pub(super) connect_delay: Duration,
    pub(super) resolve_delay: Duration,
    channels: &'static [Channel],
    pub(super) board: Box<dyn Device>,
    began: Instant,
    speed: f64,
    /// Wakes the board's task, so that it computes again when the board acts next.
    pub(super) wake: Arc<Notify>,
    /// Whether the peripheral is within reach.
    pub(super) near: bool,
    /// Whether its Device1 exists, and whether its services exist.
    pub(super) known: bool,
    pub(super) explored: bool,
    /// Whether it was received since discovery began.
    pub(super) received: bool,
    pub(super) linked: bool,
    pub(super) resolved: bool,
    /// The number of connections that were asked for and are not made yet.
    pub(super) asked: usize,
    /// How many times a connection ended. The number identifies the present connection.
    pub(super) turn: watch::Sender<u64>,
    pub(super) refuse: u32,
    /// Whether its object is stale: connections are made, but no services are found until the object is removed.
    pub(super) stale: bool,
    /// Whether the host is paired with it.
    pub(super) paired: bool,
    pub(super) notifying: BTreeSet<u128>,
    /// The characteristics that refuse a subscription.
    pub(super) silent: BTreeSet<u128>,
    pub(super) seen: Seen,
}

impl Radio {
    pub(super) fn new(peripheral: Peripheral) -> Radio {
        Radio {
            name: peripheral.name,
            services: peripheral.services,
            mtu: peripheral.mtu,
            rssi: peripheral.rssi,
            connect_delay: peripheral.connect_delay,
            resolve_delay: peripheral.resolve_delay,
            channels: peripheral.channels,
            board: peripheral.board,
            began: now(),
            speed: peripheral.speed,
            wake: Arc::new(Notify::new()),
            near: true,
            known: false,
            explored: false,
            received: false,
            linked: false,
            resolved: false,
            asked: 0,
            turn: watch::Sender::new(0),
            refuse: 0,
            stale: false,
            paired: false,
            notifying: BTreeSet::new(),
            silent: BTreeSet::new(),
            seen: Seen::default(),
        }
    }

    /// Returns the board's time.
    pub(super) fn time(&self) -> BoardTime {
        BoardTime((now().duration_since(self.began).as_secs_f64() * self.speed * 1e6) as u64)
    }

    /// Handles a write of the host to a characteristic.
    pub(super) fn receive(&mut self, uuid: u128, bytes: Vec<u8>, command: bool) {
        if let Some(channel) = self.channels.iter().position(|channel| channel.write == Some(uuid)) {
            self.board.host(self.time(), channel as u8, &bytes);
            self.wake.notify_one();
        }
        self.seen.writes.push(Written { at: now(), uuid, bytes, command });
    }

    /// Lets the board's time pass up to now. Returns the notifications, each with the place of its service and characteristic,
    /// and how long the board will do nothing by itself.
    pub(super) fn advance(&mut self) -> (Vec<(usize, usize, Vec<u8>)>, Duration) {
        let mut sent = Vec::new();
        let time = self.time();
        self.board.advance(time, &mut sent);
        let mut notifications = Vec::new();
        for Sent { channel, bytes, .. } in sent {
            let uuid = self.channels.get(usize::from(channel)).and_then(|channel| channel.notify);
            match uuid.filter(|uuid| self.linked && self.notifying.contains(uuid)).and_then(|uuid| self.place(uuid)) {
                Some((service, characteristic)) => {
                    notifications.extend(bytes.chunks(self.most()).map(|piece| (service, characteristic, piece.to_vec())));
                }
                None => self.seen.unheard += bytes.len() as u64,
            }
        }
        self.seen.notifications += notifications.len() as u64;
        let rest = self.board.next().map_or(Duration::from_secs(3600), |next| next.since(time).div_f64(self.speed));
        // A board that acts at once gets its turn, but a board that always acts must not stop the others.
        (notifications, rest.max(Duration::from_micros(100)))
    }

    /// Returns how many bytes a write or a notification can hold.
    pub(super) fn most(&self) -> usize {
        usize::from(self.mtu.max(4) - 3)
    }

    fn place(&self, uuid: u128) -> Option<(usize, usize)> {
        let within = |list: &[(u128, Vec<&'static str>)]| list.iter().position(|(other, _)| *other == uuid);
        self.services.iter().enumerate().find_map(|(service, (_, list))| Some((service, within(list)?)))
    }

    /// Handles the end of a connection, or of an attempt to connect. Returns whether there was a connection.
    pub(super) fn unlink(&mut self) -> bool {
        self.turn.send_modify(|turn| *turn += 1);
        self.resolved = false;
        self.notifying.clear();
        std::mem::take(&mut self.linked)
    }
}

#[allow(clippy::disallowed_methods, reason = "boards that a real program uses run in real time")]
pub(super) fn now() -> Instant {
    Instant::now()
}
