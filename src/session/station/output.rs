//! Defines the outputs of a station, and which of its states have changed.

use flagfall_game::laws::winnable::Ask;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;

use crate::arbiter::{DaemonAction, Reply};
use crate::publish::Message;

/// An output of a station.
#[derive(Clone, Debug, PartialEq)]
pub enum StationOutput {
    /// Write these bytes to the link.
    Send {
        /// When.
        at: Instant,
        /// The link.
        link: u8,
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Publish this.
    Message(Message),
    /// Ask the worker.
    Ask(Ask),
    /// A device reported something about itself: identity, battery, silent, responding.
    Device {
        /// Its link.
        link: u8,
        /// What it reported.
        event: DeviceEvent,
    },
    /// Answer a command.
    Reply(Reply),
    /// Carry out a command that is for the daemon.
    Daemon(DaemonAction),
}

/// The states that changed since they were made last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirtyStates {
    /// The state for arbiters.
    pub arbiter: bool,
    /// The state for the live audience.
    pub live: bool,
    /// The clock times.
    pub clock: bool,
    /// Another clock runs now, or none: this is published at once.
    pub running_changed: bool,
}

impl DirtyStates {
    /// Whether any state changed.
    pub fn any(self) -> bool {
        self != DirtyStates::default()
    }

    /// These states without `others`.
    pub fn without(self, others: DirtyStates) -> DirtyStates {
        DirtyStates {
            arbiter: self.arbiter && !others.arbiter,
            live: self.live && !others.live,
            clock: self.clock && !others.clock,
            running_changed: self.running_changed && !others.clock,
        }
    }
}

/// Audiences whose PGN of the board has changed since it was made last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedPgn {
    /// The live audience.
    pub live: bool,
    /// The public.
    pub public: bool,
}
