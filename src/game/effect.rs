//! Defines the effects that a step of the game produces.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;

use crate::alarm::Alarm;
use crate::audit::AuditEntry;
use crate::laws::finding::Finding;
use crate::laws::winnable::Ask;
use crate::played::{GameMove, LiveMove};

/// The audience of an effect (`ARCHITECTURE.md#6.8`). The public receives the same as the live audience, later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Audience {
    /// Arbiters: everything.
    Arbiter,
    /// Commentary and overlays: position, made moves, times, result.
    Live,
}

/// One effect of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// What this audience sees of the game changed: publish its whole state anew.
    State(Audience),
    /// Only the times changed: publish `Game::clock` anew.
    Clock,
    /// A move became sure; for arbiters.
    Move(GameMove),
    /// A move stands on the board; for the live audience.
    LiveMove(LiveMove),
    /// From a ply on the game is another one; for the live audience.
    LiveRevision {
        /// The first ply that differs, from 1.
        from_ply: u32,
        /// The moves from there on.
        moves: Vec<LiveMove>,
    },
    /// Other times belong to these moves than were published; for the live audience, whose next state has them.
    LiveTimes(Vec<LiveMove>),
    /// An alarm was opened, changed or closed.
    Alert(Alarm),
    /// A finding was made or changed; for the arbiter's record.
    Finding(Box<Finding>),
    /// The last finding or decision is another one: publish `Game::ruling` anew, or delete it if there is none.
    Ruling,
    /// Something else for the arbiter's record.
    Audit(AuditEntry),
    /// A question for the worker.
    Ask(Ask),
    /// A question for the device.
    Device(DeviceCommand),
}
