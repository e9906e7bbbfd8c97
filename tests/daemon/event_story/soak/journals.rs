//! The nodes' journals: what was sent last, and whether a replay gives what was sent.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use flagfall::journal::{Disk, read};
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::verify::verify as replay_verify;
use flagfall::system_clock::{MonotonicTime, monotonic};
use flagfall_protocols::trace::{Audience, Trace};

use super::super::hall::Hall;
use crate::support::waiting::thread;

/// Threads that verify.
const AT_ONCE: usize = 2;
/// Journals that are kept.
const KEPT: usize = 5;

/// The name of each series of numbers with its last number.
pub(super) fn last_numbers(hall: &Hall) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    for (board, folder) in (1..).zip(hall.journals()) {
        let board: usize = board;
        let recovered = read(&mut Disk::reading(&folder)).expect("a journal");
        let last = |audience: Audience| recovered.standing.next_out(audience) - 1;
        all.extend(Audience::ALL.map(|audience| (format!("{}/open26/{board}", audience.name()), last(audience))));
    }
    all
}

/// The files of a round.
pub(super) fn of_round(hall: &Hall, round: u32) -> Vec<PathBuf> {
    let part = format!("-open26-r{round}-b");
    all(hall).into_iter().filter(|file| file.to_str().is_some_and(|name| name.contains(&part))).collect()
}

/// All files.
pub(super) fn all(hall: &Hall) -> Vec<PathBuf> {
    let folders: BTreeSet<PathBuf> = hall.journals().iter().filter_map(|folder| folder.parent().map(Path::to_owned)).collect();
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let boards = folders.iter().flat_map(|folder| entries(folder));
    let files = boards.flat_map(|board| entries(&board));
    files.filter(|file| file.extension().is_some_and(|ending| ending == "journal")).collect()
}

/// What the replays said.
#[derive(Default)]
pub(super) struct Digests {
    /// Journals whose replay is what was sent.
    pub(super) same: u64,
    /// The others, each with the last lines that were printed.
    pub(super) different: Vec<String>,
    /// Journals for which there was no time.
    pub(super) open: u64,
}

/// A journal that differs, with words about it.
type Verdict = Result<(), (PathBuf, String)>;

/// Verifies journals beside everything else.
#[derive(Default)]
pub(super) struct Verifier {
    known: BTreeSet<PathBuf>,
    channels: Vec<(SyncSender<PathBuf>, Receiver<Verdict>)>,
    given: u64,
}

impl Verifier {
    /// Adds files; a file that is known is not verified again.
    pub(super) fn add(&mut self, files: Vec<PathBuf>) {
        while self.channels.len() < AT_ONCE {
            let (files, jobs) = sync_channel::<PathBuf>(10_000);
            let (answers, results) = sync_channel(10_000);
            thread("verifier", move || {
                jobs.iter().try_for_each(|file| answers.send(verify(&file).map_err(|words| (file, words))))
            });
            self.channels.push((files, results));
        }
        for file in files.into_iter().filter(|file| self.known.insert(file.clone())) {
            let channel = &self.channels[self.given as usize % AT_ONCE];
            channel.0.send(file).expect("a verifier");
            self.given += 1;
        }
    }

    /// Waits for the results, at most until this time. The first journals that differ are copied into this folder.
    pub(super) fn end(&mut self, until: MonotonicTime, keep: &Path) -> Digests {
        let mut digests = Digests::default();
        for (files, results) in self.channels.drain(..) {
            drop(files);
            while let Ok(result) = results.recv_timeout(until.since(monotonic())) {
                match result {
                    Ok(()) => digests.same += 1,
                    Err((file, words)) => {
                        if digests.different.len() < KEPT {
                            _ = std::fs::copy(&file, keep.join(file.file_name().unwrap_or_default()));
                        }
                        digests.different.push(words);
                    }
                }
            }
        }
        digests.open = self.given - digests.same - digests.different.len() as u64;
        digests
    }
}

/// Verifies a journal as `flagfall replay --verify` does.
fn verify(file: &Path) -> Result<(), String> {
    let fault = |error: &dyn Display| format!("{}: {error}", file.display());
    let text = std::fs::read(file).map_err(|error| fault(&error))?;
    let trace = Trace::new(&text).map_err(|error| fault(&error))?;
    let setting = Setting::from_trace(&trace, &Overrides::default()).map_err(|error| fault(&error))?;
    let verified = replay_verify(&trace, &setting).map_err(|error| fault(&error))?;
    let first: Vec<String> = verified.differences.iter().take(2).map(ToString::to_string).collect();
    let words = || fault(&format!("{} of {} outputs differ: {}", verified.differing, verified.compared, first.join("; ")));
    if verified.differing == 0 { Ok(()) } else { Err(words()) }
}
