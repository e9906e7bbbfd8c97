//! Millennium eONE: a board of the ChessLink family that senses that something stands on a square, not what. The driver is that of
//! [`chesslink`].
//!
//! ```text
//!  board to host
//!    73  64 letters xx  's'      all squares: a letter is what the board takes a man for, and says no more than that one is there
//! ```
//!
//! After a man was adjusted or a move taken back its letters may be wrong, and which version is an eONE's the sources do not agree
//! on: the configuration says it. Page: `chesslink/README.md#7`.

use alloc::boxed::Box;

use super::chesslink::{self, session};
use crate::driver::{Capabilities, DriverInfo, Example};

/// The row of the registry.
pub const INFO: DriverInfo = DriverInfo {
    name: "chesslink_eone",
    devices: &["Millennium ChessLink: eONE"],
    usb: &[],
    capabilities: Capabilities { identifies_pieces: false, ..chesslink::INFO.capabilities },
    examples: &[
        Example::new(
            b"sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr73",
            "Frame(????????/????????/8/8/8/8/????????/????????)",
        ),
        Example::new(b"v020074", "Firmware(2, 0)"),
    ],
    make: || Box::new(session::Session::for_occupancy()),
    ..chesslink::INFO
};
