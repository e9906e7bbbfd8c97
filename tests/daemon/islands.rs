//! A station is an island: garbage, silence, a held port, a panic or a hang on one board, and all others go on as if nothing
//! had happened.
#![cfg(feature = "broker")]

mod core;
mod faulty;
mod hang;
mod link;
mod panic;
