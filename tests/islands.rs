//! A station is an island: garbage, silence, a held port, a panic or a hang on one board, and all others go on as if nothing
//! had happened.
#![cfg(feature = "broker")]

mod daemon_support;
mod support;

#[path = "islands/core.rs"]
mod core;
#[path = "islands/faulty.rs"]
mod faulty;
#[path = "islands/hang.rs"]
mod hang;
#[path = "islands/link.rs"]
mod link;
#[path = "islands/panic.rs"]
mod panic;
