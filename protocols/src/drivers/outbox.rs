//! Holds the outputs of a driver until its caller polls them, for a driver with one device on its link.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::driver::Output;
use crate::event::{Anomaly, ByteRange, DeviceEvent, Identity};

/// The number of outputs for which memory is kept between two inputs. A log needs more, and its memory is released afterwards.
const ROOM: usize = 64;

/// The queue of outputs, and the reported facts about the device's identity. Each fact is reported once.
#[derive(Debug, Default)]
pub(in crate::drivers) struct Outbox {
    queue: VecDeque<Output>,
    reported: [Option<Identity>; 7],
}

impl Outbox {
    pub(in crate::drivers) fn poll(&mut self) -> Option<Output> {
        let output = self.queue.pop_front();
        if output.is_none() && self.queue.capacity() > 4 * ROOM {
            self.queue.shrink_to(ROOM);
        }
        output
    }

    pub(in crate::drivers) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(in crate::drivers) fn event(&mut self, event: DeviceEvent, bytes: ByteRange) {
        self.queue.push_back(Output::Event { unit: 0, event, bytes });
    }

    pub(in crate::drivers) fn anomaly(&mut self, anomaly: Anomaly, bytes: ByteRange) {
        self.queue.push_back(Output::Anomaly { unit: 0, anomaly, bytes });
    }

    pub(in crate::drivers) fn send(&mut self, bytes: Vec<u8>) {
        self.queue.push_back(Output::Send { channel: 0, bytes });
    }

    /// Reports a fact about the device unless it was reported last. The keep-alive repeats the serial number every second.
    pub(in crate::drivers) fn identity(&mut self, identity: Identity, bytes: ByteRange) {
        let reported = &mut self.reported[slot(identity)];
        if *reported != Some(identity) {
            *reported = Some(identity);
            self.event(DeviceEvent::Identity(identity), bytes);
        }
    }

    /// Forgets the clock's identity, because it may be another clock when it comes back.
    pub(in crate::drivers) fn forget_clock(&mut self) {
        self.reported[slot(Identity::ClockFirmware(0, 0))] = None;
    }

    /// Forgets the board's identity, because it may be another board when it comes back.
    pub(in crate::drivers) fn forget_device(&mut self) {
        self.reported = [None; 7];
    }
}

const fn slot(identity: Identity) -> usize {
    match identity {
        Identity::Serial(_) => 0,
        Identity::LongSerial(_) => 1,
        Identity::Trademark(_) => 2,
        Identity::BusAddress(_) => 3,
        Identity::Firmware(..) => 4,
        Identity::Hardware(..) => 5,
        Identity::ClockFirmware(..) => 6,
    }
}
