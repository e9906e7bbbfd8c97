//! Tests of memory, which an allocator of this program counts: memory is bounded after any input, and a game in steady state
//! allocates nothing.

mod counting;
mod memory;
mod trace;
