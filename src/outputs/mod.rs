//! Makes what broadcast receivers read, from published states, and what programs on this machine read, from the boards themselves.
//! Only [`tap`] and the server of `livechess` wait for anybody; everything else is text from values. The formats are in
//! `outputs/README.md`.

pub mod archive;
pub mod board_games;
pub mod lcc;
#[cfg(feature = "outputs")]
pub mod livechess;
pub mod moves_parts;
pub mod names;
pub mod pgn;
pub mod picture;
pub mod round;
pub mod tap;
