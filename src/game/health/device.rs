//! What is remembered of how well the devices are, beside the board's dropouts.

use flagfall_protocols::event::Text;
use flagfall_protocols::time::Instant;

use super::battery::{BatteryWatch, ClockBattery};

/// What a game remembers of its devices, beside the board's dropouts.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceHealth {
    pub(super) serial: Option<Text>,
    pub(super) battery: BatteryWatch,
    pub(super) clock: ClockBattery,
    /// The radios of the board and of its clock were weak.
    pub(super) weak_signal: [bool; 2],
    /// When a weak square or man may have been well for long enough.
    pub(super) well: Option<Instant>,
    /// Counts what changed in [`Health`].
    pub(super) rev: u32,
}
