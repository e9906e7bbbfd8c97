//! The pages in a real Chromium: what arbiters, commentators and volunteers see, and what nobody may see (`tests/screens/README.md`).

#[path = "../daemon/rig.rs"]
#[allow(dead_code, reason = "the daemon's own tests use more of it")]
mod rig;
#[path = "support/mod.rs"]
mod stage;
#[path = "../support/mod.rs"]
mod support;

mod connection;
mod flag_to_ruling;
mod not_live;
mod players_see_nothing;
mod untrusted;
