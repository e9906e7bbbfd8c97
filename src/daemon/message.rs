//! What a station thread is told.

use flagfall_game::laws::winnable::Answer;

use crate::config::Role;
use crate::mqtt::Arrived;
use crate::session::anchor::AnchorRecord;
use crate::system_clock::MonotonicTime;

/// One thing for a station.
#[derive(Debug)]
pub(super) enum ToStation {
    /// A link opened.
    Up {
        /// When.
        at: MonotonicTime,
        /// Which one.
        link: u8,
        /// Its device was asked on it who it is.
        asked: bool,
        /// The port, or the address of a Bluetooth device.
        port: String,
        /// How strongly that was received, dBm.
        signal: Option<i16>,
    },
    /// Bytes arrived.
    Bytes {
        /// When.
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
        /// When.
        at: MonotonicTime,
        /// Which one.
        link: u8,
        /// Why, one word.
        cause: &'static str,
    },
    /// There is no port for a link, or nobody who answers.
    Missing {
        /// Which one.
        link: u8,
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
    /// The disk has answered, and the station waits for that.
    Synced,
    /// The wall clock moved, or what it goes by changed.
    Anchor {
        /// When it was looked at.
        at: MonotonicTime,
        /// What it showed.
        record: AnchorRecord,
    },
    /// Come to an end.
    Stop,
}
