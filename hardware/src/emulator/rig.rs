//! Runs a driver against an emulated board in simulated time: it goes directly from one event to the next.

use std::collections::VecDeque;
use std::fmt;

use flagfall_protocols::driver::{DeviceCommand, Driver, Input, Output};
use flagfall_protocols::time::Instant;

use super::{Device, Emulator, Sent};
use crate::faulty::{Faults, Made};

/// The largest number of deadlines at one moment. A driver with more counts as broken.
const MAX_DEADLINES: u32 = 1000;

/// One event in the rig.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RigEvent<'a> {
    /// These bytes reached the driver, with damage.
    Rx {
        /// When.
        at: Instant,
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The driver sent these bytes, before any damage.
    Tx {
        /// When.
        at: Instant,
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The driver gave an output. It is never [`Output::Send`], which is a [`RigEvent::Tx`].
    Output {
        /// When.
        at: Instant,
        /// The output.
        output: &'a Output,
    },
}

/// A driver, an emulated board and the line between them. The rig keeps the contract of [`flagfall_protocols::driver`]: inputs
/// come in order of time, and a deadline is fed with its own time after the inputs of the same moment.
pub struct Rig<D = Emulator> {
    driver: Box<dyn Driver>,
    /// The board. Scripts are loaded into it and its counters are read here.
    pub emulator: D,
    now: Instant,
    begun: bool,
    to_driver: VecDeque<Sent>,
    to_board: VecDeque<Sent>,
    commands: VecDeque<(Instant, DeviceCommand)>,
    rx_faults: Option<Faults>,
    tx_faults: Option<Faults>,
}

impl<D: Device> Rig<D> {
    /// Creates a rig at time zero. The link comes up with the first [`Rig::run_until`].
    pub const fn new(driver: Box<dyn Driver>, emulator: D) -> Rig<D> {
        Rig {
            driver,
            emulator,
            now: Instant::ZERO,
            begun: false,
            to_driver: VecDeque::new(),
            to_board: VecDeque::new(),
            commands: VecDeque::new(),
            rx_faults: None,
            tx_faults: None,
        }
    }

    /// Damages bytes on their way to the driver (`rx`) and to the board (`tx`) from now on.
    pub fn damage(&mut self, rx: Option<Faults>, tx: Option<Faults>) {
        self.rx_faults = rx;
        self.tx_faults = tx;
    }

    /// Returns the number of faults in the bytes that the driver received.
    pub fn made(&self) -> Made {
        self.rx_faults.as_ref().map(Faults::made).unwrap_or_default()
    }

    /// Returns the time up to which the rig has run.
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// Schedules a command to the device at `at`, or at once if that time is over.
    pub fn command(&mut self, at: Instant, command: DeviceCommand) {
        let index = self.commands.partition_point(|(earlier, _)| *earlier <= at);
        self.commands.insert(index, (at, command));
    }

    /// Runs up to and including `to`. `see` receives all events in order.
    pub fn run_until(&mut self, to: Instant, see: &mut dyn FnMut(RigEvent<'_>)) {
        if !self.begun {
            self.begun = true;
            self.feed(self.now, Input::LinkUp, see);
        }
        let mut deadlines = 0;
        while let Some(next) = self.next().filter(|next| *next <= to) {
            let at = next.max(self.now);
            if at > self.now {
                deadlines = 0;
            }
            self.now = at;
            if !self.feed_inputs(at, see) && self.driver.deadline().is_some_and(|deadline| deadline <= at) {
                deadlines += 1;
                assert!(deadlines < MAX_DEADLINES, "the driver's deadline does not move on from {at:?}");
                self.feed(at, Input::Deadline, see);
            }
        }
        self.now = self.now.max(to);
    }

    fn next(&self) -> Option<Instant> {
        let queues = [
            self.to_driver.front().map(|sent| sent.at),
            self.to_board.front().map(|sent| sent.at),
            self.commands.front().map(|(at, _)| *at),
        ];
        let own = [self.emulator.next(), self.driver.deadline()];
        queues.into_iter().chain(own).flatten().min()
    }

    /// Feeds all events at `at` that are not deadlines. Returns false if there are none.
    fn feed_inputs(&mut self, at: Instant, see: &mut dyn FnMut(RigEvent<'_>)) -> bool {
        let mut any = false;
        while let Some(sent) = self.to_board.pop_front_if(|sent| sent.at <= at) {
            any = true;
            self.emulator.host(at, sent.channel, &sent.bytes);
        }
        let mut sent = Vec::new();
        self.emulator.advance(at, &mut sent);
        for piece in sent {
            queue_piece(self.rx_faults.as_mut(), piece, &mut self.to_driver);
        }
        while let Some(Sent { channel, bytes, .. }) = self.to_driver.pop_front_if(|sent| sent.at <= at) {
            any = true;
            see(RigEvent::Rx { at, channel, bytes: &bytes });
            self.feed(at, Input::Bytes { channel, bytes: &bytes }, see);
        }
        while let Some((_, command)) = self.commands.pop_front_if(|(due, _)| *due <= at) {
            any = true;
            self.feed(at, Input::Command(command), see);
        }
        any
    }

    fn feed(&mut self, at: Instant, input: Input<'_>, see: &mut dyn FnMut(RigEvent<'_>)) {
        self.driver.handle(at, input);
        while let Some(output) = self.driver.poll() {
            match &output {
                Output::Send { channel, bytes } => {
                    see(RigEvent::Tx { at, channel: *channel, bytes });
                    let piece = Sent { at, channel: *channel, bytes: bytes.clone() };
                    queue_piece(self.tx_faults.as_mut(), piece, &mut self.to_board);
                }
                output => see(RigEvent::Output { at, output }),
            }
        }
    }
}

impl<D: fmt::Debug> fmt::Debug for Rig<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rig").field("now", &self.now).field("emulator", &self.emulator).finish_non_exhaustive()
    }
}

fn queue_piece(faults: Option<&mut Faults>, piece: Sent, queue: &mut VecDeque<Sent>) {
    match faults {
        None => queue.push_back(piece),
        Some(faults) => {
            let mut pieces = Vec::new();
            faults.piece(piece.at, &piece.bytes, &mut pieces);
            queue.extend(pieces.into_iter().map(|(at, bytes)| Sent { at, channel: piece.channel, bytes }));
        }
    }
}
