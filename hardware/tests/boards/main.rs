//! Tests of emulated boards and clocks, without and with their drivers, in simulated time. No test waits.

#[path = "../../../tests/support/seeds.rs"]
mod seeds;

mod boards;
mod certabo;
mod chessnut;
mod clock_model;
mod clock_way;
mod clockless;
mod common;
mod dgt3000_gateway;
mod dgt_bus;
mod emulator;
mod emulator_log;
mod every_board;
mod every_clock;
mod gameboard;
mod rig;
mod scan;
mod script;
mod square_off;
mod unreliable;
