//! Combines one emulated board on a bus with the master of its line, so that the driver of a single board can use it as a
//! [`Device`].

use std::collections::VecDeque;

use flagfall_protocols::drivers::dgt_bus::line::{Line, LineInput, LineOutput};
use flagfall_protocols::time::Instant;

use super::super::device::{Device, Sent};
use super::super::script::Script;
use super::super::settings::Settings;
use super::super::{Counters, Impossible};
use super::{BusSettings, Chain};

/// An emulated bus with only one board, and the master of its line.
#[derive(Debug)]
pub struct Behind {
    chain: Chain,
    line: Line,
    address: u16,
    begun: bool,
    /// The incomplete command of the driver.
    command: Vec<u8>,
    out: VecDeque<Sent>,
}

impl Behind {
    /// Creates a board that was switched on long ago. The line comes up at time zero.
    pub fn new(board: Settings) -> Behind {
        let address = board.serial & 0x3fff;
        Behind {
            chain: Chain::new(vec![BusSettings::new(board)], 1),
            line: Line::new(&[address]),
            address,
            begun: false,
            command: Vec::new(),
            out: VecDeque::new(),
        }
    }

    fn feed(&mut self, at: Instant, input: LineInput<'_>) {
        self.line.handle(at, input);
        while let Some(output) = self.line.poll() {
            match output {
                LineOutput::Send(bytes) => self.chain.host(at, &bytes),
                LineOutput::Frame { address, bytes } if address == self.address => {
                    self.out.push_back(Sent { at, channel: 0, bytes });
                }
                _ => {}
            }
        }
    }

    fn next_event(&self) -> Option<Instant> {
        let begin = (!self.begun).then_some(Instant::ZERO);
        [begin, self.chain.next(), self.line.deadline()].into_iter().flatten().min()
    }

    fn run_until(&mut self, to: Instant) {
        while let Some(at) = self.next_event().filter(|at| *at <= to) {
            if !std::mem::replace(&mut self.begun, true) {
                self.feed(at, LineInput::Up);
            }
            let mut said = Vec::new();
            self.chain.advance(at, &mut said);
            for Sent { at, bytes, .. } in &said {
                self.feed(*at, LineInput::Bytes(bytes));
            }
            if said.is_empty() && self.line.deadline().is_some_and(|deadline| deadline <= at) {
                self.feed(at, LineInput::Deadline);
            }
        }
        self.chain.advance(to, &mut Vec::new());
    }
}

impl Device for Behind {
    fn load(&mut self, script: &Script) {
        self.chain.load(0, script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at);
        for &byte in bytes {
            if byte & 0x80 != 0 {
                self.command.clear();
            }
            self.command.push(byte);
            if let Ok(command) = <[u8; 4]>::try_from(&self.command[..]) {
                self.command.clear();
                self.feed(at, LineInput::Request { address: self.address, command });
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        [self.next_event(), self.out.front().map(|sent| sent.at)].into_iter().flatten().min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.run_until(to);
        while let Some(sent) = self.out.pop_front_if(|sent| sent.at <= to) {
            out.push(sent);
        }
    }

    fn done(&self) -> bool {
        self.chain.done() && self.out.is_empty()
    }

    fn counters(&self) -> Counters {
        self.chain.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.chain.impossible(0)
    }
}
