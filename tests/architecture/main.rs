//! The rules of the workspace that a compiler does not know, each a test of its own.
//!
//! `rules.rs`, `clippy.toml` and `deny.toml` have the tables of rules and exceptions; the modules only check them. Every check is also
//! tried on a small bad example, so that a rule that can no longer fail is found.

mod bans;
mod campaigns;
mod crates;
mod dependencies;
mod drivers;
mod files;
mod floors;
mod habits;
mod lexer;
mod lists;
mod logs;
mod metadata;
mod pages;
mod rings;
mod rules;
mod settings;
mod source;
mod spdx;
mod systemd;
mod topics;
mod web;

/// Fails with every problem found, one a line: `file:line: what is wrong`.
#[track_caller]
fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{} problem(s):\n{}", problems.len(), problems.join("\n"));
}
