//! `flagfall check-config` and `flagfall doctor` as programs.

mod check;
mod doctor;
mod program;
