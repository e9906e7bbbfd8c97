//! Each game is simulated once, and every method reads its recording.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flagfall::emulate::noise::Noise;
use flagfall::emulate::score::score;
use flagfall::emulate::score_sheet::ScoreSheet;
use flagfall::emulate::simulate::{Simulated, simulate};
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;

use crate::events::Recording;
use crate::methods::{IRREGULAR, Method, PLAIN};
use crate::options::Options;
use crate::sheets::Set;
use crate::tally::{Key, LEVELS, Tally};
use crate::{lookup, ours, reachable};

/// The board that is simulated.
pub(crate) fn driver() -> &'static DriverInfo {
    drivers::find("dgt").expect("registered")
}

/// A level of noise, with its irregularities or without.
pub(crate) fn noise(level: &str, irregular: bool) -> Noise {
    let noise = Noise::level(level).expect("a level").expect("the table is sound");
    Noise { irregularities: if irregular { noise.irregularities } else { 0.0 }, ..noise }
}

struct Job<'a> {
    sheet: &'a ScoreSheet,
    number: u64,
    seed: u64,
    order: usize,
    speed: &'static str,
    level: usize,
    irregular: bool,
}

/// Plays all games with all methods.
pub(crate) fn all(sets: &[Set], options: &Options, threads: usize) -> Tally {
    let mut jobs = Vec::new();
    for (order, set) in sets.iter().enumerate() {
        for (number, sheet) in (1..).zip(&set.sheets) {
            for seed in 1..=options.seeds {
                for level in 0..LEVELS.len() {
                    let job = |irregular| Job { sheet, number, seed, order, speed: set.speed, level, irregular };
                    jobs.extend([job(false), job(true)]);
                }
            }
        }
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            one(job, &mut tally);
        }
        tally
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut all = Tally::default();
        workers.into_iter().for_each(|worker| all.join(worker.join().expect("no game makes the program fail")));
        all
    })
}

fn one(job: &Job<'_>, tally: &mut Tally) {
    let noise = noise(LEVELS[job.level], job.irregular);
    let Ok(played) = simulate(driver(), job.sheet, &noise, [job.seed, job.number], Some("bench")) else {
        tally.left += 1;
        return;
    };
    let recording = Recording::of(played.outcome.trace.as_deref().unwrap_or_default());
    let events = recording.events(driver());
    let methods: &[Method] = if job.irregular { &IRREGULAR } else { &PLAIN };
    for (place, &method) in methods.iter().enumerate() {
        let Simulated { play, outcome, score: live } = &played;
        let other = match method {
            Method::Ours => None,
            Method::Without(part) => {
                let end = Instant::ZERO.after(play.end);
                Some(ours::play(driver(), &recording, &play.control.control, end, part.tuning(), &outcome.heard))
            }
            Method::Lookup(millis) => Some(lookup::play(&events, Duration::from_millis(millis))),
            Method::Reachable => Some(reachable::play(&events)),
        };
        if method == Method::Without(crate::methods::Part::Nothing) {
            let again = other.as_ref().is_some_and(|again| again.sure == outcome.sure && again.pending == outcome.pending);
            tally.replayed_differently += u64::from(!again);
        }
        let other = other.map(|outcome| score(&play.truth, &outcome));
        let Job { irregular, order, speed, level, .. } = *job;
        let key = Key { irregular, place, method, order, speed, level };
        tally.add(key, play.truth.plies.len(), other.as_ref().unwrap_or(live));
    }
}
