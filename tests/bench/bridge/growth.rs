//! The costs by the number of boards, beside the yardstick and beside a bridge in Python.

use std::time::Duration;

use crate::boards::Game;
use crate::latency::{Latency, share};
use crate::process::Usage;
use crate::scenes::{Lengths, until_after};
use crate::stage::{BYTES, MESSAGES, Program, Stage};
use crate::table::{Goal, Row};

/// The time of a half-move, milliseconds.
const MOVE: usize = 1500;
/// The longest time of the hands after the measurement: on a busy machine they do not hurry.
const REST: Duration = Duration::from_secs(300);
/// Two cores have enough to do with so many boards: they play one round.
const MANY: usize = 300;

/// What a program needed in all rounds.
struct Needed {
    /// Microseconds and wake-ups of an update: the least of the rounds.
    cpu: f64,
    wakes: f64,
    /// Messages and bytes of an update, in the last round.
    messages: f64,
    bytes: f64,
    latency: Latency,
    /// Boards whose last position did not arrive.
    missed: f64,
    /// Memory and threads at the end of the last round.
    usage: Usage,
    /// Updates in a second.
    rate: f64,
}

impl Default for Needed {
    fn default() -> Needed {
        let most = f64::INFINITY;
        let (latency, usage) = (Latency::default(), Usage::default());
        Needed { cpu: most, wakes: most, messages: 0.0, bytes: 0.0, latency, missed: 0.0, usage, rate: 0.0 }
    }
}

/// Lets programs serve so many boards in turns, each of which makes a half-move in 1.5 s.
fn measure<const N: usize>(programs: [Program; N], count: usize, lengths: Lengths) -> [Needed; N] {
    // A program with a thousand boards needs a while until it has all of them.
    let wait = Duration::from_millis(4000 + 10 * count as u64);
    let play = if count == 1 { 2 * lengths.play } else { lengths.play };
    let plies = ((lengths.warm + play).as_millis() as usize / MOVE + 2).next_multiple_of(2);
    let scripts: Vec<_> = (0..count as u64).map(|seed| Game::new(seed, plies).script(0, plies, wait)).collect();
    let mut all = [(); N].map(|()| Needed::default());
    for _ in 0..if count >= MANY { 1 } else { lengths.rounds } {
        for (needed, program) in all.iter_mut().zip(programs) {
            let (stage, boards) = Stage::set(program, &scripts);
            until_after(&boards, wait + lengths.warm);
            let window = stage.during(play);
            let sent = stage.finish(boards, REST);
            let updates = sent.updates(&window);
            needed.cpu = needed.cpu.min(window.used.cpu / updates / 1000.0);
            needed.wakes = needed.wakes.min(window.used.wakes / updates);
            needed.messages = sent.growth(MESSAGES, &window);
            needed.bytes = sent.growth(BYTES, &window);
            needed.latency.alone.extend_from_slice(&sent.latency.alone);
            needed.latency.all.extend_from_slice(&sent.latency.all);
            needed.missed += sent.missed;
            (needed.usage, needed.rate) = (window.used, updates / play.as_secs_f64());
        }
    }
    all
}

/// The scene with so many boards.
pub(crate) fn grow(count: usize, lengths: Lengths) -> Vec<Row> {
    let [yardstick, daemon] = &measure([Program::Yardstick, Program::Daemon], count, lengths);
    let row = |what: &str, of: &dyn Fn(&Needed) -> f64, unit, goal| {
        let what = format!("{count} boards, {:.0} updates/s: {what}", daemon.rate);
        Row { what, value: of(daemon), yardstick: Some(of(yardstick)), unit, goal }
    };
    let at = |at: f64| move |needed: &Needed| share(&needed.latency.alone, at) / 1000.0;
    let memory = match count {
        100 => Some(Goal::Units(14.0)),
        1000 => Some(Goal::Units(140.0)),
        _ => None,
    };
    let cpu = match count {
        1 => Some(Goal::Yardsticks(3.0)),
        20 => Some(Goal::Yardsticks(2.0)),
        _ => None,
    };
    let late = match count {
        20 => Some(Goal::Units(1.0)),
        600 => Some(Goal::Units(5.0)),
        1000 => Some(Goal::Units(50.0)),
        _ => None,
    };
    vec![
        row("CPU of an update", &|needed| needed.cpu, "us", cpu),
        row("wake-ups of an update", &|needed| needed.wakes, "", None),
        row("messages of an update", &|needed| needed.messages, "", None),
        row("bytes of an update", &|needed| needed.bytes, "", None),
        row("to subscriber, p50", &at(0.5), "ms", None),
        row("to subscriber, p99", &at(0.99), "ms", late),
        row("to subscriber, most", &at(1.0), "ms", None),
        row("paced as well, p99", &|needed| share(&needed.latency.all, 0.99) / 1000.0, "ms", None),
        row("boards whose last position is missed", &|needed| needed.missed, "", Some(Goal::Units(0.0))),
        row("threads", &|needed| needed.usage.threads, "", None),
        row("resident", &|needed| needed.usage.rss, "MB", None),
        row("of that not from files", &|needed| needed.usage.anon, "MB", memory),
    ]
}

/// Twenty boards, beside a bridge in Python instead of the yardstick.
pub(crate) fn python(lengths: Lengths) -> Vec<Row> {
    if std::process::Command::new("python3").arg("-V").output().is_err() {
        return vec![Row { what: "python: left out, since there is no python3".to_owned(), ..Row::default() }];
    }
    let [python, daemon] = &measure([Program::Python, Program::Daemon], 20, lengths);
    let row = |what: &str, of: &dyn Fn(&Needed) -> f64, unit, goal| {
        let what = format!("20 boards beside Python: {what}");
        Row { what, value: of(daemon), yardstick: Some(of(python)), unit, goal }
    };
    vec![
        row("CPU of an update", &|needed| needed.cpu, "us", Some(Goal::Yardsticks(0.1))),
        row("to subscriber, p50", &|needed| share(&needed.latency.alone, 0.5) / 1000.0, "ms", Some(Goal::Yardsticks(0.2))),
        row("to subscriber, p99", &|needed| share(&needed.latency.alone, 0.99) / 1000.0, "ms", None),
        row("messages of an update", &|needed| needed.messages, "", None),
        row("not from files", &|needed| needed.usage.anon, "MB", None),
    ]
}
