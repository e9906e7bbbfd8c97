//! An emulated device whose answers get lost, late or doubled.

use std::time::Duration;

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Impossible, Sent};
use flagfall_protocols::time::Instant;

/// What becomes of what a device says after it was asked something.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner {
    Lost,
    Late,
    Doubled,
}

/// A device whose answers to one question (counted from 0) go astray: everything that it says until it is asked again.
#[derive(Debug)]
pub(crate) struct Astray {
    device: Box<dyn Device>,
    question: usize,
    manner: Manner,
    asked: usize,
    late: Vec<Sent>,
}

impl Astray {
    /// The answers to this question go astray in this manner.
    pub(crate) fn new(device: Box<dyn Device>, question: usize, manner: Manner) -> Astray {
        Astray { device, question, manner, asked: 0, late: Vec::new() }
    }
}

impl Device for Astray {
    fn load(&mut self, script: &Script) {
        self.device.load(script);
    }

    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]) {
        self.asked += 1;
        self.device.host(at, channel, bytes);
    }

    fn next(&self) -> Option<Instant> {
        self.late.iter().map(|sent| sent.at).chain(self.device.next()).min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        let mut said = Vec::new();
        self.device.advance(to, &mut said);
        let astray = self.asked == self.question + 1;
        for sent in said {
            match self.manner {
                _ if !astray => out.push(sent),
                Manner::Lost => {}
                Manner::Late => self.late.push(Sent { at: sent.at.after(Duration::from_millis(700)), ..sent }),
                Manner::Doubled => {
                    self.late.push(Sent { at: sent.at.after(Duration::from_millis(20)), ..sent.clone() });
                    out.push(sent);
                }
            }
        }
        out.extend(self.late.extract_if(.., |sent| sent.at <= to));
    }

    fn done(&self) -> bool {
        self.device.done() && self.late.is_empty()
    }

    fn counters(&self) -> Counters {
        self.device.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.device.impossible()
    }
}
