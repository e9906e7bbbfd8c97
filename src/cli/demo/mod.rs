//! Runs `flagfall demo`: plays two games on emulated boards with the daemon and a broker, and shows what a subscriber and an
//! arbiter receive.

#[cfg(all(feature = "broker", feature = "screens"))]
mod browser;
pub mod check;
#[cfg(feature = "broker")]
mod logins;
#[cfg(all(feature = "broker", feature = "outputs"))]
mod pgn_file;
#[cfg(feature = "broker")]
mod screen;
#[cfg(feature = "broker")]
mod show;
#[cfg(feature = "broker")]
mod simulated_hall;
#[cfg(feature = "broker")]
mod subscriber;
#[cfg(feature = "broker")]
mod terminal;
mod topic;
pub mod view;

#[cfg(feature = "broker")]
pub(super) use screen::Demo;
