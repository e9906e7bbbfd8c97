//! What every emulated board can do.

use std::fmt::Debug;

use flagfall_protocols::time::Instant;

use super::script::Script;
use super::{Counters, Emulator, Impossible};

/// An emulated board. No IO and no clock of its own: the same inputs at the same times give the same bytes at the same times.
///
/// Whoever runs one feeds it what the host sends ([`Device::host`]), asks when it will do something ([`Device::next`]) and
/// lets time pass up to there ([`Device::advance`]). Times never go back.
pub trait Device: Debug + Send {
    /// Adds hand motions; a script's time begins now, which is the last moment the board was advanced to.
    fn load(&mut self, script: &Script);

    /// Bytes of the host arrive at `at`; what the board had to do up to then is done first.
    fn host(&mut self, at: Instant, bytes: &[u8]);

    /// When the board will do something by itself, if nothing else happens.
    fn next(&self) -> Option<Instant>;

    /// Lets time pass up to `to`, and appends what the board sent by then: pieces with the time at which the last byte of each
    /// arrives.
    fn advance(&mut self, to: Instant, out: &mut Vec<(Instant, Vec<u8>)>);

    /// Whether all hand motions are done, reported and sent.
    fn done(&self) -> bool;

    /// What was asked and what went wrong up to now.
    fn counters(&self) -> Counters;

    /// The first hundred hand movements that could not be done.
    fn impossible(&self) -> &[(Instant, Impossible)];
}

impl Device for Emulator {
    fn load(&mut self, script: &Script) {
        Emulator::load(self, script);
    }

    fn host(&mut self, at: Instant, bytes: &[u8]) {
        Emulator::host(self, at, bytes);
    }

    fn next(&self) -> Option<Instant> {
        Emulator::next(self)
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<(Instant, Vec<u8>)>) {
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

    fn host(&mut self, at: Instant, bytes: &[u8]) {
        (**self).host(at, bytes);
    }

    fn next(&self) -> Option<Instant> {
        (**self).next()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<(Instant, Vec<u8>)>) {
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
