//! The session of a DGT board in simulated time: what it asks when, and what it makes of answers that are lost, late, doubled.

#[path = "session/board.rs"]
mod board;
#[path = "session/clock.rs"]
mod clock;
mod common;
#[path = "session/log.rs"]
mod log;
#[path = "session/start.rs"]
mod start;
#[path = "session/sync.rs"]
mod sync;
