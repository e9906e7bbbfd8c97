//! What a station wants done, and which of its pictures are out of date.

use flagfall_game::laws::winnable::Ask;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;

use crate::arbiter::{DaemonAction, Reply};
use crate::publish::Message;

/// What a station wants done.
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
    /// A device said who or how it is: identity, battery, silent, responding.
    Device {
        /// Its link.
        link: u8,
        /// What it said.
        event: DeviceEvent,
    },
    /// Answer a command.
    Reply(Reply),
    /// Do what a command wants of the daemon.
    Daemon(DaemonAction),
}

/// The pictures that changed since they were made last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirtyStates {
    /// The arbiters'.
    pub arbiter: bool,
    /// The live audience's.
    pub live: bool,
    /// The clock alone.
    pub clock: bool,
    /// And another clock runs now, or none: worth saying at once.
    pub running_changed: bool,
}

impl DirtyStates {
    /// Anything.
    pub fn any(self) -> bool {
        self != DirtyStates::default()
    }

    /// These, less others.
    pub fn without(self, others: DirtyStates) -> DirtyStates {
        DirtyStates {
            arbiter: self.arbiter && !others.arbiter,
            live: self.live && !others.live,
            clock: self.clock && !others.clock,
            running_changed: self.running_changed && !others.clock,
        }
    }
}
