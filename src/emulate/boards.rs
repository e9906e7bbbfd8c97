//! The boards that games are simulated at.

use flagfall_hardware::emulator::chesslink::{Chesslink, ChesslinkSettings};
use flagfall_hardware::emulator::dgt_pegasus::{Pegasus, PegasusSettings};
use flagfall_hardware::emulator::{Device, Emulator};
use flagfall_protocols::driver::DriverInfo;

use super::players::Performance;

/// A kind of board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It tells each square as its scan comes by, and has a clock.
    Dgt,
    /// It tells all squares at once.
    Frames,
    /// It tells on which squares something stands, not what.
    Occupancy,
}

impl Kind {
    /// The kind of board that a driver reads.
    pub fn of(driver: &DriverInfo) -> Kind {
        match driver.capabilities {
            can if can.log => Kind::Dgt,
            can if can.identifies_pieces => Kind::Frames,
            _ => Kind::Occupancy,
        }
    }

    /// Its driver's name.
    pub const fn driver(self) -> &'static str {
        match self {
            Kind::Dgt => "dgt",
            Kind::Frames => "chesslink",
            Kind::Occupancy => "dgt_pegasus",
        }
    }
}

/// The board on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A DGT board with its clock; its settings are the performance's.
    Dgt,
    /// A Millennium board.
    Frames(ChesslinkSettings),
    /// A DGT Pegasus.
    Occupancy(PegasusSettings),
}

/// The board of a performance, switched on.
pub(super) fn device(play: &Performance) -> Box<dyn Device> {
    match play.board {
        Table::Dgt => Box::new(Emulator::new(play.settings.clone())),
        Table::Frames(settings) => Box::new(Chesslink::new(settings)),
        Table::Occupancy(settings) => Box::new(Pegasus::new(settings)),
    }
}
