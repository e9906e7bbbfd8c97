//! Asks the kernel whether its clock is synchronised, with the system call adjtimex(2), which changes nothing here.

/// The kernel's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// A program keeps the clock synchronised.
    pub(super) synchronised: bool,
    /// The largest error, in milliseconds.
    pub(super) max_error_ms: u32,
}

/// Asks the kernel; none where a sandbox forbids it.
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
