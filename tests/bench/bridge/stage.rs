//! A program that is measured, with its boards, its broker and a subscriber.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use flagfall_hardware::emulator::script::Script;

use crate::boards::{Boards, Write, fields};
use crate::latency::Latency;
use crate::listener::{Listener, ReceivedMessage};
use crate::process::{Process, Usage, mosquitto, pause};

/// What an arbiter's screen subscribes to, what the other programs publish, and what the broker says about itself.
const FILTERS: &[&str] = &["flagfall/1/arbiter/#", "flagfall/1/node/#", "yardstick/#", "python/#", MESSAGES, BYTES];
/// All packets that the broker has received; those that are no publications are few. It does not count retained publications apart.
pub(crate) const MESSAGES: &str = "$SYS/broker/messages/received";
pub(crate) const BYTES: &str = "$SYS/broker/publish/bytes/received";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Daemon,
    Yardstick,
    Python,
}

impl Program {
    /// The topic on which this program publishes the bytes or the position of a board.
    fn topic(self, board: usize) -> String {
        match self {
            Program::Daemon => format!("flagfall/1/arbiter/e/1/{board}/state"),
            Program::Yardstick => format!("yardstick/{board}"),
            Program::Python => format!("python/{board}/state"),
        }
    }
}

/// The fields are dropped in this order.
pub(crate) struct Stage {
    pub(crate) program: Process,
    which: Program,
    pub(crate) listener: Listener,
    port: u16,
    _broker: Process,
    pub(crate) folder: tempfile::TempDir,
    ports: Vec<PathBuf>,
}

impl Stage {
    /// A daemon with the section `more` in its configuration, or another program; `boards` makes the ports in a folder.
    pub(crate) fn with<T>(which: Program, more: &str, boards: impl FnOnce(&std::path::Path) -> (T, Vec<PathBuf>)) -> (Stage, T) {
        let folder = tempfile::tempdir().expect("a folder");
        let (broker, port) = mosquitto(folder.path());
        let listener = Listener::start(port, FILTERS);
        let (boards, ports) = boards(folder.path());
        let program = match which {
            Program::Daemon => Process::daemon(folder.path(), port, &ports, more),
            Program::Yardstick => Process::yardstick(port, &ports),
            Program::Python => Process::python(port, &ports),
        };
        (Stage { program, which, listener, port, _broker: broker, folder, ports }, boards)
    }

    /// The same with emulated boards.
    pub(crate) fn set(which: Program, scripts: &[Script]) -> (Stage, Boards) {
        Stage::with(which, "", |folder| {
            let boards = Boards::start(folder, scripts, 1.0);
            let paths = boards.paths.clone();
            (boards, paths)
        })
    }

    /// The daemon is started again, with its journals.
    pub(crate) fn restart(&mut self) {
        self.program.kill();
        self.program = Process::daemon(self.folder.path(), self.port, &self.ports, "");
    }

    /// The milliseconds from the start of the program to messages on so many topics with this ending.
    pub(crate) fn all(&self, ending: &str, count: usize) -> f64 {
        self.listener.all(ending, count, self.program.began).since(self.program.began).as_secs_f64() * 1000.0
    }

    /// The resources that are used in this time, and its beginning and end.
    pub(crate) fn during(&self, span: Duration) -> Window {
        let begin = self.begin();
        pause(span);
        self.since(begin)
    }

    /// The time now, and what was used until now.
    pub(crate) fn begin(&self) -> (MonotonicTime, Usage) {
        (monotonic(), self.program.usage())
    }

    /// What was used since then.
    pub(crate) fn since(&self, (from, before): (MonotonicTime, Usage)) -> Window {
        let (to, after) = (monotonic(), self.program.usage());
        Window { from, to, used: Usage { cpu: after.cpu - before.cpu, wakes: after.wakes - before.wakes, ..after } }
    }

    /// Waits for the end of the hands and for what comes after them, ends the boards, and compares what they sent with what arrived.
    pub(crate) fn finish(&self, boards: Boards, most: Duration) -> Sent {
        boards.finish(most);
        // The last state may wait for its rate, the public's for nothing here.
        pause(Duration::from_secs(2));
        let received = self.listener.received();
        let writes = boards.end();
        let mut topics: BTreeMap<&str, Vec<&ReceivedMessage>> = BTreeMap::new();
        for message in &received {
            topics.entry(&message.topic).or_default().push(message);
        }
        let (mut latency, mut missed) = (Latency::default(), 0.0);
        for (number, writes) in writes.iter().enumerate() {
            let on = topics.get(self.which.topic(number).as_str()).map_or(&[][..], Vec::as_slice);
            let last = writes.iter().rev().find_map(|write| write.shown.as_deref());
            let arrived = match self.which {
                Program::Yardstick => {
                    latency.of_copies(writes, on);
                    on.iter().map(|message| message.bytes as u64).sum::<u64>() >= writes.last().map_or(0, |write| write.end)
                }
                Program::Daemon | Program::Python => {
                    latency.of_pictures(writes, on.iter().filter_map(|message| Some((message.at, message.shown.as_deref()?))));
                    last.is_none() || on.iter().rev().find_map(|message| message.shown.as_deref()) == last
                }
            };
            missed += f64::from(u8::from(!arrived));
        }
        Sent { writes, received, latency, missed }
    }
}

/// A time of a measurement.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) from: MonotonicTime,
    pub(crate) to: MonotonicTime,
    pub(crate) used: Usage,
}

/// What the boards of a run have sent, and what has arrived.
pub(crate) struct Sent {
    pub(crate) writes: Vec<Vec<Write>>,
    pub(crate) received: Vec<ReceivedMessage>,
    pub(crate) latency: Latency,
    /// Boards whose last position has not arrived.
    pub(crate) missed: f64,
}

impl Sent {
    /// The field updates in a window.
    pub(crate) fn updates(&self, window: &Window) -> f64 {
        fields(&self.writes, window.from, window.to)
    }

    /// How much a figure of the broker has grown for each update, between its first and its last report in a window.
    pub(crate) fn growth(&self, figure: &str, window: &Window) -> f64 {
        let within = |message: &&ReceivedMessage| message.topic == figure && (window.from..window.to).contains(&message.at);
        let mut reports = self.received.iter().filter(within).filter_map(|message| Some((message.at, message.figure?)));
        let (Some((from, before)), Some((to, after))) = (reports.next(), reports.next_back()) else { return f64::NAN };
        (after - before) / fields(&self.writes, from, to)
    }
}
