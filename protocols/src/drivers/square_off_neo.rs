//! Supports the Square Off Neo with the maker's later firmware, which uses the messages of [`square_off`](super::square_off)
//! and three more channels.
//!
//! ```text
//!  channel 0, both ways     the text of ../square_off/mod.rs, less events: code '#' body '*'
//!
//!  channel 1, board to host   no mark at either end
//!    e2u   e4d              a piece was lifted from e2, put down on e4
//!    OK                     the motor has moved a piece
//!
//!  channel 2, board to host   no mark at either end, every two seconds
//!    1100…                  all squares, 64 characters file by file: a1 … a8 b1 … h8, 1 = occupied
//!
//!  channel 3, board to host
//!    pp                     the standard 2a19: battery, percent
//! ```
//!
//! The motor's routes and the board's signals use other characteristics, which are never written. Page:
//! `square_off/README.md#3`.

use alloc::boxed::Box;
use core::time::Duration;

use super::square_off::{SCAN, harmless, session};
use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};

const fn notifies(characteristic: u128, optional: bool) -> Channel {
    Channel { write: None, notify: Some(characteristic), optional }
}

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "square_off_neo",
    devices: &["Square Off Neo"],
    usb: &[],
    ble: Some(Ble {
        names: &["Square Off Neo"],
        channels: &[
            Channel::NORDIC_UART,
            notifies(0x4496994f_2600_4e7e_81d5_e0f7b67ebd48, false),
            notifies(0x777ac5a4_6fa8_474b_841d_091bd57d28c4, false),
            // The system may reserve this one.
            notifies(0x00002a19_0000_1000_8000_00805f9b34fb, true),
        ],
    }),
    hid: None,
    // There is no cable. The value is only for a bridge that replaces the radio.
    baud: 115_200,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: false, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    timing: Timing { scan: SCAN, press_delay: Duration::ZERO, in_turn: false },
    harmless,
    examples: &[
        Example { channel: 1, bytes: b"e2u", read: "Square { square: e2, reading: Empty }" },
        Example { channel: 1, bytes: b"e4d", read: "Square { square: e4, reading: Occupied }" },
        Example {
            channel: 2,
            bytes: b"1100001111000011110000111100001111000011110000111100001111000011",
            read: "Frame(????????/????????/8/8/8/8/????????/????????)",
        },
        Example::new(
            b"30#1100001111000011110000111100001111000011110000111100001111000010*",
            "Frame(???????1/????????/8/8/8/8/????????/????????)",
        ),
        Example { channel: 3, bytes: &[73], read: "percent: 73" },
    ],
    make: || Box::new(session::Session::default()),
};
