//! `flagfall demo`: two emulated boards, the daemon, a broker, and what a subscriber and an arbiter see.

pub mod check;
#[cfg(feature = "broker")]
mod screen;
#[cfg(feature = "broker")]
mod simulated_hall;
#[cfg(feature = "broker")]
mod subscriber;
mod topic;
pub mod view;

#[cfg(feature = "broker")]
pub(super) use screen::Demo;
