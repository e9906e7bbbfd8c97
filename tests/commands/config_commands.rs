//! `flagfall check-config` and `flagfall doctor` as processes.

mod check;
mod doctor;
pub(crate) mod program;
