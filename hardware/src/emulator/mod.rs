//! An emulated DGT board with its clock: it answers a host byte for byte as `dgt-board.md` section 10 says, and does by itself
//! what hands do to it ([`script`]).
//!
//! Nothing here does IO or reads a clock. [`rig`] runs a driver against it in simulated time; a program that has a link feeds
//! it from there.

pub mod clock;
pub mod clock_model;
pub mod rig;
pub mod scan;
pub mod script;

mod answers;
mod board;
mod line;
mod memory;
mod port;
mod settings;
mod table;

pub use board::{Counters, Emulator};
pub use settings::{Quirks, Settings};
pub use table::Impossible;
