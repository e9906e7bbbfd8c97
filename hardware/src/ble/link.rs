//! Stores the state of one link for the radio: the device that the link wants, and its connection.

use std::time::Duration;

use btleplug::platform::PeripheralId;
use tokio::sync::watch;

use super::connection::{End, Hints};
use super::{Address, BleEvent, LinkProblem, Outlet, Sink, Wanted};

/// A connection from its beginning to its end.
pub(super) struct Held {
    pub(super) hints: watch::Sender<Hints>,
    pub(super) device: PeripheralId,
    pub(super) address: Address,
    /// Its device was within reach when the connection began.
    pub(super) near: bool,
}

/// The strength of a link's claim on a device, the weakest first. A link does not use a device on which another link has a
/// stronger claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// The device was connected last.
    Known,
    /// The link wants the device's address.
    Named,
    /// The device is connected, or a connection has begun.
    Connected,
}

pub(super) struct Link {
    pub(super) wanted: Wanted,
    pub(super) outlet: Outlet,
    /// `None` while a connection uses it.
    pub(super) sink: Option<Sink>,
    pub(super) connection: Option<Held>,
    /// The device that was connected last. It belongs to the link until another one is wanted.
    pub(super) known: Option<Address>,
    /// The time since which the radio listens for its device.
    pub(super) listens: Option<u64>,
    pub(super) failures: u32,
    /// How many attempts have failed since a connection was open.
    pub(super) failed_attempts: u32,
    /// How long the last opening of the known device took.
    pub(super) opened_in: Option<Duration>,
    /// The next attempt is not made before this time.
    pub(super) rests: u64,
    pub(super) reported: Option<LinkProblem>,
    /// The wanted device changed while another one was connected.
    pub(super) rebound: bool,
    pub(super) leaves: bool,
}

impl Link {
    pub(super) fn new(wanted: Wanted, sink: Sink, outlet: Outlet) -> Link {
        Link {
            wanted,
            outlet,
            sink: Some(sink),
            connection: None,
            known: None,
            listens: None,
            failures: 0,
            failed_attempts: 0,
            opened_in: None,
            rests: 0,
            reported: None,
            rebound: false,
            leaves: false,
        }
    }

    /// Changes the wanted device. If it is the same as before, the known device stays.
    pub(super) fn want(&mut self, wanted: Wanted) {
        self.end(End::LetGo);
        let up = self.connection.as_ref().filter(|_| !self.is_down()).map(|held| held.address);
        let same = self.wanted == wanted;
        (self.known, self.listens) = if same { (up.or(self.known), self.listens) } else { (None, None) };
        self.rebound = self.connection.is_some();
        (self.wanted, self.failures, self.rests, self.reported) = (wanted, 0, 0, None);
        self.failed_attempts = 0;
        self.opened_in = self.opened_in.filter(|_| same);
    }

    pub(super) fn searches(&self) -> bool {
        self.connection.is_none() && !self.leaves
    }

    /// Returns whether the link has listened long enough. Then its device counts as the only one with its name.
    pub(super) fn has_listened(&self, at: u64, listen: Duration) -> bool {
        let by_address = self.wanted.address.or(self.known).is_some();
        by_address || self.listens.is_some_and(|since| at.saturating_sub(since) >= listen.as_micros() as u64)
    }

    /// Returns the link's device and the strength of its claim.
    pub(super) fn claim(&self) -> Option<(Claim, Address)> {
        let connected = self.connection.as_ref().map(|held| (Claim::Connected, held.address));
        let named = self.wanted.address.map(|address| (Claim::Named, address));
        connected.or(named).or(self.known.map(|address| (Claim::Known, address)))
    }

    pub(super) fn is_down(&self) -> bool {
        self.outlet.lock().unwrap_or_else(std::sync::PoisonError::into_inner).is_none()
    }

    pub(super) fn end(&self, end: End) {
        if let Some(held) = &self.connection {
            held.hints.send_modify(|hints| hints.end = Some(end));
        }
    }

    /// Handles BlueZ's report that a connection to a device ended.
    pub(super) fn disconnected(&self, device: &PeripheralId) {
        if let Some(held) = self.connection.as_ref().filter(|held| held.device == *device) {
            held.hints.send_modify(|hints| hints.disconnected += 1);
        }
    }

    pub(super) fn report_missing(&mut self, at: u64, problem: &LinkProblem) {
        if self.reported.as_ref() == Some(problem) {
            return;
        }
        if let Some(sink) = &mut self.sink
            && sink(at, &BleEvent::Missing(problem.clone()))
        {
            self.reported = Some(problem.clone());
        }
    }
}
