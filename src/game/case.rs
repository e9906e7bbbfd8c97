//! Defines the view of a game to which the Laws are applied: they may read everything in it and change nothing.

use flagfall_protocols::time::Instant;

use crate::alarm::Alarms;
use crate::arbiter_entries::ArbiterEntries;
use crate::irregular::Irregularities;
use crate::seen::Seen;

/// The facts of a game at one moment. `facts`, `flag_context`, `counted`, `penalties` and `evidence` turn them into the input of the
/// tables.
pub(crate) struct Case<'a> {
    pub(crate) now: Instant,
    pub(crate) seen: &'a Seen,
    pub(crate) irregular: &'a Irregularities,
    pub(crate) alarms: &'a Alarms,
    pub(crate) entries: &'a ArbiterEntries,
}
