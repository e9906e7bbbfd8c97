//! Makes the texts that broadcast receivers read, from published states. It has no files, no network and no clock: a state goes in,
//! text comes out. The formats are in `outputs/README.md`.

pub mod lcc;
pub mod names;
pub mod pgn;
pub mod picture;
pub mod round;
