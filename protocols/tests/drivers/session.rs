//! The session of a DGT board in simulated time: which questions it asks and when, and how it handles answers that are lost,
//! late or doubled.

mod board;
mod clock;
mod log;
mod start;
mod sync;
