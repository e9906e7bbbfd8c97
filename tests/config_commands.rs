//! `flagfall check-config` and `flagfall doctor` as programs.

#[path = "config/check.rs"]
mod check;
#[path = "config/doctor.rs"]
mod doctor;
#[path = "config/program.rs"]
mod program;
