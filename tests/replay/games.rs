//! Whole games from hand motions: random legal ones, in every manner in which hands make moves, at several speeds; and
//! the same games told otherwise (`reconstruct/README.md#7`).

mod equivalent_reports;
mod exact;
pub(crate) mod hands;
pub(crate) mod legal;
