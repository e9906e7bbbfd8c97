//! Supports Square Off boards, which send text over the Nordic UART, a serial connection by Bluetooth LE. They sense occupied
//! squares but do not identify pieces. They have no clock.
//!
//! ```text
//!  host to board      code '#' body '*'                                                        host.rs
//!    30#R*  all squares   4#*  battery   25#e2e4*  lights   27#ck*  signals   14#1*  a game begins   1#*  address
//!
//!  board to host      code '#' body '*', in any number of notifications                        message.rs
//!    30#1100…*            all squares, 64 characters file by file: a1 … a8 b1 … h8, 1 = occupied
//!    0#e2u*   0#e4d*      a piece was lifted from e2, put down on e4
//!    22#3.52*             volts of the battery; of the Neo 4#3752.50*, thousandths
//!    14#GO*   26#ISG*     a game begins, the pieces stand as expected
//!    1#xx:xx:xx:xx:xx:xx*  the address, which is never asked for and not stored
//! ```
//!
//! **Recovery after lost bytes** (`framing.rs`): a text ends with `*`. If a `*` was lost, the last of the joined messages is
//! still read. The Neo's own channels have no mark (`../square_off_neo.rs`): an event is recognised by its letters, and a
//! picture begins after silence.
//!
//! `session.rs` is the driver. It asks for squares and battery and sends nothing else, because `14#1*` would restart the
//! board's game. `gks` has the older commands of the Grand Kingdom Set, which no driver supports. Page: `square_off/README.md`.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};

pub mod framing;
pub mod gks;
pub mod host;
pub mod message;
pub mod session;

/// The scan time. Two events of the Neo are multiples of 0.18 s apart, or one turn of the radio more, 30 ms (from the
/// captures). The scan time of the other boards is not known.
pub const SCAN: Duration = Duration::from_millis(210);

/// Returns whether bytes may be written. Only the questions of the session may.
pub(super) fn harmless(channel: u8, bytes: &[u8]) -> bool {
    channel == 0 && session::QUESTIONS.iter().any(|question| question.bytes == bytes)
}

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "square_off",
    devices: &["Square Off Pro", "Square Off Swap"],
    usb: &[],
    ble: Some(Ble {
        // "Square Off" alone is not listed, because the Neo's name begins with it.
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
