//! What every emulated board can do.

use std::fmt::Debug;
use std::time::Duration;

use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::script::Script;
use super::{Counters, Emulator, Impossible};

/// Bytes that a board sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When the last of them arrives.
    pub at: Instant,
    /// The channel they come on: a characteristic of Bluetooth LE, 0 on a serial line.
    pub channel: u8,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// An emulated board. No IO and no clock of its own: the same inputs at the same times give the same bytes at the same times.
///
/// Whoever runs one feeds it what the host sends ([`Device::host`]), asks when it will do something ([`Device::next`]) and
/// lets time pass up to there ([`Device::advance`]). Times never go back.
pub trait Device: Debug + Send {
    /// Adds hand motions; a script's time begins now, which is the last moment the board was advanced to.
    fn load(&mut self, script: &Script);

    /// Bytes of the host arrive at `at` on a channel; what the board had to do up to then is done first.
    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]);

    /// When the board will do something by itself, if nothing else happens.
    fn next(&self) -> Option<Instant>;

    /// Lets time pass up to `to`, and appends what the board sent by then.
    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>);

    /// Whether all hand motions are done, reported and sent.
    fn done(&self) -> bool;

    /// What was asked and what went wrong up to now.
    fn counters(&self) -> Counters;

    /// The first hundred hand movements that could not be done.
    fn impossible(&self) -> &[(Instant, Impossible)];
}

/// A kind of emulated device: a row of [`EMULATORS`](super::EMULATORS).
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The driver that reads it.
    pub driver: &'static str,
    /// What is special about this kind; empty for the usual one.
    pub variant: &'static str,
    /// A change is reported so late at most.
    pub late: Duration,
    /// So long the initial position must stand on it, on a line without damage, before its driver knows one piece from another;
    /// zero = the board says which piece is which.
    pub learns: Duration,
    /// Switches one on.
    pub start: fn(&Start) -> Box<dyn Device>,
}

/// How an emulated device is switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// What stands on it.
    pub placement: Placement,
    /// Its serial number, 0..=16383, where it has one.
    pub serial: u16,
}

impl Default for Start {
    /// The initial position.
    fn default() -> Start {
        Start { placement: Placement::initial(), serial: 1025 }
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
