//! The pages in a real Chromium: what arbiters, commentators and volunteers see, and what nobody may see (`tests/screens/README.md`).

#[path = "../daemon/rig.rs"]
#[allow(dead_code, reason = "the daemon's own tests use more of it")]
mod rig;
#[path = "support/mod.rs"]
mod stage;
#[path = "../support/mod.rs"]
mod support;

mod accessible;
mod alarms;
mod commands;
mod connection;
mod earlier_moves;
mod finding_states;
mod flag_to_ruling;
mod keyboard;
mod lock;
mod not_live;
mod overlay;
mod phone;
mod pictures;
mod players_see_nothing;
mod public_user_guard;
mod record;
mod set_up;
mod sound;
mod untrusted;
mod wall;
mod weight;
