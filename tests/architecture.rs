//! The rules of the workspace that a compiler does not know, each a test of its own.
//!
//! What is allowed, banned and excused stands in `architecture/rules.rs`, in `clippy.toml` and in `deny.toml`; the modules only
//! look. Every look is also tried on a small bad example, so that a rule which can no longer fail is noticed.

#[path = "architecture/bans.rs"]
mod bans;
#[path = "architecture/crates.rs"]
mod crates;
#[path = "architecture/dependencies.rs"]
mod dependencies;
#[path = "architecture/drivers.rs"]
mod drivers;
#[path = "architecture/files.rs"]
mod files;
#[path = "architecture/habits.rs"]
mod habits;
#[path = "architecture/lexer.rs"]
mod lexer;
#[path = "architecture/lists.rs"]
mod lists;
#[path = "architecture/metadata.rs"]
mod metadata;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/settings.rs"]
mod settings;
#[path = "architecture/source.rs"]
mod source;
#[path = "architecture/spdx.rs"]
mod spdx;
#[path = "architecture/topics.rs"]
mod topics;

/// Fails with every problem found, one a line: `file:line: what is wrong`.
#[track_caller]
fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{} problem(s):\n{}", problems.len(), problems.join("\n"));
}
