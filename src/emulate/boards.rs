//! Defines the kinds of emulated boards on which simulated games are played.

use flagfall_hardware::emulator::chesslink::{Chesslink, ChesslinkSettings};
use flagfall_hardware::emulator::dgt_pegasus::{Pegasus, PegasusSettings};
use flagfall_hardware::emulator::{Device, Emulator};
use flagfall_protocols::driver::DriverInfo;

use super::players::Performance;

/// The kinds of boards that can be simulated, by what their sensors report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardKind {
    /// It reports each square as its scan comes by, and has a clock.
    Dgt,
    /// It reports all squares at once.
    Frames,
    /// It reports on which squares something stands, but not what.
    Occupancy,
}

impl BoardKind {
    /// The kind of board that a driver reads.
    pub fn for_driver(driver: &DriverInfo) -> BoardKind {
        match driver.capabilities {
            can if can.log => BoardKind::Dgt,
            can if can.identifies_pieces => BoardKind::Frames,
            _ => BoardKind::Occupancy,
        }
    }

    /// Its driver's name.
    pub const fn driver(self) -> &'static str {
        match self {
            BoardKind::Dgt => "dgt",
            BoardKind::Frames => "chesslink",
            BoardKind::Occupancy => "dgt_pegasus",
        }
    }
}

/// The board of a simulated game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedBoard {
    /// A DGT board with its clock; its settings are in the performance.
    Dgt,
    /// A Millennium board.
    Frames(ChesslinkSettings),
    /// A DGT Pegasus.
    Occupancy(PegasusSettings),
}

/// Makes the board of a performance.
pub(super) fn device(play: &Performance) -> Box<dyn Device> {
    match play.board {
        SimulatedBoard::Dgt => Box::new(Emulator::new(play.settings.clone())),
        SimulatedBoard::Frames(settings) => Box::new(Chesslink::new(settings)),
        SimulatedBoard::Occupancy(settings) => Box::new(Pegasus::new(settings)),
    }
}
