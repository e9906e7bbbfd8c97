//! Tests of codecs, sessions and trace lines through the public functions of the crate. No real time passes, and no test waits.

#[path = "../../../tests/support/seeds.rs"]
mod seeds;

mod ble_vectors;
mod certabo;
mod chesslink;
mod chessnut;
mod chessnut_vectors;
mod chessup;
mod common;
mod dgt3000_gateway;
mod dgt3000_gateway_text;
mod dgt_bus;
mod dgt_bus_line;
mod fuzz;
mod gameboard;
mod hid;
mod hos;
mod ichessone;
mod pegasus;
mod round_trip;
mod session;
mod shared_driver;
mod square_off;
mod square_off_vectors;
mod trace;
mod vectors;
