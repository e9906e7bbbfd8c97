//! A chain of boards, the master of its line and the drivers of its boards, in simulated time.

use std::collections::BTreeMap;

use flagfall_hardware::emulator::dgt_bus::{BusSettings, Chain};
use flagfall_protocols::driver::{Driver, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::drivers::dgt_bus::frame::command;
use flagfall_protocols::drivers::dgt_bus::line::{Line, LineInput, LineOutput};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

/// All parts of one line, and the outputs that the tests check.
pub(crate) struct SimulatedLine {
    pub(crate) chain: Chain,
    pub(crate) line: Line,
    pub(crate) drivers: BTreeMap<u16, Box<dyn Driver>>,
    pub(crate) now: Instant,
    pub(crate) reported: Vec<(Instant, u16, DeviceEvent)>,
    /// The times at which each board's changes arrived. A cycle lies between two of them.
    pub(crate) cycles: BTreeMap<u16, Vec<Instant>>,
    pub(crate) sent: Vec<(Instant, Vec<u8>)>,
    pub(crate) found: Vec<u16>,
    pub(crate) silent: Vec<(Instant, u16)>,
    pub(crate) anomalies: BTreeMap<Anomaly, u64>,
}

impl SimulatedLine {
    pub(crate) fn new(boards: Vec<BusSettings>, expected: &[u16], seed: u64) -> SimulatedLine {
        let addresses: Vec<_> = boards.iter().map(|board| board.board.serial).collect();
        let info = drivers::find("dgt_bus").expect("registered");
        let mut sim = SimulatedLine {
            chain: Chain::new(boards, seed),
            line: Line::new(expected),
            drivers: addresses.into_iter().map(|address| (address, info.start())).collect(),
            now: Instant::ZERO,
            reported: Vec::new(),
            cycles: BTreeMap::new(),
            sent: Vec::new(),
            found: Vec::new(),
            silent: Vec::new(),
            anomalies: BTreeMap::new(),
        };
        sim.up();
        sim
    }

    pub(crate) fn up(&mut self) {
        self.each(Input::LinkUp);
        self.line(self.now, LineInput::Up);
    }

    pub(crate) fn down(&mut self) {
        self.line(self.now, LineInput::Down);
        self.each(Input::LinkDown);
    }

    pub(crate) fn each(&mut self, input: Input<'_>) {
        for address in self.drivers.keys().copied().collect::<Vec<_>>() {
            self.driver(self.now, address, input);
        }
    }

    pub(crate) fn line(&mut self, at: Instant, input: LineInput<'_>) {
        self.line.handle(at, input);
        while let Some(output) = self.line.poll() {
            match output {
                LineOutput::Send(bytes) => {
                    self.chain.host(at, &bytes);
                    self.sent.push((at, bytes));
                }
                LineOutput::Frame { address, bytes } => {
                    if bytes[0] == 0x85 {
                        self.cycles.entry(address).or_default().push(at);
                    }
                    self.driver(at, address, Input::Bytes { channel: 0, bytes: &bytes });
                }
                LineOutput::Found(address) => self.found.push(address),
                LineOutput::Silent(address) => self.silent.push((at, address)),
                LineOutput::Answering(_) => {}
                LineOutput::Anomaly { anomaly, .. } => *self.anomalies.entry(anomaly).or_default() += 1,
            }
        }
    }

    pub(crate) fn driver(&mut self, at: Instant, address: u16, input: Input<'_>) {
        let Some(driver) = self.drivers.get_mut(&address) else { return };
        driver.handle(at, input);
        let outputs: Vec<_> = std::iter::from_fn(|| driver.poll()).collect();
        for output in outputs {
            match output {
                Output::Send { bytes, .. } => {
                    let command = bytes.try_into().expect("a command frame");
                    self.line(at, LineInput::Request { address, command });
                }
                Output::Event { event, .. } => self.reported.push((at, address, event)),
                Output::Anomaly { .. } => {}
            }
        }
    }

    pub(crate) fn run(&mut self, to: Instant) {
        loop {
            let deadlines = self.drivers.values().filter_map(|driver| driver.deadline()).min();
            let next = [self.chain.next(), self.line.deadline(), deadlines].into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= to) else { break };
            let at = at.max(self.now);
            self.now = at;
            let mut pieces = Vec::new();
            self.chain.advance(at, &mut pieces);
            if !pieces.is_empty() {
                for sent in &pieces {
                    self.line(sent.at, LineInput::Bytes(&sent.bytes));
                }
                continue;
            }
            if self.line.deadline().is_some_and(|deadline| deadline <= at) {
                self.line(at, LineInput::Deadline);
            }
            for address in self.drivers.keys().copied().collect::<Vec<_>>() {
                if self.drivers[&address].deadline().is_some_and(|deadline| deadline <= at) {
                    self.driver(at, address, Input::Deadline);
                }
            }
        }
        self.chain.advance(to, &mut Vec::new());
        self.now = to;
    }

    pub(crate) fn events(&self, address: u16) -> impl Iterator<Item = (Instant, DeviceEvent)> + '_ {
        self.reported.iter().filter(move |(_, own, _)| *own == address).map(|(at, _, event)| (*at, *event))
    }

    pub(crate) fn squares(&self, address: u16) -> Vec<(Square, Reading)> {
        let square =
            |(_, event)| if let DeviceEvent::Square { square, reading } = event { Some((square, reading)) } else { None };
        self.events(address).filter_map(square).collect()
    }

    pub(crate) fn frames(&self, address: u16) -> Vec<Placement> {
        self.events(address)
            .filter_map(|(_, event)| if let DeviceEvent::Frame(frame) = event { Some(frame) } else { None })
            .collect()
    }

    /// Returns the position that follows from the events of the board.
    pub(crate) fn followed(&self, address: u16) -> Option<Placement> {
        self.events(address).fold(None, |placement, (_, event)| match (placement, event) {
            (_, DeviceEvent::Frame(frame)) => Some(frame),
            (Some(mut placement), DeviceEvent::Square { square, reading }) => {
                placement.set(square, reading);
                Some(placement)
            }
            (placement, _) => placement,
        })
    }

    /// Returns how often the lever of a board's clock moved.
    pub(crate) fn presses(&self, address: u16) -> usize {
        let lever = |(_, event)| if let DeviceEvent::Clock(reading) = event { Some(reading.lever_up) } else { None };
        let levers: Vec<_> = self.events(address).filter_map(lever).collect();
        levers.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// Returns the cycle times of all boards from that moment on, in milliseconds, sorted.
    pub(crate) fn cycle_times(&self, from: Instant) -> Vec<u64> {
        let gaps = |times: &Vec<Instant>| -> Vec<u64> {
            times.windows(2).filter(|pair| pair[0] >= from).map(|pair| pair[1].since(pair[0]).as_millis() as u64).collect()
        };
        let mut all: Vec<u64> = self.cycles.values().flat_map(gaps).collect();
        all.sort_unstable();
        all
    }

    /// Checks that the line sent only questions and the commands that bring boards back to bus mode.
    pub(crate) fn sent_only_questions(&self) {
        for (_, bytes) in &self.sent {
            assert!(bytes == &[0x4a] || command(bytes).is_some_and(|(command, _)| command.harmless()), "{bytes:x?}");
        }
        assert_eq!(self.chain.counters().dangerous, 0);
    }
}
