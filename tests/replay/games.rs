//! Whole random games from hand motions, in every manner and at several speeds; and the same games with equivalent reports
//! (`reconstruct/README.md#7`).

mod equivalent_reports;
pub(crate) mod exact;
pub(crate) mod hands;
pub(crate) mod legal;
mod lost_updates;
