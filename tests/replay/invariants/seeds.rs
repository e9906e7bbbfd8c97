//! Seeds: a few in the ordinary run, more if `INVARIANTS_SEEDS` says how many, or the one that `INVARIANTS_SEED` names; a failure
//! names the one that repeats it.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number in this variable of the environment.
#[allow(clippy::disallowed_methods, reason = "a test is told by its environment how long to run")]
fn said(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// The ordinary seeds run, all of them.
pub(crate) fn ordinary() -> bool {
    said("INVARIANTS_SEEDS").is_none() && said("INVARIANTS_SEED").is_none()
}

/// Runs `one` for `count` seeds from `first` on, or for as many as `INVARIANTS_SEEDS` says.
#[track_caller]
pub(crate) fn each(first: u64, count: u64, mut one: impl FnMut(u64)) {
    let count = said("INVARIANTS_SEEDS").unwrap_or(count);
    let named = said("INVARIANTS_SEED");
    let mut failed = Vec::new();
    let wanted = |seed: &u64| named.is_none_or(|named| named == *seed);
    for seed in (first..first + count).filter(wanted) {
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| one(seed))) {
            let words = cause.downcast_ref::<String>().cloned();
            let words = words.or_else(|| cause.downcast_ref::<&str>().map(|words| (*words).to_owned()));
            failed.push(format!("seed {seed}: {}", words.unwrap_or_default()));
        }
    }
    assert!(failed.is_empty(), "{} of {count} seeds fail:\n{}", failed.len(), failed.join("\n"));
}
