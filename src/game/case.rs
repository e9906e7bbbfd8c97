//! A game as the Laws look at it: what they may read, and nothing to change.

use flagfall_protocols::time::Instant;

use crate::alarm::Alarms;
use crate::desk::Desk;
use crate::irregular::Irregularities;
use crate::seen::Seen;

/// The facts of a game at one moment; what the tables ask is made of them in `facts`, `at_fall`, `penalties` and `evidence`.
pub(crate) struct Case<'a> {
    pub(crate) now: Instant,
    pub(crate) seen: &'a Seen,
    pub(crate) irregular: &'a Irregularities,
    pub(crate) alarms: &'a Alarms,
    pub(crate) desk: &'a Desk,
}
