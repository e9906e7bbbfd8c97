//! Keeps the event of an organiser: its file, the import of pairings, the boards' devices, the messages below `meta/`, the results,
//! and the check whether a round can begin (`wire/README.md#11`).

pub mod bind;
pub mod export;
pub mod follow;
pub mod import;
pub mod model;
pub mod plan;
pub mod problems;
pub mod ready;
