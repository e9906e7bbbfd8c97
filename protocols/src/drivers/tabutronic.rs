//! Supports the boards Tabutronic Sentio and Tactum, and their Spectrum forms with coloured lights. They sense whether a square
//! is occupied.
//!
//! ```text
//!  board to host, unasked, a few times a second
//!    3a 32 35 35 20 … 20     ':' and 8 decimal numbers, a space after each: 8 ranks, the eighth first,
//!                            bit 7 = a … bit 0 = h, 1 = something stands there
//!    4c   44                 'L', 'D': lights are set
//! ```
//!
//! The boards use the framing and the session of the boards with tags: `super::certabo`. Page: `certabo/README.md`.

use alloc::boxed::Box;
use core::time::Duration;

use super::certabo::{BLE, Form, Session, USB, session};
use crate::driver::{Capabilities, DriverInfo, Example, Timing};

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "tabutronic",
    devices: &["Tabutronic Sentio", "Tactum", "Spectrum"],
    usb: USB,
    ble: BLE,
    hid: None,
    baud: 38_400,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: false, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    // These values apply until the pace of the board is known.
    timing: Timing { scan: session::delay(Form::Occupancy, session::USUAL_PACE), press_delay: Duration::ZERO, in_turn: false },
    harmless: |_, _| false,
    examples: &[
        Example::new(
            b":255 255 0 0 0 0 255 255 \r\n:255 255 0 0 0 0 255 255 \r\n:255 255 0 0 0 0 255 255 \r\n",
            "Frame(????????/????????/8/8/8/8/????????/????????)",
        ),
        Example::new(
            b":255 255 0 0 8 0 247 255 \r\nL\r\n:255 255 0 0 8 0 247 255 \r\n:255 255 0 0 8 0 247 255 \r\n",
            "Frame(????????/????????/8/8/4?3/8/????1???/????????)",
        ),
    ],
    make: || Box::new(Session::new(Form::Occupancy)),
};
