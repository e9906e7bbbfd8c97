//! The sink of one link, and the events for which it had no room.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use crate::discover::UsbId;
use crate::link::LinkError;
use crate::port::{LinkProblem, PortEvent, Sink};

/// After this time an event that found no room is offered again, in microseconds.
const OFFER_AGAIN: u64 = 20_000;

/// An event that can wait for room.
pub(super) enum Kept {
    Up { path: PathBuf, usb: Option<UsbId>, asked: bool },
    Bytes { channel: u8, bytes: Vec<u8> },
    Down(LinkError),
    Missing(LinkProblem),
}

impl Kept {
    fn event(&self) -> PortEvent<'_> {
        match self {
            Kept::Up { path, usb, asked } => PortEvent::Up { path, usb: usb.as_ref(), asked: *asked },
            Kept::Bytes { channel, bytes } => PortEvent::Bytes { channel: *channel, bytes },
            Kept::Down(error) => PortEvent::Down(error),
            Kept::Missing(problem) => PortEvent::Missing(problem),
        }
    }
}

/// Hands events to the sink in their order.
pub(super) struct Outbound {
    sink: Sink,
    /// Events that found no room, with their times. Meanwhile nothing is read and no check is made, so there are few.
    held: VecDeque<(u64, Kept)>,
    /// When they are offered again.
    pub(super) due: u64,
    /// The sink panicked, or the owner has dropped the link: no event follows.
    pub(super) is_broken: bool,
}

impl Outbound {
    pub(super) fn new(sink: Sink) -> Outbound {
        Outbound { sink, held: VecDeque::new(), due: 0, is_broken: false }
    }

    /// Whether events wait for room.
    pub(super) fn is_full(&self) -> bool {
        !self.held.is_empty()
    }

    /// Hands bytes to the sink; if the sink has no room, they are kept.
    pub(super) fn offer_bytes(&mut self, at: u64, channel: u8, bytes: &[u8]) {
        if self.is_full() || !self.give(at, PortEvent::Bytes { channel, bytes }) {
            self.keep(at, Kept::Bytes { channel, bytes: bytes.to_vec() });
        }
    }

    /// The same with any event.
    pub(super) fn offer(&mut self, at: u64, event: Kept) {
        if self.is_full() || !self.give(at, event.event()) {
            self.keep(at, event);
        }
    }

    fn keep(&mut self, at: u64, event: Kept) {
        self.held.push_back((at, event));
        self.due = at + OFFER_AGAIN;
    }

    /// Returns whether the sink took the event. A sink that panicked is not called again.
    fn give(&mut self, at: u64, event: PortEvent<'_>) -> bool {
        if self.is_broken {
            return true;
        }
        let sink = &mut self.sink;
        let taken = catch_unwind(AssertUnwindSafe(|| sink(at, event)));
        self.is_broken = taken.is_err();
        taken.unwrap_or(true)
    }

    /// Offers the waiting events again.
    pub(super) fn offer_again(&mut self, at: u64) {
        while let Some((came, kept)) = self.held.pop_front() {
            if !self.give(came, kept.event()) {
                self.held.push_front((came, kept));
                self.due = at + OFFER_AGAIN;
                return;
            }
        }
    }
}
