//! Campaigns: tests that play one seed after the other, each in the same way, and name the seeds that fail.
//!
//! * An ordinary run plays the campaign's own seeds, always the same.
//! * `FLAGFALL_SEED=17` plays that seed only; the text of a failure names this command.
//! * `tests/soak` sets `FLAGFALL_SOAK` to the first seed, a time in seconds and the file of a report. From that seed on
//!   seeds are played until the time is over, at least one. The file with the report's name and `.now` has the seeds that play, in
//!   case the program dies.
//!
//! The module depends on no other, so that the tests of every package can include it.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::any::Any;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The report has the numbers of this many failed seeds; the others are only counted.
const NAMED: usize = 12;
/// A campaign in a soak ends after this number of failed seeds.
const ENOUGH: u64 = 50;
/// The size in bytes of the file with the seeds that play.
const NOTE: usize = 120;

/// The value of this environment variable.
#[allow(clippy::disallowed_methods, reason = "a test learns from its environment which seeds to play")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[allow(clippy::disallowed_methods, reason = "the duration of a campaign has no influence on a seed")]
fn now() -> Instant {
    Instant::now()
}

/// Whether all of the campaign's own seeds are played, so that a test can assert what must happen in at least one of them.
pub(crate) fn ordinary() -> bool {
    variable("FLAGFALL_SEED").is_none() && variable("FLAGFALL_SOAK").is_none()
}

/// A number for a generator that differs for each seed; for seed 0 it is `own` itself.
pub(crate) fn mixed(own: u64, seed: u64) -> u64 {
    own.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Plays seeds one after the other. `one` plays one seed: it returns how many inputs it fed, and panics if something is wrong.
///
/// `tests/soak` has a row with the name of each campaign: `tests/architecture/campaigns.rs` checks this.
#[track_caller]
pub(crate) fn campaign(
    name: &str,
    seeds: impl IntoIterator<Item = u64, IntoIter: Send + 'static>,
    mut one: impl FnMut(u64) -> u64,
) {
    let mut run = Run::begin(seeds);
    while let Some(seed) = run.next() {
        let result = catch_unwind(AssertUnwindSafe(|| one(seed)));
        run.ended(seed, result);
    }
    run.end(name);
}

/// Like [`campaign`] with several seeds at a time, for tests that spend their time waiting.
#[track_caller]
pub(crate) fn side_by_side(
    name: &str,
    at_once: usize,
    seeds: impl IntoIterator<Item = u64, IntoIter: Send + 'static>,
    one: impl Fn(u64) -> u64 + Sync,
) {
    let run = Mutex::new(Run::begin(seeds));
    let lock = || -> MutexGuard<'_, Run> { run.lock().unwrap_or_else(PoisonError::into_inner) };
    let next = || lock().next();
    std::thread::scope(|scope| {
        for number in 0..at_once {
            let play = || {
                while let Some(seed) = next() {
                    let result = catch_unwind(AssertUnwindSafe(|| one(seed)));
                    lock().ended(seed, result);
                }
            };
            let thread = std::thread::Builder::new().name(format!("{name} {number}"));
            thread.spawn_scoped(scope, play).expect("a thread");
        }
    });
    run.into_inner().unwrap_or_else(PoisonError::into_inner).end(name);
}

/// The limits that `tests/soak` sets.
struct Soak {
    until: Instant,
    report: PathBuf,
    playing: File,
}

/// The seeds of one campaign and their results.
pub(crate) struct Run {
    seeds: Box<dyn Iterator<Item = u64> + Send>,
    soak: Option<Soak>,
    /// The seeds that have not ended.
    open: BTreeSet<u64>,
    begun: u64,
    inputs: u64,
    failed: u64,
    /// The first seeds that failed, each with the text of its panic.
    named: Vec<(u64, String)>,
}

impl Run {
    fn begin(own: impl IntoIterator<Item = u64, IntoIter: Send + 'static>) -> Run {
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is no seed"));
        if let Some(seed) = variable("FLAGFALL_SEED") {
            return Run::of(std::iter::once(number(&seed)), None);
        }
        let Some(soak) = variable("FLAGFALL_SOAK") else { return Run::of(own, None) };
        let parts: Vec<&str> = soak.splitn(3, ' ').collect();
        let [first, seconds, report] = parts[..] else { panic!("FLAGFALL_SOAK: a seed, seconds, a file, and not {soak}") };
        Run::soak(number(first), Duration::from_secs(number(seconds)), Path::new(report))
    }

    /// Seeds from this one on, for this time.
    pub(crate) fn soak(first: u64, time: Duration, report: &Path) -> Run {
        let playing = File::create(report.with_added_extension("now")).expect("a file beside the report");
        Run::of(first.., Some(Soak { until: now() + time, report: report.to_owned(), playing }))
    }

    fn of(seeds: impl IntoIterator<Item = u64, IntoIter: Send + 'static>, soak: Option<Soak>) -> Run {
        let seeds = Box::new(seeds.into_iter());
        Run { seeds, soak, open: BTreeSet::new(), begun: 0, inputs: 0, failed: 0, named: Vec::new() }
    }

    /// The next seed; none when all were played or the time is over.
    pub(crate) fn next(&mut self) -> Option<u64> {
        if self.begun > 0 && self.soak.as_ref().is_some_and(|soak| self.failed >= ENOUGH || now() >= soak.until) {
            return None;
        }
        let seed = self.seeds.next()?;
        self.begun += 1;
        self.open.insert(seed);
        self.write_playing_seeds();
        Some(seed)
    }

    /// Writes the seeds that play into a file, in case this program dies.
    fn write_playing_seeds(&self) {
        let Some(soak) = &self.soak else { return };
        let mut text: String = self.open.iter().map(|seed| format!("{seed} ")).collect();
        text.truncate(NOTE);
        soak.playing.write_all_at(format!("{text:NOTE$}\n").as_bytes(), 0).expect("written");
    }

    /// Notes the result of a seed: the number of its inputs, or the panic.
    pub(crate) fn ended(&mut self, seed: u64, result: Result<u64, Box<dyn Any + Send>>) {
        self.open.remove(&seed);
        match result {
            Ok(inputs) => self.inputs += inputs,
            Err(cause) => {
                self.failed += 1;
                if self.named.len() < NAMED || self.soak.is_none() {
                    self.named.push((seed, panic_message(&*cause)));
                }
            }
        }
    }

    /// Writes the line of the report; panics with the seeds that failed.
    #[track_caller]
    pub(crate) fn end(self, name: &str) {
        let Run { soak, begun, inputs, failed, named, .. } = self;
        if let Some(soak) = soak {
            let seeds: Vec<String> = named.iter().map(|(seed, _)| seed.to_string()).collect();
            let line = format!("{name}\t{begun}\t{inputs}\t{failed}\t{}\n", seeds.join(" "));
            let file = File::options().append(true).create(true).open(&soak.report);
            file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the report");
        }
        let failures: String = named.iter().map(|(seed, words)| format!("seed {seed}: {words}\n")).collect();
        let repeat = named.first().map(|(seed, _)| format!("FLAGFALL_SEED={seed} cargo test {}", this_test(name)));
        assert!(failed == 0, "{name}: {failed} of {begun} seeds fail; again with {}\n{failures}", repeat.unwrap_or_default());
    }
}

/// The text of a panic.
fn panic_message(cause: &(dyn Any + Send)) -> String {
    let words = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    words.unwrap_or("it panicked").to_owned()
}

/// The arguments with which cargo runs this test alone: its program, and its name if the test's thread has one.
fn this_test(name: &str) -> String {
    let program = std::env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_str()?.to_owned())).unwrap_or_default();
    let program = program.rsplit_once('-').map_or(program.as_str(), |(name, _)| name);
    let thread = std::thread::current();
    let test =
        thread.name().filter(|name| *name != "main").map_or_else(|| format!("# {name}"), |test| format!("-- --exact {test}"));
    // Unit tests have the name of their package.
    let is_unit = program == env!("CARGO_PKG_NAME").replace('-', "_");
    let program =
        if is_unit { format!("--package {} --lib", env!("CARGO_PKG_NAME")) } else { format!("--workspace --test {program}") };
    format!("{program} {test}")
}
