//! Bounds in seconds hold on a machine that does nothing else. `tests/soak` runs the tests that have them by themselves and asserts
//! them as they are written; in an ordinary run, whose programs share the cores, a bound only says that nothing hangs.

use std::fmt::Display;
use std::time::Duration;

/// Set by `tests/soak`.
const STRICT: &str = "FLAGFALL_STRICT_SECONDS";
/// What takes longer hangs.
const HUNG: Duration = Duration::from_secs(15);

/// Fails if `what` took longer than `bound`.
#[track_caller]
pub(crate) fn assert_within(took: Duration, bound: Duration, what: impl Display) {
    #[allow(clippy::disallowed_methods, reason = "a test learns from its environment whether it runs alone")]
    let strict = std::env::var_os(STRICT).is_some();
    let allowed = if strict { bound } else { bound.max(HUNG) };
    assert!(took <= allowed, "{what}: {took:?}, where {bound:?} are allowed");
}

/// The same in microseconds, as links stamp what they tell.
#[track_caller]
pub(crate) fn within(took: u64, bound: u64) {
    assert_within(Duration::from_micros(took), Duration::from_micros(bound), "it came late");
}
