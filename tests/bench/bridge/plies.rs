//! The costs by the number of half-moves that a game has, and the taste of them in `tests/soak`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use crate::boards::{Boards, Game};
use crate::scenes::{Lengths, until_after};
use crate::stage::{BYTES, Program, Stage, Window};
use crate::table::{Goal, Row};

const BOARDS: u64 = 20;
/// The half-moves at which an update is measured, and those that are played at people's speed before and after them.
const PLIES: [usize; 4] = [20, 100, 200, 300];
const AROUND: usize = 6;
/// Hands play so much faster in between.
const FAST: f64 = 20.0;
/// Until the daemon has the boards.
const WAIT: Duration = Duration::from_secs(4);
/// Of the half-moves at people's speed the first are not measured.
const WARM: Duration = Duration::from_secs(3);
const SPAN: Duration = Duration::from_secs(12);
const REST: Duration = Duration::from_secs(90);

/// What an update cost at one ply.
struct Cost {
    cpu: f64,
    bytes: f64,
    anon: f64,
    ply: u32,
}

/// Lets a program serve boards on which the half-moves around a ply are played.
fn at_ply(stage: &Stage, games: &[Game], ply: usize) -> Cost {
    let boards = boards(stage, games, ply - AROUND, ply + AROUND, 1.0);
    until_after(&boards, WAIT + WARM);
    let window = stage.during(SPAN);
    let sent = stage.finish(boards, REST);
    let cpu = window.used.cpu / sent.updates(&window) / 1000.0;
    let ply = sent.received.iter().rev().find(|message| message.topic.ends_with("/0/state")).map_or(0, |state| state.ply);
    Cost { cpu, bytes: sent.growth(BYTES, &window), anon: window.used.anon, ply }
}

/// Starts boards on the links of a stage.
fn boards(stage: &Stage, games: &[Game], from: usize, to: usize, speed: f64) -> Boards {
    let scripts: Vec<_> = games.iter().map(|game| game.script(from, to, WAIT.mul_f64(speed))).collect();
    Boards::start(stage.folder.path(), &scripts, speed)
}

/// Twenty boards with one life of the daemon: between the plies the hands play fast, and each time other boards are plugged in, on which the
/// game goes on.
pub(crate) fn by_ply(_: Lengths) -> Vec<Row> {
    let last = PLIES[PLIES.len() - 1] + AROUND;
    let games: Vec<Game> = (0..BOARDS).map(|seed| Game::new(seed, last)).collect();
    let ports = |folder: &std::path::Path| ((), (1..=BOARDS).map(|number| folder.join(format!("board-{number}"))).collect());
    let (daemon, ()) = Stage::with(Program::Daemon, "", ports);
    let (mut played, mut costs) = (0, Vec::new());
    for ply in PLIES {
        let between = boards(&daemon, &games, played, ply - AROUND, FAST);
        between.finish(REST);
        drop(between);
        let cost = at_ply(&daemon, &games, ply);
        // The yardstick opens its ports once, and knows no plies.
        let scripts: Vec<_> = games.iter().map(|game| game.script(ply - AROUND, ply + AROUND, WAIT)).collect();
        let (stage, boards) = Stage::set(Program::Yardstick, &scripts);
        until_after(&boards, WAIT + WARM);
        let window = stage.during(SPAN);
        let sent = stage.finish(boards, REST);
        let copied = Cost {
            cpu: window.used.cpu / sent.updates(&window) / 1000.0,
            bytes: sent.growth(BYTES, &window),
            anon: window.used.anon,
            ply: 0,
        };
        costs.push((ply, cost, copied));
        played = ply + AROUND;
    }
    let mut rows = Vec::new();
    for (ply, cost, copied) in &costs {
        let row = |what: &str, value, yardstick, unit| Row {
            what: format!("20 boards at ply {ply}: {what}"),
            value,
            yardstick,
            unit,
            ..Row::default()
        };
        rows.push(row("CPU of an update", cost.cpu, Some(copied.cpu), "us"));
        rows.push(row("bytes of an update", cost.bytes, Some(copied.bytes), ""));
        rows.push(row("memory not from files", cost.anon, Some(copied.anon), "MB"));
        rows.push(row("plies in the last state of the first board", f64::from(cost.ply), None, ""));
    }
    if let ([(first, young, _), ..], [.., (last, old, _)]) = (costs.as_slice(), costs.as_slice()) {
        let what = format!("CPU of an update: at ply {last}, beside that at ply {first}");
        rows.push(Row { what, value: old.cpu, yardstick: Some(young.cpu), unit: "us", goal: Some(Goal::Yardsticks(1.2)) });
        let hundreds = (last - first) as f64 / 100.0;
        let value = (old.anon - young.anon) * 1000.0 / BOARDS as f64 / hundreds;
        let what = "memory of 100 plies, a board".to_owned();
        rows.push(Row { what, value, unit: "kB", goal: Some(Goal::Units(40.0)), ..Row::default() });
    }
    rows
}

/// The rounds of a taste, and the length of one.
const ROUNDS: u32 = 3;
const ROUND: Duration = Duration::from_secs(3);
/// The highest ratio that passes, 20 % above what a build for tests reaches (`tests/bench/README.md`).
const MOST: f64 = 4.1;

/// Lets daemon and yardstick serve twenty boards each at the same time, prints how many times as much CPU time an update costs the daemon,
/// and fails above [`MOST`].
pub(crate) fn taste(out: &mut dyn Write) -> io::Result<ExitCode> {
    let plies = 1 + (ROUNDS * ROUND).as_millis() as usize / 1500;
    let wait = Duration::from_secs(3);
    let games: Vec<Game> = (0..BOARDS).map(|seed| Game::new(seed, plies)).collect();
    let scripts: Vec<_> = games.iter().map(|game| game.script(0, plies, wait)).collect();
    let [(copier, its), (daemon, boards)] = [Program::Yardstick, Program::Daemon].map(|program| Stage::set(program, &scripts));
    until_after(&boards, wait + Duration::from_millis(500));
    let windows: Vec<[Window; 2]> = (0..ROUNDS).map(|_| windows(&copier, &daemon)).collect();
    let (copied, served) = (copier.finish(its, REST), daemon.finish(boards, REST));
    let ratios = windows.iter().map(|[copier, daemon]| {
        let cost = |window: &Window, updates: f64| window.used.cpu / updates;
        cost(daemon, served.updates(daemon)) / cost(copier, copied.updates(copier))
    });
    let ratios: Vec<f64> = ratios.collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    writeln!(
        out,
        "an update of 20 boards costs {least:.2} times the CPU time of the copier, at most {MOST:.2} (rounds: {ratios:.2?})"
    )?;
    let missed = copied.missed + served.missed;
    writeln!(out, "boards whose last position is missed: {missed}")?;
    Ok(if least <= MOST && missed == 0.0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures both programs in the same time.
fn windows(copier: &Stage, daemon: &Stage) -> [Window; 2] {
    let begin = [copier, daemon].map(Stage::begin);
    crate::process::pause(ROUND);
    [copier.since(begin[0]), daemon.since(begin[1])]
}
