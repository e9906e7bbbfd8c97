//! Supports boards of Certabo and Cerno, whose pieces have electronic tags. The Tabutronic boards (`super::tabutronic`) share
//! parts of this code.
//!
//! ```text
//!  numbers are decimal, 0 to 255, a space between two; cr, lf and '*' may stand anywhere, even inside a number   framing.rs
//!
//!  board to host, unasked, a few times a second
//!    3a 320 numbers          ':'  64 squares a8 b8 … h8 a7 … h1, 5 numbers each: the tag, or 0 0 0 0 0            message.rs
//!    3a   8 numbers          ':'  8 ranks, the eighth first: bit 7 = a … bit 0 = h, 1 = something stands there
//!    4c                      'L'  plain lights are set
//!    44                      'D'  coloured lights are set
//!
//!  host to board                                                                                                host.rs
//!    8 bytes                 plain lights: 8 ranks, the eighth first: bit 0 = a … bit 7 = h
//!    ff 55 243 bytes 0d 0a   coloured lights: 9 × 9 corners, red, green, blue each
//! ```
//!
//! There are no questions, so the session (`session.rs`) sends nothing at all. There is no checksum either, so a square is
//! accepted only when two of the last three frames agree on it (`frames.rs`). Page: `certabo/README.md`.
//!
//! **Pieces.** A tag belongs to one piece and not to a kind of piece, and in every frame 5 to 16 empty squares have random
//! bytes. A [`Calibration`] maps the tags to pieces. It is either given (`learner.rs` learned it before), or the session learns
//! it from the initial position after seven frames. An unknown tag counts as noise, unless it stays. Then the square has a
//! piece without calibration, such as a queen from the box, and the square is `Occupied`. Without a calibration all pieces are
//! reported as `Occupied`: noise does not repeat itself, so it is certain that a piece stands there, and this is more useful to
//! an arbiter than no report.
//!
//! **Limits of tags.** The initial position looks the same from both sides, with king and queen exchanged, and in Chess960. It
//! is learned with a1 on the board's own a1 and with every piece on its usual square. If the board is turned or set up in
//! another way while it is learned, the colours or kinds are wrong until another table is given.
//!
//! **Lost connections.** The pieces are the same afterwards, so the table stays valid after `LinkDown` and silence. It is
//! replaced only when 32 unknown pieces stand in the initial position: another set.

use alloc::boxed::Box;
use core::time::Duration;

use crate::calibration::Calibrated;
use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};

pub mod calibration;
mod examples;
mod frames;
pub mod framing;
pub mod host;
mod learner;
pub mod message;
pub mod session;

pub use calibration::Calibration;
pub use framing::Form;
pub use learner::Learner;
pub use session::Session;

/// The USB ids, vendor and product, of all these boards: a CP210x adapter.
pub(super) const USB: &[(u16, u16)] = &[(0x10c4, 0xea60)];

/// One program uses these names and channels for all these boards. They are not confirmed (`certabo/README.md#1`).
pub(super) const BLE: Option<Ble> = Some(Ble { names: &["Certabo"], channels: &[Channel::NORDIC_UART] });

/// The calibration: the tags of the pieces.
const CALIBRATED: Calibrated = Calibrated {
    with: |text| Ok(Box::new(Session::with(Calibration::of_set(text)?))),
    learn: || Box::new(Learner::new()),
    spares: &calibration::SPARES,
};

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "certabo",
    devices: &["Certabo", "Cerno"],
    usb: USB,
    ble: BLE,
    hid: None,
    baud: 38_400,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: true, clock: false, log: false },
    calibrated: Some(CALIBRATED),
    casual_only: None,
    // These values apply until the pace of the board is known.
    timing: Timing { scan: session::delay(Form::Tags, session::USUAL_PACE), press_delay: Duration::ZERO, in_turn: false },
    harmless: |_, _| false,
    examples: &[
        Example::new(examples::START, "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)"),
        Example::new(examples::E4, "Frame(????????/????????/8/8/4?3/8/????1???/????????)"),
    ],
    make: || Box::new(Session::new(Form::Tags)),
};
