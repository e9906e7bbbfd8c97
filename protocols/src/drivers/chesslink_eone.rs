//! Supports the Millennium eONE, a board of the ChessLink family that senses occupied squares but does not identify pieces. It
//! uses the driver of [`chesslink`].
//!
//! ```text
//!  board to host
//!    73  64 letters xx  's'      all squares: a letter only shows that the square is occupied
//! ```
//!
//! After a piece was adjusted or a move was taken back, its letters may be wrong. The sources disagree on the version number of
//! an eONE, so the configuration names the driver. Page: `chesslink/README.md#7`.

use alloc::boxed::Box;

use super::chesslink::{self, session};
use crate::driver::{Capabilities, DriverInfo, Example};

/// The row of this family in the registry of all families.
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
