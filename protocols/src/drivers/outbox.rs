//! What waits to be polled, of any driver with one device on its link.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::driver::Output;
use crate::event::{Anomaly, ByteRange, DeviceEvent, Identity};

/// Room that is kept between two inputs; a log needs more and gives it back.
const ROOM: usize = 64;

/// The queue of outputs, and what was told of the device's identity, which is told once.
#[derive(Debug, Default)]
pub(in crate::drivers) struct Outbox {
    queue: VecDeque<Output>,
    told: [Option<Identity>; 7],
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

    /// Tells a fact about the device unless it was the last one told: the keep-alive repeats the serial number every second.
    pub(in crate::drivers) fn identity(&mut self, identity: Identity, bytes: ByteRange) {
        let told = &mut self.told[slot(identity)];
        if *told != Some(identity) {
            *told = Some(identity);
            self.event(DeviceEvent::Identity(identity), bytes);
        }
    }

    /// The clock may be another one when it comes back.
    pub(in crate::drivers) fn forget_clock(&mut self) {
        self.told[slot(Identity::ClockFirmware(0, 0))] = None;
    }

    /// The board may be another one when it comes back.
    pub(in crate::drivers) fn forget_device(&mut self) {
        self.told = [None; 7];
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
