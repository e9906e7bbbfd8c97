//! Arbiters' commands: what arrives, who may do it, what is answered (`wire/README.md#5`).
//!
//! ```text
//! topic, payload ── read ──▶ Submission ── Station::admit ──▶ Recorded ── journal ──▶ Station::feed ──▶ Reply, Errand, audit
//! ```
//!
//! Admission is done once, when the command arrives, and recorded with it: a replay takes the verdict as it stands. Its order:
//! role, the same again, readable, known, age, lock, body. Every command of a user with a role, admitted or refused, stands in the
//! audit exactly once; the same one again is answered as before and does nothing.
//!
//! What is not recorded, and so not in the audit: commands beyond the rate of their sender, payloads that are too long, commands
//! that found their station's inbox full, those for a board that another node serves, and, but for a few a minute, those of users
//! without a role. The daemon turns them away before they reach a station, answers some and counts the others in its log.
//!
//! Who may do what, and what must be locked, is the table in [`verbs`].

mod admit;
mod memory;
mod rate;
mod read;
mod types;
pub mod verbs;

pub use admit::{Facts, MAX_AGE, NO_ROLE, Setup, admit, present, role_of};
pub use memory::Memory;
pub use rate::RateLimit;
pub use read::{MAX_PAYLOAD, read};
pub use types::{Action, Expect, Fault, Recorded, Submission, Verdict};

pub use crate::wire::command::Errand;
pub use crate::wire::reply::{Code, Reply, ReplyTo, Stage};
