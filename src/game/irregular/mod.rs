//! Keeps the irregular positions that presses have left on the board and from which no game can go on: a king in check, an
//! illegal position.

pub(crate) mod king;
pub(crate) mod position;

use self::king::KingCapture;
use self::position::IllegalPosition;

/// The state of both irregularities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Irregularities {
    /// A king left in check, and its capture (club point 3.3).
    pub(crate) king: KingCapture,
    /// An illegal position that was left on the board (A.5.4).
    pub(crate) illegal_position: IllegalPosition,
}
