//! Seeds: a few in the ordinary run, more if `INVARIANTS_SEEDS` says how many; a failure names the one that repeats it.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `one` for `count` seeds from `first` on, or for as many as `INVARIANTS_SEEDS` says.
#[track_caller]
pub(crate) fn each(first: u64, count: u64, mut one: impl FnMut(u64)) {
    let said = std::env::var("INVARIANTS_SEEDS").ok();
    let count = said.map_or(count, |said| said.parse().expect("INVARIANTS_SEEDS is a number"));
    let mut failed = Vec::new();
    for seed in first..first + count {
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| one(seed))) {
            let words = cause.downcast_ref::<String>().cloned();
            let words = words.or_else(|| cause.downcast_ref::<&str>().map(|words| (*words).to_owned()));
            failed.push(format!("seed {seed}: {}", words.unwrap_or_default()));
        }
    }
    assert!(failed.is_empty(), "{} of {count} seeds fail:\n{}", failed.len(), failed.join("\n"));
}
