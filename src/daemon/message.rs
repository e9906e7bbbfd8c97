//! Defines the items of a station's inbox: bytes, changes of the link, commands and answers.

use flagfall_game::laws::winnable::Answer;

use crate::config::Role;
use crate::mqtt::Arrived;
use crate::session::anchor::AnchorRecord;
use crate::system_clock::MonotonicTime;

/// One item for a station.
#[derive(Debug)]
pub(super) enum ToStation {
    /// A link opened.
    Up {
        /// When it happened.
        at: MonotonicTime,
        /// The link.
        link: u8,
        /// The device was asked for its identity on this link before.
        asked: bool,
        /// The port, or the address of a Bluetooth device.
        port: String,
        /// The signal strength at which the device was received, in dBm.
        signal: Option<i16>,
    },
    /// Bytes arrived.
    Bytes {
        /// When it happened.
        at: MonotonicTime,
        /// The link.
        link: u8,
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A link is gone.
    Down {
        /// When it happened.
        at: MonotonicTime,
        /// The link.
        link: u8,
        /// The cause, one word.
        cause: &'static str,
    },
    /// A link has no port, or no device answers on it.
    Missing {
        /// The link.
        link: u8,
        /// The reason, for people.
        problem: String,
    },
    /// A command came.
    Command {
        /// When it came.
        at: MonotonicTime,
        /// The command as it was received.
        arrived: Box<Arrived>,
        /// What its sender may do on this board.
        role: Option<Role>,
    },
    /// The worker's answer.
    Answer(Answer),
    /// The disk has answered, and the station waits for that.
    Synced,
    /// The wall clock moved, or its time source changed.
    Anchor {
        /// When the wall clock was read.
        at: MonotonicTime,
        /// What it showed then.
        record: AnchorRecord,
    },
    /// The broker retains this alert or ruling of the board.
    AtBroker {
        /// The topic.
        topic: String,
    },
    /// An earlier start had a higher number than this one: it could not be counted on the disk.
    LaterStart {
        /// Its number.
        boot: u64,
    },
    /// The station must end.
    Stop,
}

impl ToStation {
    /// When it came; none if that does not matter.
    pub(super) fn at(&self) -> Option<MonotonicTime> {
        match *self {
            ToStation::Up { at, .. }
            | ToStation::Bytes { at, .. }
            | ToStation::Down { at, .. }
            | ToStation::Command { at, .. }
            | ToStation::Anchor { at, .. } => Some(at),
            ToStation::Missing { .. }
            | ToStation::Answer(_)
            | ToStation::Synced
            | ToStation::AtBroker { .. }
            | ToStation::LaterStart { .. }
            | ToStation::Stop => None,
        }
    }
}
