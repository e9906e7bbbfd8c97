//! What a station thread is told.

use flagfall_game::laws::winnable::Answer;

use crate::anchor::AnchorRecord;
use crate::config::Role;
use crate::journal::Synced;
use crate::publish::mqtt::Arrived;
use crate::wall::Mono;

/// One thing for a station.
#[derive(Debug)]
pub(super) enum ToStation {
    /// The link opened.
    Up {
        /// When.
        at: Mono,
        /// The port, or the address of a Bluetooth device.
        port: String,
        /// How strongly that was received, dBm.
        signal: Option<i16>,
    },
    /// Bytes arrived.
    Bytes {
        /// When.
        at: Mono,
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The link is gone.
    Down {
        /// When.
        at: Mono,
        /// Why, one word.
        cause: &'static str,
    },
    /// There is no port for the board.
    Missing {
        /// Why, in words.
        problem: String,
    },
    /// A command came.
    Command {
        /// As it came.
        arrived: Box<Arrived>,
        /// What its sender may do on this board.
        role: Option<Role>,
    },
    /// The worker's answer.
    Answer(Answer),
    /// What came of a wait for the disk.
    Synced(Synced),
    /// The wall clock moved, or what it goes by changed.
    Anchor {
        /// When it was looked at.
        at: Mono,
        /// What it showed.
        record: AnchorRecord,
    },
    /// Come to an end.
    Stop,
}
