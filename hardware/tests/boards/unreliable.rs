//! An emulated device whose answers get lost, late or doubled: the answers to one question, one piece, or everything.

use std::time::Duration;

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Impossible, Sent};
use flagfall_protocols::time::Instant;

/// What happens to the affected answers of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Manner {
    Lost,
    Late(Duration),
    Doubled,
}

/// The faults of one answer. If an answer is later than the repeated question, the device answers twice.
pub(crate) const MANNERS: [Manner; 5] = [
    Manner::Lost,
    Manner::Late(Duration::from_millis(100)),
    Manner::Late(Duration::from_millis(700)),
    Manner::Late(Duration::from_millis(1500)),
    Manner::Doubled,
];

/// Which answers are affected.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "every clock has questions")]
pub(crate) enum Target {
    /// The answers to one question, counted from 0: everything that the device sends until the next question.
    Answers(usize),
    /// One piece, counted from 0, of a device that gets no questions.
    Piece(usize),
    /// Everything.
    All,
}

/// A device with faulty answers.
#[derive(Debug)]
pub(crate) struct UnreliableDevice {
    device: Box<dyn Device>,
    what: Target,
    manner: Manner,
    asked: usize,
    sent_pieces: usize,
    /// The number of affected pieces.
    pub(crate) gone: usize,
    late: Vec<Sent>,
    /// The pieces that are sent a second time when the device pauses, because a message may have many pieces.
    again: Vec<Sent>,
}

/// No message has a pause of this length.
const PAUSE: Duration = Duration::from_millis(20);

impl UnreliableDevice {
    /// Makes `what` of this device faulty in this manner.
    pub(crate) fn new(device: Box<dyn Device>, what: Target, manner: Manner) -> UnreliableDevice {
        UnreliableDevice { device, what, manner, asked: 0, sent_pieces: 0, gone: 0, late: Vec::new(), again: Vec::new() }
    }

    /// Returns whether the device has reached the affected answer or piece, even if it was empty.
    pub(crate) const fn reached(&self) -> bool {
        match self.what {
            Target::Answers(question) => self.asked > question,
            Target::Piece(piece) => self.sent_pieces > piece,
            Target::All => true,
        }
    }

    /// Returns when the second copy is sent.
    fn pause(&self) -> Option<Instant> {
        self.again.last().map(|sent| sent.at.after(PAUSE))
    }

    fn is_target(&mut self) -> bool {
        self.sent_pieces += 1;
        let astray = match self.what {
            Target::Answers(question) => self.asked == question + 1,
            Target::Piece(piece) => self.sent_pieces == piece + 1,
            Target::All => true,
        };
        self.gone += usize::from(astray);
        astray
    }
}

impl Device for UnreliableDevice {
    fn load(&mut self, script: &Script) {
        self.device.load(script);
    }

    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]) {
        self.asked += 1;
        self.device.host(at, channel, bytes);
    }

    fn next(&self) -> Option<Instant> {
        self.late.iter().map(|sent| sent.at).chain(self.pause()).chain(self.device.next()).min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        let mut sent_pieces = Vec::new();
        self.device.advance(to, &mut sent_pieces);
        for sent in sent_pieces {
            let astray = self.is_target();
            match self.manner {
                _ if !astray => out.push(sent),
                Manner::Lost => {}
                Manner::Late(by) => self.late.push(Sent { at: sent.at.after(by), ..sent }),
                Manner::Doubled => {
                    self.again.push(sent.clone());
                    out.push(sent);
                }
            }
        }
        out.extend(self.late.extract_if(.., |sent| sent.at <= to));
        if let Some(at) = self.pause().filter(|at| *at <= to) {
            out.extend(self.again.drain(..).map(|sent| Sent { at, ..sent }));
        }
    }

    fn done(&self) -> bool {
        self.device.done() && self.late.is_empty() && self.again.is_empty()
    }

    fn counters(&self) -> Counters {
        self.device.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.device.impossible()
    }
}
