//! Each station is isolated: garbage, silence, a held port, a panic or a hang on one board changes nothing for the others.
#![cfg(feature = "broker")]

mod core;
mod faulty;
mod hang;
mod link;
mod panic;
