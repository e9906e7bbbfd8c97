//! Defines the effects that a step of the game produces.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;
pub use flagfall_protocols::trace::Audience;

use crate::alarm::Alarm;
use crate::audit::AuditEntry;
use crate::laws::finding::Finding;
use crate::laws::winnable::Ask;
use crate::played::{GameMove, LiveMove};

/// One effect of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// What this audience sees of the game changed: publish its whole state anew (`ARCHITECTURE.md#6.8`).
    State(Audience),
    /// Only the times changed: publish `Game::clock` anew.
    Clock,
    /// A move became sure; for arbiters.
    Move(GameMove),
    /// A move stands on the board; for the live audience or, before its delay, for the public.
    LiveMove {
        /// Who gets it.
        audience: Audience,
        /// The move.
        played: LiveMove,
    },
    /// From a ply on the game is another one; for the same audiences.
    LiveRevision {
        /// Who gets it.
        audience: Audience,
        /// The first ply that differs, from 1.
        from_ply: u32,
        /// The moves from there on.
        moves: Vec<LiveMove>,
    },
    /// Other times belong to these moves than were published. The next state for the audience has them.
    LiveTimes {
        /// Who gets them.
        audience: Audience,
        /// The moves.
        moves: Vec<LiveMove>,
    },
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
