//! Emulated boards: they answer a host byte for byte as the protocol pages say, and do by themselves what hands do to them
//! ([`script`]).
//!
//! | board | reports | page |
//! | --- | --- | --- |
//! | [`Emulator`]: DGT board with its clock | each square as the scan comes by, and the clock | `dgt-board.md` section 10 |
//! | [`Chesslink`]: Millennium board | all squares, after a scan that found a difference | `millennium.md` |
//! | [`Pegasus`]: DGT Pegasus | each square on which something is put or lifted, not what | `dgt-pegasus.md` |
//! | [`Chain`]: DGT boards on one line, [`Behind`]: one of them | what changed, the clock, all squares: when asked | `dgt-bus.md` |
//!
//! What all of them can is [`Device`]; where the kind is known only when the program runs, `Box<dyn Device>` is one too.
//!
//! Nothing here does IO or reads a clock. [`rig`] runs a driver against it in simulated time; a program that has a link feeds
//! it from there.
//!
//! ```
//! use flagfall_hardware::emulator::{Emulator, Settings, rig::Rig, rig::RigEvent, script::Script};
//! use flagfall_protocols::{drivers, time::Instant};
//!
//! let mut board = Emulator::new(Settings::default());
//! board.load(&Script::parse("5 run\n+3 lift e2\n+0.45 place e4\n+0.3 press left").expect("a script"));
//! let mut rig = Rig::new(drivers::find("dgt").expect("registered").start(), board);
//! let mut told = Vec::new();
//! rig.run_until(Instant(20_000_000), &mut |event| {
//!     if let RigEvent::Output { at, output } = event {
//!         told.push((at, output.clone()));
//!     }
//! });
//! assert!(!told.is_empty());
//! assert_eq!(rig.emulator.counters().set_and_run, 0);
//! ```

pub mod clock;
pub mod clock_model;
pub mod rig;
pub mod scan;
pub mod script;

mod answers;
mod bench;
mod board;
mod chesslink;
mod device;
mod dgt_bus;
mod hands;
mod line;
mod memory;
mod motions;
mod pegasus;
mod port;
mod settings;
mod table;

pub use board::{Counters, Emulator};
pub use chesslink::{Chesslink, ChesslinkSettings, Reports};
pub use device::{Device, Kind, Sent, Start};
pub use dgt_bus::{Behind, BusFaults, BusSettings, Chain};
pub use pegasus::{Pegasus, PegasusSettings};
pub use settings::{ClockWay, Quirks, Settings};
pub use table::Impossible;

/// Every kind of emulated device, the usual kind of each driver first.
pub const EMULATORS: &[&[Kind]] = &[board::KINDS, chesslink::KINDS, pegasus::KINDS, dgt_bus::KINDS];

/// The usual kind of device that a driver reads.
pub fn find(driver: &str) -> Option<&'static Kind> {
    EMULATORS.iter().copied().flatten().find(|kind| kind.driver == driver)
}
