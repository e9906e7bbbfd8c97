//! Supports boards of the Gameboard UI Protocol (Affelino), which use lines of text and have a sensor and lights at every
//! square.
//!
//! ```text
//!  board to host      2d 66 32 0d   '-' f2       something was lifted from f2                    message.rs
//!                     2b 66 34 0d   '+' f4       something was put on f4
//!                     23 36 30 0d   '#' 60       answer for a square, hex: 40 something stands there, low six bits pieces
//!                     64 letters 0d              all squares from a1, "RNBQKBNRPPPPPPPP....", '.' free
//!
//!  host to board      3f 65 31 0d   '?' e1       does something stand on e1?                     host.rs
//!                     2d 2b 2a 21 5e 2e …        '-' '+' '*' '!' '^' '.' and a square: lights    never sent by us
//!                     53, 64 letters 0d          'S': what stands where                          never sent by us
//!
//!  a line ends with 0d; white space parts the messages of a line                                 framing.rs
//! ```
//!
//! `session.rs` is the driver and `square_poller.rs` sends its questions. The page defines three levels of boards; boards of
//! the two lower levels may answer nothing. It names no USB ids and no baud rates. The two published firmwares use WLAN, end
//! lines with 0a and answer nothing. The firmware of level 0.1 does not report that a second piece is lifted while one is in
//! the hand.
//!
//! Source: the protocol's own page (github.com/Affelino/gameboard-ui-protocol, CC BY 4.0; facts only), evidence B
//! (`protocols/README.md#4`).

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Capabilities, DriverInfo, Example, Timing};

pub mod framing;
pub mod host;
pub mod message;
pub mod session;
mod square_poller;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "gameboard",
    devices: &["Boards of the Gameboard UI Protocol (Affelino, NoEi)"],
    usb: &[],
    ble: None,
    hid: None,
    // Assumed: the usual rate of the controllers that the page names.
    baud: 115_200,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: false, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    // The published firmwares scan a rank every one or two milliseconds, and report a state that they saw four times.
    timing: Timing { scan: Duration::from_millis(100), press_delay: Duration::ZERO, in_turn: false },
    harmless: |channel, bytes| channel == 0 && matches!(bytes, [b'?', b'a'..=b'h', b'1'..=b'8', b'\r']),
    examples: &[
        Example::new(b"-e2\r", "square: e2, reading: Empty"),
        Example::new(b"+e4\r", "square: e4, reading: Occupied"),
        Example::new(b"-e4 -d5\r\n", "square: d5, reading: Empty"),
        Example::new(b"RNBQKBNRPPPPPPPP................................pppppppprnbqkbnr\r", "Frame("),
    ],
    make: || Box::new(session::Session::default()),
};
