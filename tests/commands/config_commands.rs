//! `flagfall check-config` and `flagfall doctor` as processes.

mod check;
mod doctor;
mod program;
