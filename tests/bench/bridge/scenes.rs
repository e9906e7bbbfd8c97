//! The measurements.

use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "outputs")]
use std::net::TcpStream;

use crate::boards::{Boards, Game, thinking, until};
#[cfg(feature = "outputs")]
use crate::livechess::{self, Client};
use crate::process::{Usage, pause};
#[cfg(feature = "outputs")]
use crate::process::{free_port, wait_until};
use crate::stage::{Program, Stage};
use crate::table::{Goal, Row};
use crate::{growth, plies};

/// The lengths and numbers of measurements.
#[derive(Clone, Copy)]
pub(crate) struct Lengths {
    pub(crate) rounds: usize,
    /// The time of play in a round, and before it.
    pub(crate) play: Duration,
    pub(crate) warm: Duration,
    idle: Duration,
}

impl Lengths {
    pub(crate) const SHORT: Lengths =
        Lengths { rounds: 2, play: Duration::from_secs(12), warm: Duration::from_secs(3), idle: Duration::from_secs(5) };
    pub(crate) const LONG: Lengths =
        Lengths { rounds: 6, play: Duration::from_secs(60), warm: Duration::from_secs(10), idle: Duration::from_secs(60) };
}

type Scene = fn(Lengths) -> Vec<Row>;

pub(crate) const ALL: &[(&str, Scene)] = &[
    ("start", start),
    ("grow-1", |lengths| growth::grow(1, lengths)),
    ("grow-20", |lengths| growth::grow(20, lengths)),
    ("grow-100", |lengths| growth::grow(100, lengths)),
    ("grow-300", |lengths| growth::grow(300, lengths)),
    ("grow-600", |lengths| growth::grow(600, lengths)),
    ("grow-1000", |lengths| growth::grow(1000, lengths)),
    ("ply", plies::by_ply),
    ("python", growth::python),
    ("idle", idle),
    #[cfg(feature = "outputs")]
    ("livechess", livechess),
    #[cfg(feature = "outputs")]
    ("collect", |lengths| crate::collected::collect(lengths.play * 2)),
];

/// The time from `exec` to the first messages of boards whose clocks run, and from a signal to the end.
fn start(lengths: Lengths) -> Vec<Row> {
    let mut rows = Vec::new();
    for (count, rounds) in [(1, lengths.rounds.max(3)), (1000, 1)] {
        let names = [
            ("start to first status", Some(300.0)),
            ("start to all retained states", (count == 1000).then_some(8000.0)),
            ("restart to all retained states", None),
            ("signal to end", Some(2000.0)),
            ("signal 0.2 s after the start to end", Some(2000.0)),
        ];
        let scripts: Vec<_> = (0..count as u64).map(|seed| thinking(seed, Duration::ZERO)).collect();
        let mut best = [f64::INFINITY; 5];
        for _ in 0..rounds {
            let (mut stage, _boards) = Stage::set(Program::Daemon, &scripts);
            let fresh = [stage.all("/status", 1), stage.all("/state", count)];
            stage.restart();
            let restart = stage.all("/state", count);
            let end = stage.program.terminate();
            stage.restart();
            pause(Duration::from_millis(200));
            let early = stage.program.terminate();
            let [status, picture] = fresh;
            let [end, early] = [end, early].map(|span| span.as_secs_f64() * 1000.0);
            for (best, value) in best.iter_mut().zip([status, picture, restart, end, early]) {
                *best = best.min(value);
            }
        }
        for (value, (name, goal)) in best.into_iter().zip(names) {
            let what = format!("{count} boards: {name}");
            rows.push(Row { what, value, unit: "ms", goal: goal.map(Goal::Units), ..Row::default() });
        }
    }
    rows
}

/// Twenty clocks that run without moves, and three hundred boards that are unplugged.
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
        let used = stage.during(lengths.idle).used;
        let seconds = lengths.idle.as_secs_f64();
        Usage { cpu: (used.cpu / seconds / 1e7).min(most.cpu), wakes: (used.wakes / seconds).min(most.wakes), ..used }
    };
    let worst = Usage { cpu: f64::INFINITY, wakes: f64::INFINITY, ..Usage::default() };
    let scripts: Vec<_> = (0..20).map(|seed| thinking(seed, Duration::ZERO)).collect();
    let mut used = [worst; 2];
    for _ in 0..lengths.rounds {
        for (used, program) in used.iter_mut().zip([Program::Yardstick, Program::Daemon]) {
            let (stage, _boards) = Stage::set(program, &scripts);
            pause(lengths.warm);
            *used = measure(&stage, *used);
        }
    }
    add("20 clocks run", used, Some(Goal::Units(0.3)));
    let paths = (0..300).map(|number| PathBuf::from(format!("/dev/serial/by-id/none-{number}"))).collect();
    let (stage, ()) = Stage::with(Program::Daemon, "", |_| ((), paths));
    pause(lengths.warm);
    add("300 boards unplugged", [Usage::default(), measure(&stage, worst)], None);
    rows
}

/// One board that plays, with a client of the LiveChess API.
#[cfg(feature = "outputs")]
fn livechess(lengths: Lengths) -> Vec<Row> {
    let most = 4 * lengths.play;
    let scripts = [Game::new(0, 24).script(0, 24, Duration::from_secs(3))];
    let (stage, boards) = Stage::set(Program::Yardstick, &scripts);
    let copies = stage.finish(boards, most).latency;
    drop(stage);
    let port = free_port();
    let (stage, boards) = Stage::with(Program::Daemon, &livechess::section(port), |folder| {
        let boards = Boards::start(folder, &scripts, 1.0);
        let paths = boards.paths.clone();
        (boards, paths)
    });
    wait_until("the API", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let client = Client::follow(port);
    let sent = stage.finish(boards, most);
    livechess::rows(&sent.writes[0], &client.received(), &copies)
}

/// Waits until a time after the start of the boards.
pub(crate) fn until_after(boards: &Boards, span: Duration) {
    until(boards.process.began.after(span));
}
