//! The journal on faulty disks: power cuts, damage, a killed program.

#[path = "../support/mod.rs"]
mod support;

mod commit_log;
mod decisions_on_disk;
mod journal_cap;
mod journal_damage;
mod journal_disk;
mod journal_errors;
mod journal_power_cut;
mod kill9;
mod restated;
