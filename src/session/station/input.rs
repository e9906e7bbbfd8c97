//! What happens to a station.

use flagfall_game::input::Command;
use flagfall_game::laws::winnable::Answer;
use flagfall_protocols::driver::Input;

use crate::arbiter::Recorded;

/// What happens to a station.
#[derive(Clone, Debug, PartialEq)]
pub enum StationInput<'a> {
    /// A link opened or went away.
    Link {
        /// Which one.
        link: u8,
        /// What became of it.
        state: LinkState,
    },
    /// Bytes arrived.
    Bytes {
        /// The link.
        link: u8,
        /// The channel.
        channel: u8,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// A command without an admission, as traces have it.
    Command(Command),
    /// A command with its admission.
    Submitted(Box<Recorded>),
    /// A worker's answer.
    Answer(Answer),
}

/// The link of the board, and of its clock where that has none of its own.
pub const BOARD: u8 = 0;
/// The link of a clock that has one of its own.
pub const CLOCK: u8 = 1;

/// What became of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// It opened; its device is received well enough, or has a cable.
    Opened,
    /// It opened, and its device is received so weakly that it may be lost.
    Weak,
    /// It opened, and how well its device is received is not known.
    Unheard,
    /// It was open, and its device has just been asked on it who it is.
    TakenOver,
    /// It is gone.
    Gone,
}

/// Why a link is up that its device was asked on: see [`LinkState::TakenOver`].
pub const ASKED: &str = "asked";

/// Why a link is up whose device is received weakly: see [`LinkState::Weak`].
pub const WEAK: &str = "weak";
/// Why a link is up whose device was not heard before: see [`LinkState::Unheard`].
pub const UNHEARD: &str = "unheard";
/// Why a link is up that was up all the time, to a station that begins anew.
pub const AGAIN: &str = "again";

impl LinkState {
    /// As a `link` record says.
    pub fn from_record(up: bool, cause: &str) -> LinkState {
        match (up, cause) {
            (false, _) => LinkState::Gone,
            (true, ASKED) => LinkState::TakenOver,
            (true, WEAK) => LinkState::Weak,
            (true, UNHEARD | AGAIN) => LinkState::Unheard,
            (true, _) => LinkState::Opened,
        }
    }

    pub(super) const fn driver_input(self) -> Input<'static> {
        match self {
            LinkState::Opened | LinkState::Weak | LinkState::Unheard => Input::LinkUp,
            LinkState::TakenOver => Input::LinkTakenOver,
            LinkState::Gone => Input::LinkDown,
        }
    }
}

impl<'a> StationInput<'a> {
    /// The board's link opened, or is gone.
    pub const fn link(up: bool) -> StationInput<'static> {
        StationInput::Link { link: BOARD, state: if up { LinkState::Opened } else { LinkState::Gone } }
    }

    /// Bytes on a channel of the board's link.
    pub const fn bytes(channel: u8, bytes: &'a [u8]) -> StationInput<'a> {
        StationInput::Bytes { link: BOARD, channel, bytes }
    }
}
