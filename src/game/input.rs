//! What a game is told: device events, link changes, arbiters' commands, answers, deadlines.

use alloc::string::String;
// What the derived code calls.
#[cfg(feature = "schema")]
use alloc::string::ToString;

use flagfall_protocols::event::{ByteRange, DeviceEvent};
use serde::{Deserialize, Serialize};

use crate::laws::winnable::Answer;
use crate::pair::Pair;

/// One input of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A board or clock told something.
    Device {
        /// What.
        event: DeviceEvent,
        /// Where it was read.
        source: ByteRange,
    },
    /// The link to the board came up or went down.
    Link {
        /// It is up.
        up: bool,
    },
    /// An admitted command of an arbiter or operator.
    Command(Command),
    /// A worker's answer.
    Answer(Answer),
    /// The moment named by `Game::deadline` has come.
    Deadline,
}

/// A player's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the two names say it")]
pub enum Side {
    White,
    Black,
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs, reason = "the PGN notation says it")]
pub enum GameResult {
    #[serde(rename = "1-0")]
    WhiteWins,
    #[serde(rename = "0-1")]
    BlackWins,
    #[serde(rename = "1/2-1/2")]
    Draw,
    #[serde(rename = "*")]
    Open,
}

/// What an arbiter may record (`mqtt.md` section 5). A record changes what the daemon knows, never what a clock or board shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verb", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// A new game begins from the initial position, or from this one.
    StartGame {
        /// Start position, FEN; the initial position if none.
        #[serde(default)]
        fen: Option<String>,
    },
    /// The game goes on from this position (7.5.1, 8.5.3).
    SetPosition {
        /// The position, FEN.
        fen: String,
    },
    /// The moves that were made up to this one stay; the rest are taken back.
    TakeBack {
        /// Plies that stay.
        plies: u32,
    },
    /// The tentative moves, or these moves after the sure ones, were made.
    CorrectMove {
        /// Plies before the corrected move.
        plies: u32,
        /// The move that was made, UCI.
        #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-h][1-8][a-h][1-8][qrbn]?$")))]
        uci: String,
    },
    /// Moves completed by each player so far in the game.
    SetMoveCount {
        /// The counts.
        completed: Pair<u32>,
    },
    /// What the arbiter set on the clock, or which time control is right.
    SetClockRecord {
        /// Time control from here on, in PGN notation.
        #[serde(default)]
        time_control: Option<String>,
        /// Additional time per move from here on, seconds (Guideline III.4).
        #[serde(default)]
        additional_time: Option<u32>,
        /// A flag that the arbiter takes back.
        #[serde(default)]
        flag_taken_back: Option<Side>,
    },
    // The next three have braces since serde lets a variant without them pass with any fields.
    /// The arbiter stopped the chessclock (6.11.1).
    StopClocks {},
    /// The arbiter restarted the chessclock.
    RestartClocks {},
    /// White's display is the other one.
    SwapSides {},
    /// A flag-fall was observed by an arbiter or validly claimed (6.8), whether or not the clock has shown it.
    Claim {
        /// Whose flag.
        flag: Side,
        /// The period whose time it ended, from 1. If none: the flag of that side that fell last; if the clock has shown none,
        /// that of the present period.
        #[serde(default)]
        #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
        period: Option<u32>,
        /// When it was observed, microseconds since the journal began; now if none.
        #[serde(default)]
        observed_at: Option<u64>,
    },
    /// The game has this result.
    DeclareResult {
        /// The result.
        result: GameResult,
    },
    /// An alarm is dealt with.
    AcknowledgeAlert {
        /// Number of the alarm in the game.
        alarm: u32,
    },
}
