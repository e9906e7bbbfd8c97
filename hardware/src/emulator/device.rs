//! Defines the common interface of all emulated boards.

use std::fmt::Debug;
use std::time::Duration;

use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::script::Script;
use super::settings::LostUpdates;
use super::{Counters, Emulator, Impossible};

/// A piece of bytes that an emulated board sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When the last of them arrives.
    pub at: Instant,
    /// Their channel: a characteristic of Bluetooth LE, or 0 on a serial line.
    pub channel: u8,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// An emulated board. It does no IO and reads no clock: the same inputs at the same times give the same bytes at the same
/// times.
///
/// The caller passes the bytes of the host ([`Device::host`]), reads the time of the next action ([`Device::next`]) and lets
/// time pass up to it ([`Device::advance`]). Times never go back.
pub trait Device: Debug + Send {
    /// Adds hand motions. The script's time begins at the last moment to which the board was advanced.
    fn load(&mut self, script: &Script);

    /// Passes bytes of the host that arrive at `at` on a channel. The board first does everything that is due until then.
    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]);

    /// Returns the time of the board's next own action, if there is no other input.
    fn next(&self) -> Option<Instant>;

    /// Lets time pass up to `to`, and appends the bytes that the board sent until then.
    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>);

    /// Returns whether all hand motions are done, reported and sent.
    fn done(&self) -> bool;

    /// Returns the counters of commands and errors.
    fn counters(&self) -> Counters;

    /// Returns the first hundred impossible hand movements.
    fn impossible(&self) -> &[(Instant, Impossible)];
}

/// A kind of emulated device: a row of [`EMULATORS`](super::EMULATORS).
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The driver for this kind.
    pub driver: &'static str,
    /// The special feature of this kind; empty for the usual one.
    pub variant: &'static str,
    /// The longest delay of a report of a change.
    pub late: Duration,
    /// The time for which the initial position must stand on it before its driver can identify the pieces, on a line without
    /// damage. Zero means that the board identifies the pieces itself.
    pub learns: Duration,
    /// Creates a device of this kind that is switched on.
    pub start: fn(&Start) -> Box<dyn Device>,
}

/// The start conditions of an emulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The pieces on the board.
    pub placement: Placement,
    /// Its serial number, if it has one; on a line with others 1..=16383.
    pub serial: u16,
    /// The field updates that a DGT board loses. Other boards lose nothing.
    pub lost_updates: LostUpdates,
}

impl Default for Start {
    /// The initial position.
    fn default() -> Start {
        Start { placement: Placement::initial(), serial: 1025, lost_updates: LostUpdates::default() }
    }
}

impl Device for Emulator {
    fn load(&mut self, script: &Script) {
        Emulator::load(self, script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        Emulator::host(self, at, bytes);
    }

    fn next(&self) -> Option<Instant> {
        Emulator::next(self)
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        Emulator::advance(self, to, out);
    }

    fn done(&self) -> bool {
        Emulator::done(self)
    }

    fn counters(&self) -> Counters {
        Emulator::counters(self)
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        Emulator::impossible(self)
    }
}

impl<D: Device + ?Sized> Device for Box<D> {
    fn load(&mut self, script: &Script) {
        (**self).load(script);
    }

    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]) {
        (**self).host(at, channel, bytes);
    }

    fn next(&self) -> Option<Instant> {
        (**self).next()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        (**self).advance(to, out);
    }

    fn done(&self) -> bool {
        (**self).done()
    }

    fn counters(&self) -> Counters {
        (**self).counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        (**self).impossible()
    }
}
