//! `flagfall demo`: what it shows, and how it knows that everything arrived.

pub mod check;
mod topic;
pub mod view;
