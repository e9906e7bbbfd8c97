//! Reads the commands of arbiters and operators, decides whether each is carried out, and records the decision
//! (`wire/README.md#5`).
//!
//! ```text
//! topic, payload ── read ──▶ Submission ── Station::admit ──▶ Recorded ── journal ──▶ Station::feed ──▶ Reply, DaemonAction, audit
//! ```
//!
//! The admission is done once, when the command arrives, and recorded with it: a replay uses the recorded verdict. Its order is:
//! role, repetition, readable, known, age, lock, body. Every command of a user with a role, admitted or refused, is in the audit
//! exactly once. A repeated command gets the same answer and has no effect. Of a command that is not carried out, the record has at
//! most the first [`MAX_REFUSED_BODY`] bytes of the body, with its length and checksum.
//!
//! Some commands are not recorded, and so not in the audit: commands beyond the rate of their sender, payloads that are too long,
//! commands that found their station's inbox full, commands for a board that another node serves, and, except for a few a minute,
//! commands of users without a role. The daemon refuses them before they reach a station, answers some and counts the others in
//! its log.
//!
//! The table in [`verbs`] says which role each command needs, and what the sender must know about the present state.

mod admit;
mod explain;
mod memory;
mod rate;
mod read;
mod types;
pub mod verbs;

pub use admit::{Configured, Facts, MAX_AGE, NO_ROLE, Setup, admit, current_finding, role_of};
pub use memory::Memory;
pub use rate::RateLimit;
pub use read::{MAX_PAYLOAD, read};
pub use types::{Action, Expect, Fault, MAX_REFUSED_BODY, Recorded, Submission, UnusedTime, Verdict};

pub use crate::wire::command::DaemonAction;
pub use crate::wire::reply::{Code, Reply, ReplyTo, Stage};
