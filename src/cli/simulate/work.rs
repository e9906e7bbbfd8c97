//! Simulates games on one thread for each processor core, and reports the results in the order of the games.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use anyhow::{Context, Result, anyhow, bail};
use flagfall_protocols::driver::DriverInfo;
use serde::Serialize;

use crate::emulate::noise::Noise;
use crate::emulate::score_sheet::ScoreSheet;
use crate::emulate::simulate::{Simulated, simulate};
use crate::emulate::truth::Truth;

/// A game to be simulated.
pub(super) struct Job {
    /// The name of the file, as it was given.
    pub(super) file: String,
    /// The file's name without folder and ending.
    pub(super) stem: String,
    /// The number of the game in its file, from 1.
    pub(super) number: u32,
    pub(super) sheet: ScoreSheet,
}

/// The result of a game.
pub(super) enum Done {
    /// It was played.
    Played(Box<Simulated>),
    /// It cannot be played.
    Left(&'static str),
}

/// The truth about a game, as a file.
#[derive(Serialize)]
struct TruthFile<'a> {
    file: &'a str,
    game: u32,
    seed: u64,
    time_control: String,
    time_control_derived: bool,
    result: &'a str,
    illegal_tail: Option<&'a str>,
    #[serde(flatten)]
    truth: &'a Truth,
}

/// Simulates all games and reports each, in order.
pub(super) fn simulate_all(
    driver: &DriverInfo,
    noise: &Noise,
    seed: u64,
    out: Option<&Path>,
    jobs: &[Job],
    threads: usize,
    report: &mut dyn FnMut(&Job, &Done) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let (send, receive) = sync_channel(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()) {
            let (next, send) = (&next, send.clone());
            scope.spawn(move || {
                while let Some((index, job)) = next_job(next, jobs) {
                    let done = simulate_job(driver, noise, seed, out, job);
                    // The receiver is dropped: an earlier game failed.
                    if send.send((index, done)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut reported = 0;
        for (index, done) in receive {
            waiting.insert(index, done);
            while let Some(done) = waiting.remove(&reported) {
                let job = &jobs[reported];
                let done = done.with_context(|| format!("{}, game {}", job.file, job.number))?;
                report(job, &done)?;
                reported += 1;
            }
        }
        Ok(())
    })
}

fn next_job<'a>(next: &AtomicUsize, jobs: &'a [Job]) -> Option<(usize, &'a Job)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(index).map(|job| (index, job))
}

fn simulate_job(driver: &DriverInfo, noise: &Noise, seed: u64, out: Option<&Path>, job: &Job) -> Result<Done> {
    if let Some(why) = job.sheet.unplayable {
        return Ok(Done::Left(why));
    }
    let name = format!("{}-{:03}-{seed}", job.stem, job.number);
    let play = || simulate(driver, &job.sheet, noise, [seed, u64::from(job.number)], out.map(|_| name.as_str()));
    let Ok(played) = catch_unwind(AssertUnwindSafe(play)) else { bail!("the program failed at this game (seed {seed})") };
    let played = played?;
    if let Some(dir) = out {
        write(dir, &name, seed, job, &played)?;
    }
    Ok(Done::Played(Box::new(played)))
}

fn write(dir: &Path, name: &str, seed: u64, job: &Job, played: &Simulated) -> Result<()> {
    let trace = played.outcome.trace.as_deref().ok_or_else(|| anyhow!("no trace was written"))?;
    let truth = TruthFile {
        file: &job.file,
        game: job.number,
        seed,
        time_control: played.play.control.control.to_string(),
        time_control_derived: played.play.control.derived,
        result: &job.sheet.result,
        illegal_tail: job.sheet.illegal_tail.as_deref(),
        truth: &played.play.truth,
    };
    let (truth, hands) = (serde_json::to_string(&truth)?, played.play.script.to_string());
    for (ending, text) in [("trace", trace), ("truth.json", &truth), ("script", &hands)] {
        let path = dir.join(format!("{name}.{ending}"));
        std::fs::write(&path, text).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}
