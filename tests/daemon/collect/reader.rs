//! A program that reads the games of a round again and again, as those for broadcasts do.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::system_clock::{Utc, utc};

use crate::support::waiting::{pause, thread};

/// The half-moves of each board of a text, all of which have a time.
pub(crate) fn plies(text: &str) -> BTreeMap<u32, usize> {
    let boards = text.split("[Event ").filter_map(|game| {
        let number = game.split_once("[Board \"")?.1.split('"').next()?.parse().ok()?;
        Some((number, game.matches("[%clk").count()))
    });
    boards.collect()
}

/// The same for a file.
pub(crate) fn plies_by_board(games: &Path) -> BTreeMap<u32, usize> {
    plies(&std::fs::read_to_string(games).unwrap_or_default())
}

/// The boards with fewer half-moves in the second text than in the first.
pub(crate) fn shorter(before: &BTreeMap<u32, usize>, after: &BTreeMap<u32, usize>) -> Vec<String> {
    let has = |board: &u32| after.get(board).copied().unwrap_or_default();
    let shorter = before.iter().filter(|(board, plies)| has(board) < **plies);
    shorter.map(|(board, plies)| format!("board {board}: {} after {plies}", has(board))).collect()
}

/// What a reader found.
#[derive(Default)]
pub(crate) struct Read {
    /// Each game that got shorter.
    pub(crate) faults: Vec<String>,
    /// Every version with its half-moves, and when it had been read.
    pub(crate) versions: Vec<(Utc, BTreeMap<u32, usize>)>,
}

/// Reads again and again, until it is stopped.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Read>,
}

impl Watch {
    /// Reads every version of this file.
    pub(crate) fn start(games: PathBuf) -> Watch {
        let mut seen = None;
        Watch::reading(Duration::from_millis(3), move || {
            let file = std::fs::metadata(&games).ok().map(|file| (file.ino(), file.mtime_nsec(), file.len()));
            let is_new = file.is_none() || seen != file;
            seen = file;
            is_new.then(|| std::fs::read_to_string(&games).unwrap_or_default())
        })
    }

    /// Reads with this function once in this time; none: there is nothing new.
    pub(crate) fn reading(every: Duration, mut read: impl FnMut() -> Option<String> + Send + 'static) -> Watch {
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let thread = thread("reader", move || {
            let (mut before, mut all) = (BTreeMap::new(), Read::default());
            while !stopped.load(Ordering::Relaxed) {
                if let Some(text) = read() {
                    let found = plies(&text);
                    all.faults.extend(shorter(&before, &found));
                    if found != before {
                        all.versions.push((utc(), found.clone()));
                    }
                    before = found;
                }
                pause(every);
            }
            all
        });
        Watch { stop, thread }
    }

    pub(crate) fn stop(self) -> Read {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("no panic")
    }
}
