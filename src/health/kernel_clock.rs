//! What the kernel knows of its clock: adjtimex(2) without setting anything.

/// What the kernel says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Some program keeps the clock.
    pub(super) synchronised: bool,
    /// How far off it may be.
    pub(super) max_error_ms: u32,
}

/// Asks; none where a sandbox does not let us.
#[allow(unsafe_code, reason = "no crate wraps this call")]
pub(super) fn state() -> Option<State> {
    // SAFETY: `timex` holds integers only, for which zeros are valid; `modes` = 0 means that nothing is set.
    let mut found: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a `timex` of our own, which the call fills and does not keep.
    let state = unsafe { libc::adjtimex(&mut found) };
    if state < 0 {
        return None;
    }
    let synchronised = state != libc::TIME_ERROR && found.status & libc::STA_UNSYNC == 0;
    let max_error_ms = u32::try_from(found.maxerror.max(0).saturating_add(999) / 1000).unwrap_or(u32::MAX);
    Some(State { synchronised, max_error_ms })
}
