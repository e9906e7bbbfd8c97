//! Certabo and Cerno, whose pieces carry tags; and what the Tabutronic boards share with them (`super::tabutronic`).
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
//! There is nothing to ask, so the session (`session.rs`) sends nothing at all. There is no checksum either: a square is believed
//! when two of the last three frames agree on it (`frames.rs`), so no single frame tells anything. Page:
//! `certabo/README.md`.
//!
//! **Pieces.** A tag belongs to one piece, not to a kind, and in every frame 5 to 16 empty squares carry random bytes. Which tag is
//! which piece is in a [`Calibration`]: given (it was learned before, by `learner.rs`), or learned by the session itself from the
//! initial position once it has stood for seven frames. A tag
//! that it does not know is nothing, unless it stays: then a piece stands there that nobody calibrated, such as a queen from
//! the box, and the square is `Occupied`. As long as no table is known all pieces are told so: noise does not repeat itself,
//! so that something stands there is certain, and an arbiter is better served with it than with nothing.
//!
//! **What tags cannot say.** The initial position looks the same from both sides, with king and queen exchanged, and in
//! Chess960. It is learned with a1 where the board's own a1 is and with every piece on the square of the usual initial position:
//! if the board is turned, or set up otherwise, when it is learned, the colours or kinds are wrong until another table is given.
//!
//! **Lost connections.** The pieces are the same afterwards: a table outlives `LinkDown` and silence. It is given up only when 32
//! pieces stand in the initial position of which it knows none: another set.

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

/// The USB adapter of all these boards, a CP210x.
pub(super) const USB: &[(u16, u16)] = &[(0x10c4, 0xea60)];

/// One program meets all these boards so; not confirmed (`certabo/README.md#1`).
pub(super) const BLE: Option<Ble> = Some(Ble { names: &["Certabo"], channels: &[Channel::NORDIC_UART] });

/// Which tag is which piece.
const CALIBRATED: Calibrated = Calibrated {
    with: |text| Ok(Box::new(Session::with(Calibration::of_set(text)?))),
    learn: || Box::new(Learner::new()),
    spares: &calibration::SPARES,
};

/// The row of the registry.
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
    // Until the pace of the board is known.
    timing: Timing { scan: session::delay(Form::Tags, session::USUAL_PACE), press_delay: Duration::ZERO, in_turn: false },
    harmless: |_, _| false,
    examples: &[
        Example::new(examples::START, "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)"),
        Example::new(examples::E4, "Frame(????????/????????/8/8/4?3/8/????1???/????????)"),
    ],
    make: || Box::new(Session::new(Form::Tags)),
};
