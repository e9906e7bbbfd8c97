//! Memory, counted by an allocator of this program's own: bounded whatever comes, and none is asked for in a game.

mod counting;
mod memory;
mod trace;
