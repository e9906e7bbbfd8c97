//! The session of a DGT board in simulated time: what it asks when, and what it makes of answers that are lost, late, doubled.

mod board;
mod clock;
mod log;
mod start;
mod sync;
