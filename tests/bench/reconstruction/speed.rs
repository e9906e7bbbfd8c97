//! The cost of driver and decoder on one core, with recorded bytes in memory.

use std::fmt::Write;

use flagfall::emulate::simulate::simulate;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::reconstruct::tuning::Tuning;
use nix::sys::time::TimeValLike;
use nix::time::ClockId;

use crate::counting;
use crate::events::{Fed, Recording};
use crate::measure::{middle, share, span};
use crate::ours::Player;
use crate::sheets::Set;
use crate::simulation::{driver, noise};

/// The number of games of each speed.
const GAMES: usize = 4;
/// The number of rounds.
const ROUNDS: usize = 5;
/// The goal: events a second on one core.
const GOAL: f64 = 100_000.0;
/// The most bytes for one board.
const MOST: i64 = 1 << 20;

struct Game {
    control: TimeControl,
    recording: Recording,
}

/// The measurements of one kind of report.
#[derive(Default)]
struct Times {
    nanos: Vec<f64>,
    allocations: u64,
}

/// The CPU time of `work` in nanoseconds, independent of other work on the machine; it includes reading the time.
fn time(work: impl FnOnce()) -> f64 {
    let now = || ClockId::CLOCK_THREAD_CPUTIME_ID.now().map_or(0, |now| now.num_nanoseconds());
    let began = now();
    work();
    (now() - began) as f64
}

/// Measures and writes the results.
pub(crate) fn measure(sets: &[Set], text: &mut String) {
    for level in ["clean", "typical", "rough"] {
        let _ = writeln!(text, "cost, {level}");
        for set in sets {
            let games = games(set, level);
            throughput(set.speed, &games, text);
        }
        let all: Vec<Game> = sets.iter().flat_map(|set| games(set, level)).collect();
        singly(&all, text);
        text.push('\n');
    }
}

fn games(set: &Set, level: &str) -> Vec<Game> {
    let noise = noise(level, false);
    let simulated = (1..).zip(set.sheets.iter().take(GAMES)).filter_map(|(number, sheet)| {
        let played = simulate(driver(), sheet, &noise, [1, number], Some("bench")).ok()?;
        let recording = Recording::of(played.outcome.trace.as_deref()?);
        Some(Game { control: played.play.control.control, recording })
    });
    simulated.collect()
}

/// The events a second, compared with the driver alone with the same bytes.
fn throughput(speed: &str, games: &[Game], text: &mut String) {
    let (mut whole, mut alone, mut events, mut woken) = (Vec::new(), Vec::new(), 0, 0);
    for _ in 0..ROUNDS {
        (events, woken) = (0, 0);
        whole.push(time(|| {
            for game in games {
                let player = replayed(game);
                events += player.events;
                woken += player.woken;
            }
        }));
        alone.push(time(|| {
            for game in games {
                std::hint::black_box(game.recording.events(driver()));
            }
        }));
    }
    let (taken, yardstick) = (middle(&mut whole), middle(&mut alone));
    let rate = events as f64 / (taken / 1e9);
    let met = if rate >= GOAL { "met" } else { "MISSED" };
    let _ = writeln!(
        text,
        "{speed:10} {rate:>10.0} events/s, goal 100000: {met}; {events} events, {} each, {:.1} x the driver alone, woken {:.1} times each",
        span(taken / events.max(1) as f64),
        taken / yardstick.max(1.0),
        woken as f64 / events.max(1) as f64
    );
}

fn replayed(game: &Game) -> Player {
    let mut player = Player::new(driver(), &game.control, Tuning::default(), false);
    for (at, fed) in &game.recording.0 {
        player.wait(*at);
        player.feed(*at, fed);
    }
    player
}

/// The cost of each piece of bytes, and the memory of a board.
fn singly(games: &[Game], text: &mut String) {
    let own = middle(&mut (0..10_001).map(|_| time(|| ())).collect::<Vec<_>>());
    let [mut squares, mut others, mut waits] = [const { Times { nanos: Vec::new(), allocations: 0 } }; 3];
    let mut most = 0;
    for game in games {
        let before = counting::live();
        let mut player = Player::new(driver(), &game.control, Tuning::default(), false);
        // The memory of the measurements does not belong to the board.
        let mut notes = 0;
        for (at, fed) in &game.recording.0 {
            let was = counting::calls();
            let waited = time(|| player.wait(*at));
            let between = counting::calls();
            let taken = time(|| player.feed(*at, fed));
            let is = counting::calls();
            most = most.max(counting::live() - before - notes);
            let held = counting::live();
            waits.add(waited - own, between - was);
            if matches!(fed, Fed::Bytes(_)) {
                let times = if player.squares { &mut squares } else { &mut others };
                times.add(taken - own, is - between);
            }
            notes += counting::live() - held;
        }
    }
    squares.write_row("reports of squares", text);
    others.write_row("clock reports, answers", text);
    waits.write_row("deadlines before each", text);
    let met = if most <= MOST { "met" } else { "MISSED" };
    let _ = writeln!(text, "held by one board at most {:.1} KiB, goal 1 MiB: {met}", most as f64 / 1024.0);
}

impl Times {
    fn add(&mut self, nanos: f64, allocations: u64) {
        self.nanos.push(nanos);
        self.allocations += allocations;
    }

    fn write_row(&mut self, what: &str, text: &mut String) {
        let count = self.nanos.len().max(1) as f64;
        let mean = self.nanos.iter().sum::<f64>() / count;
        let _ = writeln!(
            text,
            "{what:24} mean {:>9}, 99 % {:>9}, worst {:>9}; {:.2} allocations",
            span(mean),
            span(share(&mut self.nanos, 0.99)),
            span(share(&mut self.nanos, 1.0)),
            self.allocations as f64 / count
        );
    }
}
