//! Supports Millennium boards with a ChessLink module: Exclusive, King Performance, Supreme. The eONE, which does not identify
//! pieces, is in `chesslink_eone`.
//!
//! ```text
//!  xx = two digits 0-9 A-F: all bytes before them, without bit 7, XORed                     framing.rs
//!
//!  host to board      every byte with odd parity in bit 7                                   host.rs
//!    56 xx  'V'   53 xx  'S'   52 aa xx  'R'             version, board, one setting
//!    57 aa vv xx  'W'   4c tt 81 × pp xx  'L'   58 xx  'X'   54 xx  'T'   47 xx  'G'   49 nn xx  'I'
//!
//!  board to host      bit 7 is not looked at: older boards send parity, newer ones 0        message.rs
//!    76  mm nn xx     'v'                                version, major and minor
//!    73  64 letters xx  's'                              all squares: h1 g1 … a1 h2 … a8, as in a FEN, '.' empty, '?' unknown
//!    72  aa vv xx     'r'    77  aa vv xx  'w'           setting aa is vv
//!    6c xx  'l'   78 xx  'x'                             done
//! ```
//!
//! `session.rs` is the driver. It asks for the board and the version, and it reads the settings for automatic reports and for
//! the scan time, which determine the delay of a change. It writes no setting, because settings stay after the session, and it
//! switches no lights. Page: `chesslink/README.md`.
//!
//! The squares are those of a board with its cable at White's right hand. The game handles a turned board.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};

pub mod framing;
pub mod host;
pub mod message;
pub mod session;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "chesslink",
    devices: &["Millennium ChessLink: Exclusive, King Performance, Supreme"],
    usb: &[(0x0403, 0x6001)],
    ble: Some(Ble {
        names: &["MILLENNIUM CHESS"],
        channels: &[Channel {
            write: Some(0x49535343_8841_43f4_a8d4_ecbe34729bb3),
            notify: Some(0x49535343_1e4d_4bd9_ba61_23c647249616),
            optional: false,
        }],
    }),
    hid: None,
    baud: 38_400,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: true, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    // These values apply until the settings of the board are known.
    timing: Timing {
        scan: host::delay(host::USUAL_SCAN, host::NEVER, session::POLLED),
        press_delay: Duration::ZERO,
        in_turn: false,
    },
    // V, S, R01, R02: these commands write no setting and switch no light.
    harmless: |_, bytes| session::QUESTIONS.iter().any(|question| question.bytes == bytes),
    examples: &[
        Example::new(
            b"sRNBKQBNRPPPPPPPP................................pppppppprnbkqbnr73",
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
        Example::new(
            b"sRNBKQBNRPPP.PPPP...........P....................pppppppprnbkqbnr73",
            "Frame(rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR)",
        ),
        Example::new(b"v010374", "Firmware(1, 3)"),
        // With parity, as older boards send it.
        Example::new(b"\x76\xb0\x31\xb0\xb3\x37\x34", "Firmware(1, 3)"),
    ],
    make: || Box::new(session::Session::default()),
};
