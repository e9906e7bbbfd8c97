//! Nothing is public early: over restarts, wall clocks that jump by an hour, and through the whole daemon.

mod jumps;
mod process;
