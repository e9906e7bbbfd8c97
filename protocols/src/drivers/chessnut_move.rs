//! Supports the Chessnut Move, a Chessnut board that can move its pieces. It uses the driver of [`chessnut`]; this file has the
//! additions.
//!
//! ```text
//!  host to board      29 01 00              as any Chessnut; its answer does not report the battery:  2a 02 00 00
//!                     41 01 0c              battery
//!                     42 21 …   43 20 …     moves pieces, coloured lights: never sent
//!
//!  board to host      channel 0: positions, none while pieces travel by themselves
//!                     channel 1
//!    41 03 0c  cc pp                        battery: cc = 1 charging, percent
//!    41 05 15  …                            what kind of board it is, layout unknown
//!    41 89 0b  34 × 4 bytes                 each piece: id, x, y, battery
//! ```
//!
//! The name identifies the kind of board, or the configuration does for a board by cable. The driver does not ask for the kind.
//! It is not certain that a Move communicates by cable. Page: `chessnut/README.md#6`.

use alloc::boxed::Box;

use super::chessnut::{self, session};
use crate::driver::{Ble, DriverInfo, Example};

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "chessnut_move",
    devices: &["Chessnut Move"],
    ble: Some(Ble { names: &["Chessnut Move"], channels: chessnut::CHANNELS }),
    harmless: |channel, bytes| channel == 0 && session::MOVE.asks(bytes),
    examples: &[
        chessnut::START,
        chessnut::E4,
        Example { channel: 1, bytes: &[0x41, 0x03, 0x0c, 0x00, 0x58], read: "percent: 88" },
        Example { channel: 1, bytes: &[0x41, 0x03, 0x0c, 0x01, 0x64], read: "charging: true" },
    ],
    make: || Box::new(session::Session::new(&session::MOVE)),
    ..chessnut::INFO
};
