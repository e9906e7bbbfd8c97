//! Supports Chessnut boards, which identify their pieces: Air, Air+, Pro, Go, Evo, Smart Chess. The Move (`chessnut_move`)
//! shares this code.
//!
//! ```text
//!  every message      op len payload      no check, no start mark: op, length and piece codes must fit     framing.rs
//!
//!  host to board      29 01 00                    battery                                                  session.rs
//!                     21 01 00                    from now on positions are reported
//!                     0a 08 …   0b 04 …   39 …    lights, beep, deletes a game: never sent                 host.rs
//!
//!  board to host      channel 0                                                                            message.rs
//!    01 24  32 bytes  tt tt tt tt                 position: h8 g8 … a1, two squares a byte, low half first
//!    01 3d  32 bytes  29 bytes                    the same by cable
//!                     channel 1
//!    23 01 00   23 01 01                          accepted, not ready: some boards say it, after each command
//!    2a 02 vv cc                                  battery: percent, bit 7 or cc = 1: charging; vv = 0 says nothing
//!    32 01 nn   0f 01 nn                          stored games, a button
//! ```
//!
//! The driver does not ask for the firmware: no source describes the beginning of the answer, and one project uses the same
//! bytes as another command.
//!
//! A [`session::Model`] holds the differences between the rows of the registry. The services for stored games and firmware are
//! never used. Page: `chessnut/README.md`.
//!
//! The Evo is a board with a built-in Android tablet. Its maker's newer program (`chessnutech/ChessnutNext`) treats it like an
//! Air: by radio every device with `evo` in its name, by cable the products 83xx. It is *assumed* that its name begins like the
//! names of the others. With its address it is found under any name. No recording of an Evo is known (`chessnut/README.md#7`).
//!
//! By cable ([`HID`]) one report is one message with padding after it, and there are no channels. Messages with `01` are
//! assigned to channel 0 and all others to channel 1. The maker's own program writes commands without a report number, so their
//! first byte may be the number.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Hid, Timing};

pub mod framing;
pub mod host;
pub mod message;
pub mod session;

/// The first channel is for positions and commands, and the second for replies.
pub const CHANNELS: &[Channel] = &[
    Channel {
        write: Some(0x1b7e8272_2877_41c3_b46e_cf057c562023),
        notify: Some(0x1b7e8262_2877_41c3_b46e_cf057c562023),
        optional: false,
    },
    Channel { write: None, notify: Some(0x1b7e8273_2877_41c3_b46e_cf057c562023), optional: false },
];

/// The ids by cable. The low byte of the product id differs between boards of one kind.
pub const HID: Hid = Hid { vendor: 0x2d80, products: (0x8000, 0x86ff), usage_page: 0xff00, message: split_report };

/// Splits a report into channel and message. The second byte of a message is its length, and the rest of the report is padding.
fn split_report(report: &[u8]) -> (u8, &[u8]) {
    let bytes = report.strip_prefix(&[0x00]).unwrap_or(report);
    let whole = bytes.get(1).map_or(bytes.len(), |length| usize::from(*length) + 2);
    let channel = u8::from(bytes.first() != Some(&0x01));
    (channel, bytes.get(..whole).unwrap_or(bytes))
}

/// The scan time is not known. One program accepts a position after this much silence, so no scan takes longer.
pub const TIMING: Timing = Timing { scan: Duration::from_millis(350), press_delay: Duration::ZERO, in_turn: false };

/// The boards have no clock and no log that is read.
pub const CAPABILITIES: Capabilities = Capabilities { board: true, identifies_pieces: true, clock: false, log: false };

/// The message of the initial position.
pub const START: Example = Example::new(
    &[
        0x01, 0x24, 0x58, 0x23, 0x31, 0x85, 0x44, 0x44, 0x44, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x77, 0x77,
        0x77, 0x77, 0xa6, 0xc9, 0x9b, 0x6a, 0x10, 0, 0, 0,
    ],
    "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
);

/// The message of the position after 1. e4.
pub const E4: Example = Example::new(
    &[
        0x01, 0x24, 0x58, 0x23, 0x31, 0x85, 0x44, 0x44, 0x44, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x70, 0, 0, 0, 0, 0, 0, 0x77,
        0x07, 0x77, 0x77, 0xa6, 0xc9, 0x9b, 0x6a, 0x12, 0, 0, 0,
    ],
    "Frame(rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR)",
);

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "chessnut",
    devices: &["Chessnut Air", "Air+", "Pro", "Go", "Evo", "Smart Chess"],
    usb: &[],
    ble: Some(Ble { names: &["Chessnut Air", "Smart Chess", "Chessnut Pro", "Chessnut Go", "Chessnut Evo"], channels: CHANNELS }),
    hid: Some(HID),
    // They are no serial port. The value is only for a bridge that replaces the radio.
    baud: 115_200,
    shares_line: false,
    capabilities: CAPABILITIES,
    calibrated: None,
    casual_only: None,
    timing: TIMING,
    harmless: |channel, bytes| channel == 0 && session::AIR.asks(bytes),
    examples: &[
        START,
        E4,
        // By cable.
        Example::new(
            &[
                0x01, 0x3d, 0x58, 0x23, 0x31, 0x85, 0x44, 0x44, 0x44, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x77,
                0x77, 0x77, 0x77, 0xa6, 0xc9, 0x9b, 0x6a, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0,
            ],
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
        Example { channel: 1, bytes: &[0x2a, 0x02, 0x58, 0x00], read: "percent: 88" },
        Example { channel: 1, bytes: &[0x2a, 0x02, 0xd8, 0x00], read: "charging: true" },
    ],
    make: || Box::new(session::Session::new(&session::AIR)),
};
