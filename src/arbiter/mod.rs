//! Arbiters' commands: what arrives, who may do it, what is answered (`mqtt.md` section 5).

mod types;

pub use types::{Code, Expect, Reply, Stage, Submission};
