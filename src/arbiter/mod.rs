//! Arbiters' commands: what arrives, who may do it, what is answered (`mqtt.md` section 5).
//!
//! ```text
//! topic, payload ── read ──▶ Submission ── Station::admit ──▶ Recorded ── journal ──▶ Station::feed ──▶ Reply, Errand, audit
//! ```
//!
//! Admission is done once, when the command arrives, and recorded with it: a replay takes the verdict as it stands. Its order:
//! the same again, role, readable, known, age, lock, body. Every command, admitted or refused, stands in the audit exactly once;
//! the same one again is answered as before and does nothing.
//!
//! Who may do what, and what must be locked, is the table in [`verbs`].

mod admit;
mod memory;
mod rate;
mod read;
mod types;
pub mod verbs;

pub use admit::{Facts, MAX_AGE, admit, role_of};
pub use memory::Memory;
pub use rate::RateLimit;
pub use read::{MAX_PAYLOAD, read};
pub use types::{Action, Code, Errand, Expect, Fault, Recorded, Reply, ReplyTo, Stage, Submission, Verdict};
