//! A link as the radio sees it: what it wants, and how far that has come.

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
    /// Its device was within reach when it was begun.
    pub(super) near: bool,
}

/// By what a device is a link's, the weakest first. A link goes without the devices on which others have a stronger claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// It was connected last.
    Known,
    /// Its address is wanted.
    Named,
    /// It is connected, or about to be.
    Connected,
}

pub(super) struct Link {
    pub(super) wanted: Wanted,
    pub(super) outlet: Outlet,
    /// None while a connection has it.
    pub(super) sink: Option<Sink>,
    pub(super) connection: Option<Held>,
    /// The device that was connected last: it is the link's until another is wanted.
    pub(super) known: Option<Address>,
    /// Since when its device is listened for.
    pub(super) listens: Option<u64>,
    pub(super) failures: u32,
    /// Not tried before.
    pub(super) rests: u64,
    pub(super) reported: Option<LinkProblem>,
    /// Another device was wanted while one was connected.
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
            rests: 0,
            reported: None,
            rebound: false,
            leaves: false,
        }
    }

    /// From now on this is wanted; if it was before, the device stays the same.
    pub(super) fn want(&mut self, wanted: Wanted) {
        self.end(End::LetGo);
        let up = self.connection.as_ref().filter(|_| !self.is_down()).map(|held| held.address);
        let same = self.wanted == wanted;
        (self.known, self.listens) = if same { (up.or(self.known), self.listens) } else { (None, None) };
        self.rebound = self.connection.is_some();
        (self.wanted, self.failures, self.rests, self.reported) = (wanted, 0, 0, None);
    }

    pub(super) fn searches(&self) -> bool {
        self.connection.is_none() && !self.leaves
    }

    /// Its device may be taken for the only one of its name, which takes so long a time of listening.
    pub(super) fn has_listened(&self, at: u64, listen: Duration) -> bool {
        let by_address = self.wanted.address.or(self.known).is_some();
        by_address || self.listens.is_some_and(|since| at.saturating_sub(since) >= listen.as_micros() as u64)
    }

    /// The device that is this link's, and by what.
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

    /// BlueZ says that a connection to a device ended.
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
