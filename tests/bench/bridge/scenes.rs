//! The measurements.

use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use crate::boards::{Board, Hands};
use crate::latency::{Latency, share};
use crate::listener::{Listener, ReceivedMessage};
#[cfg(feature = "outputs")]
use crate::livechess::{self, Client};
use crate::process::{Process, Usage, free_port, mosquitto, pause, wait_until};
use crate::table::{Goal, Row};

/// The lengths and numbers of measurements.
#[derive(Clone, Copy)]
pub(crate) struct Lengths {
    rounds: usize,
    /// The time of play in a round, and before it.
    play: Duration,
    warm: Duration,
    idle: Duration,
    /// The time of a game at [`SPEED`] before memory is measured.
    memory: Duration,
}

impl Lengths {
    pub(crate) const SHORT: Lengths = Lengths {
        rounds: 2,
        play: Duration::from_secs(5),
        warm: Duration::from_secs(3),
        idle: Duration::from_secs(5),
        memory: Duration::from_secs(80),
    };
    pub(crate) const LONG: Lengths = Lengths {
        rounds: 6,
        play: Duration::from_secs(30),
        warm: Duration::from_secs(10),
        idle: Duration::from_secs(60),
        memory: Duration::from_secs(600),
    };
}

/// The boards play this many times as fast as people while memory is measured.
const SPEED: f64 = 10.0;
/// The speed of a hundred boards.
const SPEED_OF_MANY: f64 = 1.0;

type Scene = fn(Lengths) -> Vec<Row>;

pub(crate) const ALL: &[(&str, Scene)] = &[
    ("start", start),
    ("play-1", |lengths| play(1, lengths)),
    ("play-20", |lengths| play(20, lengths)),
    ("idle", idle),
    ("memory", memory),
    #[cfg(feature = "outputs")]
    ("livechess", livechess),
    #[cfg(feature = "outputs")]
    ("collect", |lengths| crate::collected::collect(lengths.play * 4)),
];

/// A program that is measured, with its boards and its broker. The fields are dropped in this order.
struct Stage {
    program: Process,
    boards: Vec<Board>,
    listener: Option<Listener>,
    port: u16,
    _broker: Process,
    folder: tempfile::TempDir,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Daemon,
    Yardstick,
}

impl Stage {
    fn set(program: Program, boards: Vec<Board>, filter: Option<&'static str>) -> Stage {
        let paths: Vec<&Path> = boards.iter().map(Board::path).collect();
        Stage::on(program, &paths, filter, "").with(boards)
    }

    /// `more`: further lines of the daemon's configuration.
    fn on(program: Program, paths: &[&Path], filter: Option<&'static str>, more: &str) -> Stage {
        let folder = tempfile::tempdir().expect("a folder");
        let (broker, port) = mosquitto(folder.path());
        let listener = filter.map(|filter| Listener::start(port, filter));
        let program = match program {
            Program::Daemon => Process::daemon(folder.path(), port, paths, more),
            Program::Yardstick => Process::yardstick(port, paths),
        };
        Stage { program, boards: Vec::new(), listener, port, _broker: broker, folder }
    }

    fn with(mut self, boards: Vec<Board>) -> Stage {
        self.boards = boards;
        self
    }

    /// The daemon is killed and started again with its journals.
    fn restart(&mut self) {
        self.program.kill();
        let paths: Vec<&Path> = self.boards.iter().map(Board::path).collect();
        self.program = Process::daemon(self.folder.path(), self.port, &paths, "");
    }

    /// The milliseconds from the start of the program to the first message on a topic with this ending.
    fn first(&self, topic: &str) -> f64 {
        let listener = self.listener.as_ref().expect("asked for");
        listener.first(topic, self.program.began).since(self.program.began).as_secs_f64() * 1000.0
    }

    fn fields(&self) -> usize {
        self.boards.iter().map(Board::fields).sum()
    }

    fn playing(&self) {
        wait_until("the first move", || self.boards.iter().all(|board| board.fields() > 0));
    }

    /// The resources that are used in this time.
    fn during(&self, span: Duration) -> Usage {
        let before = self.program.usage();
        pause(span);
        let after = self.program.usage();
        Usage { cpu: after.cpu - before.cpu, wakes: after.wakes - before.wakes, ..after }
    }
}

fn boards(count: usize, hands: Hands, speed: f64) -> Vec<Board> {
    (0..count).map(|number| Board::start(number, hands, speed)).collect()
}

/// The time from the start of the program to the first state of a board at the broker, without and with a journal.
fn start(lengths: Lengths) -> Vec<Row> {
    let mut rows = Vec::new();
    for count in [1, 20] {
        let mut best = [f64::INFINITY; 3];
        for _ in 0..lengths.rounds.max(3) {
            let mut stage = Stage::set(Program::Daemon, boards(count, Hands::Think, 1.0), Some("+/1/#"));
            let fresh = [stage.first("/status"), stage.first("/0/state")];
            stage.restart();
            let [status, picture] = fresh;
            for (best, value) in best.iter_mut().zip([status, picture, stage.first("/0/state")]) {
                *best = best.min(value);
            }
        }
        let names = ["start to first status", "start to first retained picture", "restart to first retained picture"];
        for (value, name) in best.into_iter().zip(names) {
            rows.push(Row { what: format!("{count} boards: {name}"), value, unit: "ms", ..Row::default() });
        }
    }
    rows
}

/// Games at the pace of blitz.
fn play(count: usize, lengths: Lengths) -> Vec<Row> {
    let programs = [Program::Yardstick, Program::Daemon];
    let (mut cpu, mut wakes) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    let mut latencies = [Latency::default(), Latency::default()];
    let (mut updates, mut messages) = (0.0, [0.0; 2]);
    for _ in 0..lengths.rounds {
        for (index, program) in programs.into_iter().enumerate() {
            let filter = if program == Program::Daemon { "+/1/#" } else { "yardstick/#" };
            let stage = Stage::set(program, boards(count, Hands::Play, 1.0), Some(filter));
            stage.playing();
            pause(lengths.warm);
            let before = stage.fields();
            let used = stage.during(lengths.play);
            let fields = (stage.fields() - before) as f64;
            cpu[index] = cpu[index].min(used.cpu / fields / 1000.0);
            wakes[index] = wakes[index].min(used.wakes / fields);
            let received = stage.listener.as_ref().expect("asked for").received();
            let all = stage.fields() as f64;
            (updates, messages[index]) = (fields / lengths.play.as_secs_f64(), received.len() as f64 / all);
            for (number, board) in stage.boards.iter().enumerate() {
                let latency = &mut latencies[index];
                match program {
                    Program::Daemon => {
                        latency.of_pictures(&board.writes(), &on(&received, &format!("arbiter/e/1/{number}/state")))
                    }
                    Program::Yardstick => latency.of_copies(&board.writes(), &on(&received, &format!("yardstick/{number}"))),
                }
            }
        }
    }
    let [yardstick, daemon] = latencies;
    let row = |what: &str, of: [f64; 2], unit, goal| {
        let what = format!("{count} boards play, {updates:.0} updates/s: {what}");
        Row { what, value: of[1], yardstick: Some(of[0]), unit, goal }
    };
    let span = |what: &str, at: f64, of: fn(&Latency) -> &Vec<f64>| {
        let [yardstick, daemon] = [&yardstick, &daemon].map(|latency| share(of(latency), at) / 1000.0);
        row(what, [yardstick, daemon], "ms", None)
    };
    vec![
        row("CPU of an update", cpu, "us", Some(Goal::Yardsticks(2.0))),
        row("wake-ups of an update", wakes, "", None),
        row("messages of an update", messages, "", None),
        span("to subscriber, p50", 0.5, |latency| &latency.alone),
        span("to subscriber, p99", 0.99, |latency| &latency.alone),
        span("paced as well, p50", 0.5, |latency| &latency.all),
        span("paced as well, p99", 0.99, |latency| &latency.all),
    ]
}

fn on<'a>(received: &'a [ReceivedMessage], end: &str) -> Vec<&'a ReceivedMessage> {
    received.iter().filter(|received| received.topic.ends_with(end)).collect()
}

/// Twenty clocks that run without moves, and twenty boards that are unplugged.
fn idle(lengths: Lengths) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |what: &str, used: [Usage; 2], goal| {
        let row = |name: &str, of: fn(&Usage) -> f64, unit, goal| {
            let [yardstick, daemon] = used.map(|used| of(&used));
            let yardstick = (used[0].threads > 0.0).then_some(yardstick);
            Row { what: format!("{what}: {name}"), value: daemon, yardstick, unit, goal }
        };
        rows.push(row("CPU", |used| used.cpu, "%", goal));
        rows.push(row("wake-ups in a second", |used| used.wakes, "", None));
        rows.push(row("threads", |used| used.threads, "", None));
    };
    let measure = |stage: &Stage, most: Usage| {
        let used = stage.during(lengths.idle);
        let seconds = lengths.idle.as_secs_f64();
        Usage { cpu: (used.cpu / seconds / 1e7).min(most.cpu), wakes: (used.wakes / seconds).min(most.wakes), ..used }
    };
    let worst = Usage { cpu: f64::INFINITY, wakes: f64::INFINITY, ..Usage::default() };
    let mut used = [worst; 2];
    for _ in 0..lengths.rounds {
        for (used, program) in used.iter_mut().zip([Program::Yardstick, Program::Daemon]) {
            let stage = Stage::set(program, boards(20, Hands::Think, 1.0), None);
            pause(lengths.warm);
            *used = measure(&stage, *used);
        }
    }
    add("20 clocks run", used, Some(Goal::Units(0.3)));
    let paths: Vec<_> = (0..20).map(|number| std::path::PathBuf::from(format!("/dev/serial/by-id/none-{number}"))).collect();
    let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    let stage = Stage::on(Program::Daemon, &paths, None, "");
    pause(lengths.warm);
    add("20 boards unplugged", [Usage::default(), measure(&stage, worst)], None);
    rows
}

/// One board that plays at the pace of blitz, with a client of the LiveChess API.
#[cfg(feature = "outputs")]
fn livechess(lengths: Lengths) -> Vec<Row> {
    let play = 4 * lengths.play;
    let stage = Stage::set(Program::Yardstick, boards(1, Hands::Play, 1.0), Some("yardstick/#"));
    stage.playing();
    pause(play);
    let mut copies = Latency::default();
    let received = stage.listener.as_ref().expect("asked for").received();
    copies.of_copies(&stage.boards[0].writes(), &on(&received, "yardstick/0"));
    drop(stage);
    let (boards, port) = (boards(1, Hands::Play, 1.0), free_port());
    let paths: Vec<&Path> = boards.iter().map(Board::path).collect();
    let stage = Stage::on(Program::Daemon, &paths, None, &livechess::section(port)).with(boards);
    wait_until("the API", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let client = Client::follow(port);
    stage.playing();
    pause(play);
    livechess::rows(&stage.boards[0].writes(), &client.received(), &copies)
}

/// Resident memory after some minutes of play.
fn memory(lengths: Lengths) -> Vec<Row> {
    let mut rows = Vec::new();
    for (count, goal) in [(1, 5.0), (20, 8.0), (100, 16.0)] {
        let speed = if count > 20 { SPEED_OF_MANY } else { SPEED };
        let [yardstick, daemon] = [Program::Yardstick, Program::Daemon].map(|program| {
            let stage = Stage::set(program, boards(count, Hands::Play, speed), None);
            stage.playing();
            pause(lengths.memory.div_f64(if program == Program::Daemon { SPEED } else { 4.0 * SPEED }));
            stage.program.usage()
        });
        let row = |what: &str, of: fn(&Usage) -> f64, goal| {
            let what = format!("{count} boards, {what}");
            Row { what, value: of(&daemon), yardstick: Some(of(&yardstick)), unit: "MB", goal }
        };
        rows.push(row("resident", |usage| usage.rss, Some(Goal::Units(goal))));
        rows.push(row("of that not from files", |usage| usage.anon, None));
    }
    rows
}
