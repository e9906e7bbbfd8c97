//! Emulates boards, which answer a host byte for byte as the protocol pages describe. A [`script`] moves the pieces on them.
//!
//! [`Emulator`] is a DGT board with its clock: it reports each square when the scan reaches it, and it reports the clock
//! (`dgt/README.md#10`). Every other kind has its own file. The head of the file describes its reports and names the page that
//! it follows. A new kind needs such a file, a `pub mod` line here and a row in [`EMULATORS`].
//!
//! [`Device`] is their common interface. `Box<dyn Device>` is a [`Device`] too, for a kind that is known only at run time.
//!
//! Nothing here does IO or reads a clock. [`rig`] runs a driver against an emulated board in simulated time. A program that has
//! a link passes the link's bytes to the board.
//!
//! ```
//! use flagfall_hardware::emulator::{Emulator, Settings, rig::Rig, rig::RigEvent, script::Script};
//! use flagfall_protocols::{drivers, time::Instant};
//!
//! let mut board = Emulator::new(Settings::default());
//! board.load(&Script::parse("5 run\n+3 lift e2\n+0.45 place e4\n+0.3 press left").expect("a script"));
//! let mut rig = Rig::new(drivers::find("dgt").expect("registered").start(), board);
//! let mut reported = Vec::new();
//! rig.run_until(Instant(20_000_000), &mut |event| {
//!     if let RigEvent::Output { at, output } = event {
//!         reported.push((at, output.clone()));
//!     }
//! });
//! assert!(!reported.is_empty());
//! assert_eq!(rig.emulator.counters().set_and_run, 0);
//! ```

pub mod certabo;
pub mod chesslink;
pub mod chessnut;
pub mod clock;
pub mod clock_model;
pub mod dgt3000_gateway;
pub mod dgt_bus;
pub mod dgt_pegasus;
pub mod gameboard;
pub mod hos;
pub mod ichessone;
pub mod rig;
pub mod scan;
pub mod script;
pub mod square_off;

mod answers;
mod board;
mod device;
mod emulator_core;
mod hands;
mod line;
mod memory;
mod motions;
mod port;
mod settings;
mod simulated_board;

pub use board::{Counters, Emulator};
pub use device::{Device, Kind, Sent, Start};
pub use settings::{ClockWay, LostUpdates, Quirks, Settings};
pub use simulated_board::Impossible;

/// Every kind of emulated device. The usual kind of each driver comes first.
#[rustfmt::skip]
pub const EMULATORS: &[&[Kind]] = &[
    board::KINDS,
    chesslink::KINDS,
    dgt_pegasus::KINDS,
    chessnut::KINDS,
    square_off::KINDS,
    certabo::KINDS,
    dgt3000_gateway::KINDS,
    ichessone::KINDS,
    hos::KINDS,
    gameboard::KINDS,
    dgt_bus::KINDS,
];

/// Returns the usual kind of device for a driver.
pub fn find(driver: &str) -> Option<&'static Kind> {
    EMULATORS.iter().copied().flatten().find(|kind| kind.driver == driver)
}
