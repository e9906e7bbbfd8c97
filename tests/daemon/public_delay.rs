//! Nothing is public early: over restarts, with wall clocks that jump by an hour, and in the whole daemon.

mod jumps;
mod process;
