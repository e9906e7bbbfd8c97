//! Bounds in seconds. They hold on a machine without other work: `tests/soak` runs the tests with bounds alone and asserts the bounds as
//! they are written. In an ordinary run the programs share the cores, and a bound only shows that nothing hangs.

use std::fmt::Display;
use std::time::Duration;

/// `tests/soak` sets this variable.
const STRICT: &str = "FLAGFALL_STRICT_SECONDS";
/// Work that takes longer than this hangs.
const HUNG: Duration = Duration::from_secs(15);

/// Whether the tests run alone, so that bounds in seconds hold and long runs disturb nobody.
pub(crate) fn is_strict() -> bool {
    #[allow(clippy::disallowed_methods, reason = "a test learns from its environment whether it runs alone")]
    let strict = std::env::var_os(STRICT).is_some();
    strict
}

/// Fails if `what` took longer than `bound`.
#[track_caller]
pub(crate) fn assert_within(took: Duration, bound: Duration, what: impl Display) {
    let allowed = if is_strict() { bound } else { bound.max(HUNG) };
    assert!(took <= allowed, "{what}: it took {took:?}, and {bound:?} are allowed");
}

/// Like [`assert_within`] in microseconds, the unit of the stamps of links.
#[track_caller]
pub(crate) fn within(took: u64, bound: u64) {
    assert_within(Duration::from_micros(took), Duration::from_micros(bound), "it came late");
}
