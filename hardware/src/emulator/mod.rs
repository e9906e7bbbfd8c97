//! Emulated boards: they answer a host byte for byte as the protocol pages say, and do by themselves what hands do to them
//! ([`script`]).
//!
//! | board | reports | page |
//! | --- | --- | --- |
//! | [`Emulator`]: DGT board with its clock | each square as the scan comes by, and the clock | `dgt-board.md` section 10 |
//! | [`Chesslink`]: Millennium board | all squares, after a scan that found a difference | `millennium.md` |
//! | [`Certabo`]: Certabo and Tabutronic boards | all squares, a few times a second | `certabo.md` |
//! | [`Pegasus`]: DGT Pegasus | each square on which something is put or lifted, not what | `dgt-pegasus.md` |
//! | [`Chessnut`]: Chessnut board, Move | all squares, after a scan that found a difference | `chessnut.md` |
//! | [`SquareOff`]: Square Off Pro and Neo | as the Pegasus; the Neo all squares too, late | `squareoff.md` |
//! | [`Ichessone`]: iChessOne | all squares, when a look found a difference | `overview.md` |
//! | [`Hos`]: HoS board over Bluetooth LE | all squares, again and again | `overview.md` |
//! | [`Gameboard`]: board of the Gameboard UI Protocol | as the Pegasus; a square when asked for it | its maker's |
//! | [`Gateway`]: DGT 3000 clock by itself, behind a gateway | the times when they change, the lever when it moves | `overview.md` |
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
mod certabo;
mod chesslink;
mod chessnut;
mod device;
mod dgt3000_gateway;
mod dgt_bus;
mod dgt_pegasus;
mod gameboard;
mod hands;
mod hos;
mod ichessone;
mod line;
mod memory;
mod motions;
mod port;
mod settings;
mod square_off;
mod table;

pub use board::{Counters, Emulator};
pub use certabo::{Certabo, CertaboSettings};
pub use chesslink::{Chesslink, ChesslinkSettings, Reports};
pub use chessnut::{Chessnut, ChessnutSettings};
pub use device::{Device, Kind, Sent, Start};
pub use dgt_bus::{Behind, BusFaults, BusSettings, Chain};
pub use dgt_pegasus::{Pegasus, PegasusSettings};
pub use dgt3000_gateway::{Gateway, GatewaySettings};
pub use gameboard::{Gameboard, GameboardSettings};
pub use hos::{Hos, HosSettings};
pub use ichessone::{Ichessone, IchessoneSettings};
pub use settings::{ClockWay, Quirks, Settings};
pub use square_off::{NeoSettings, SquareOff, SquareOffSettings};
pub use table::Impossible;

/// Every kind of emulated device, the usual kind of each driver first.
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

/// The usual kind of device that a driver reads.
pub fn find(driver: &str) -> Option<&'static Kind> {
    EMULATORS.iter().copied().flatten().find(|kind| kind.driver == driver)
}
