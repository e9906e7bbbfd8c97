//! Defines the inputs of a station: changes of its links, bytes, commands and answers of the worker.

use flagfall_game::config::UntilPress;
use flagfall_game::input::Command;
use flagfall_game::laws::winnable::Answer;
use flagfall_protocols::driver::Input;
use flagfall_protocols::event::DeviceEvent;

use crate::arbiter::Recorded;
use crate::session::anchor::AnchorRecord;
use crate::wire::round_games::RoundBound;

/// An input of a station.
#[derive(Clone, Debug, PartialEq)]
pub enum StationInput<'a> {
    /// A link opened or went away.
    Link {
        /// The link.
        link: u8,
        /// Its new state.
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
    /// A command without an admission, as in traces.
    Command(Command),
    /// A command with its admission.
    Submitted(Box<Recorded>),
    /// A worker's answer.
    Answer(Answer),
    /// The node was started.
    Boot {
        /// How often it was started.
        boot: u64,
        /// See [`BootRecord::restated`](crate::session::boot::BootRecord::restated).
        restated: Option<[u64; 3]>,
        /// The bound on the games of the round from now on.
        bound: Option<RoundBound>,
        /// For which audiences made moves wait for their press from now on.
        until_press: UntilPress,
    },
    /// The wall clock was read.
    Anchor(AnchorRecord),
}

/// The number of the board's link. A clock without its own link uses this link too.
pub const BOARD: u8 = 0;
/// The number of the link of a clock that has its own link.
pub const CLOCK: u8 = 1;

/// The state of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// It opened, and its device is received well enough or has a cable.
    Opened,
    /// It opened, and its device is received so weakly that it may be lost.
    Weak,
    /// It opened, and the signal of its device is not known.
    Unheard,
    /// It is open, and its device was asked on it for its identity just before.
    TakenOver,
    /// It was lost.
    Gone,
}

/// The cause of a link that is up after its device was asked on it: see [`LinkState::TakenOver`].
pub const ASKED: &str = "asked";

/// The cause of a link whose device is received weakly: see [`LinkState::Weak`].
pub const WEAK: &str = "weak";
/// The cause of a link whose device has no known signal: see [`LinkState::Unheard`].
pub const UNHEARD: &str = "unheard";
/// The cause of a link that was up all the time, for a station that begins again.
pub const AGAIN: &str = "again";

impl LinkState {
    /// Reads the state from the fields of a `link` record.
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
    /// The board's link opened, or was lost.
    pub const fn link(up: bool) -> StationInput<'static> {
        StationInput::Link { link: BOARD, state: if up { LinkState::Opened } else { LinkState::Gone } }
    }

    /// Bytes on a channel of the board's link.
    pub const fn bytes(channel: u8, bytes: &'a [u8]) -> StationInput<'a> {
        StationInput::Bytes { link: BOARD, channel, bytes }
    }
}

/// Returns the event as the game must see it. A clock on a link of its own gives clock events only, and its silence means that
/// there is no clock.
pub(super) fn event_for_game(link: u8, event: DeviceEvent) -> Option<DeviceEvent> {
    match event {
        _ if link == BOARD => Some(event),
        DeviceEvent::Silent => Some(DeviceEvent::ClockAbsent),
        DeviceEvent::Clock(_) | DeviceEvent::ClockAbsent | DeviceEvent::ClockButton(_) => Some(event),
        _ => None,
    }
}
