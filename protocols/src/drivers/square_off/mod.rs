//! Square Off boards: text over the Nordic UART; they sense that something stands on a square, not what. No clock.
//!
//! ```text
//!  host to board      code '#' body '*'                                                        host.rs
//!    30#R*  all squares   4#*  battery   25#e2e4*  lights   27#ck*  signals   14#1*  a game begins   1#*  address
//!
//!  board to host      code '#' body '*', in any number of notifications                        message.rs
//!    30#1100…*            all squares, 64 characters file by file: a1 … a8 b1 … h8, 1 = something stands there
//!    0#e2u*   0#e4d*      something was lifted from e2, put down on e4
//!    22#3.52*             volts of the battery; of the Neo 4#3752.50*, thousandths
//!    14#GO*   26#ISG*     a game begins, the pieces stand as expected
//!    1#xx:xx:xx:xx:xx:xx*  the address, which is never asked for and not kept
//! ```
//!
//! **The way back after lost bytes** (`framing.rs`): a text ends with `*`; if that was lost the last message of what is joined
//! is still read. The Neo's own channels have no mark (`../square_off_neo.rs`): an event is known by its letters, a picture
//! begins after silence.
//!
//! `session.rs` is the driver; it asks for squares and battery and says nothing else: `14#1*` would begin the board's game again.
//! `gks` has the older words of the Grand Kingdom Set, which no driver speaks. Page: `square_off/README.md`.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};

pub mod framing;
pub mod gks;
pub mod host;
pub mod message;
pub mod session;

/// Events of the Neo come at multiples of 0.18 s or the next turn of the radio, 30 ms, after each other: the scan of its squares
/// (from the captures). Of the others nothing is known.
pub const SCAN: Duration = Duration::from_millis(210);

/// Whether bytes may be written: the questions of the session.
pub(super) fn harmless(channel: u8, bytes: &[u8]) -> bool {
    channel == 0 && session::QUESTIONS.iter().any(|question| question.bytes == bytes)
}

/// The row of the registry.
pub const INFO: DriverInfo = DriverInfo {
    name: "square_off",
    devices: &["Square Off Pro", "Square Off Swap"],
    usb: &[],
    ble: Some(Ble {
        // Not "Square Off" alone: so the Neo's name begins.
        names: &["Squareoff Pro", "Square Off Pro", "Squareoff Swap", "Square Off Swap"],
        channels: &[Channel::NORDIC_UART],
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
        Example::new(b"0#e2u*", "Square { square: e2, reading: Empty }"),
        Example::new(b"0#e4d*", "Square { square: e4, reading: Occupied }"),
        Example::new(
            b"30#1100001111000011110000111100001111000011110000111100001111000011*",
            "Frame(????????/????????/8/8/8/8/????????/????????)",
        ),
    ],
    make: || Box::new(session::Session::default()),
};
