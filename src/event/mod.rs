//! Keeps the event of an organiser: its file, the import of pairings, the boards' devices, the messages below `meta/`, the results,
//! and the check whether a round can begin (`wire/README.md#11`).

#[cfg(feature = "tools")]
pub mod bind;
#[cfg(feature = "tools")]
pub mod export;
pub mod follow;
#[cfg(feature = "tools")]
pub mod import;
pub mod model;
#[cfg(feature = "tools")]
pub mod plan;
pub mod problems;
#[cfg(feature = "tools")]
pub mod ready;
