//! Defines the settings of a game.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::ClockSide;
use flagfall_protocols::trace::Audience;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use crate::clock::control::TimeControl;
use crate::laws::rulebook::Rulebook;
use crate::reconstruct::tuning::Tuning;

/// The treatment of a finding that is certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rulings {
    /// An arbiter decides.
    #[default]
    Advise,
    /// It is decided as it is made; an arbiter may decide otherwise.
    Automatic,
}

/// The settings of a game, fixed before it begins.
#[derive(Clone, Debug, Default)]
pub struct GameConfig {
    /// The time control; findings on time name it as unknown if there is none.
    pub time_control: Option<TimeControl>,
    /// Castling is written the Chess960 way.
    pub chess960: bool,
    /// The device family that tells the times.
    pub clock_source: &'static str,
    /// The clock is on a link of its own, and tells a press so late at most; none = it is on the board's.
    pub own_clock: Option<Duration>,
    /// The rules that findings are made by.
    pub rulebook: Rulebook,
    /// What becomes of findings that are certain.
    pub rulings: Rulings,
    /// The event's regulations name the device as an observer of flags (6.8).
    pub observer: bool,
    /// Seconds after the start by which a player must have come (6.7.1); none if the event has not said.
    pub default_time_s: Option<u32>,
    /// Which display is White's; if none, the left one, or the right one where the board is rotated.
    pub white_clock: Option<ClockSide>,
    /// Nobody rules on this game: moves that the players take back on the board leave the list (`reconstruct/README.md#3.7`).
    pub casual: bool,
    /// How the decoder weighs evidence.
    pub tuning: Tuning,
}

/// For which audiences a made move waits for its press, so that moves and clock agree (`wire/README.md#7.2`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UntilPress {
    /// The live audience. What it does not have the public does not have either.
    pub live: bool,
    /// The public.
    pub public: bool,
}

impl UntilPress {
    /// Whether a made move waits for its press before this audience gets it.
    pub fn holds_for(self, audience: Audience) -> bool {
        (self.live && audience != Audience::Arbiter) || (self.public && audience == Audience::Public)
    }

    /// The names of these audiences.
    pub fn names(self) -> Vec<&'static str> {
        Audience::ALL.into_iter().filter(|audience| self.holds_for(*audience)).map(Audience::name).collect()
    }
}

impl GameConfig {
    /// How castling is written and played.
    pub(crate) fn castling_mode(&self) -> CastlingMode {
        if self.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard }
    }

    /// The position that an arbiter's command gives.
    ///
    /// # Errors
    /// It is no FEN, or not of a legal position.
    pub(crate) fn position(&self, fen: &str) -> Result<Chess, &'static str> {
        let fen = Fen::from_ascii(fen.as_bytes()).map_err(|_| "the FEN cannot be read")?;
        fen.into_position(self.castling_mode()).map_err(|_| "the FEN is not a legal position")
    }
}
