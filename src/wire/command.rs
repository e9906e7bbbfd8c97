//! Defines the commands as JSON, in payloads and in the journal: those that a game carries out, and those for the daemon.

use flagfall_game::input;
use flagfall_protocols::trace::Audience;
use serde::{Deserialize, Serialize};

use super::claim::{Ground, Standing};
use super::finding::FindingKey;
use super::outcome::GameResult;
use super::player::{Pair, Side};

/// What an arbiter may record (`wire/README.md#5`). A record changes what the daemon knows, never what a clock or board shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
        #[schemars(regex(pattern = r"^[a-h][1-8][a-h][1-8][qrbn]?$"))]
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
    /// Of two flags that are down, the flag of this side fell first, as the arbiter has established (III.3.1) or, by the club's
    /// rules, both players agree. It concerns the last flag of each side.
    SetFlagOrder {
        /// Whose flag fell first.
        first: Side,
    },
    // The next three have braces, since serde accepts any fields for a variant without braces.
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
        #[schemars(range(min = 1))]
        period: Option<u32>,
        /// When it was observed, microseconds since the journal began; now if none.
        #[serde(default)]
        observed_at: Option<u64>,
    },
    /// A claim or request of a player that rests on something else than a flag (9.2, 9.3, Guidelines III.4 and III.5). As a
    /// command it is a `claim` too.
    ClaimOn {
        /// Who claims.
        side: Side,
        /// On what it rests.
        ground: Ground,
        /// Where it stands.
        standing: Standing,
        /// The move that the player wrote down and intends to make, UCI (9.2.1, 9.3.1); if none, it is about the position on
        /// the board.
        #[serde(default)]
        #[schemars(with = "Option<String>", regex(pattern = r"^[a-h][1-8][a-h][1-8][qrbn]?$"))]
        uci: Option<String>,
    },
    /// A player offered a draw (9.1).
    Offer {
        /// Who.
        side: Side,
    },
    /// A player accepted the opponent's offer: the game is drawn (5.2.3).
    Accept {
        /// Who.
        side: Side,
    },
    /// A player resigned (5.1.2).
    Resign {
        /// Who.
        side: Side,
    },
    /// A penalty, an adjustment of times, a ruling on an illegal move (7.5, 9.5.3, 12.9): at least one of them.
    Penalty {
        /// Whom it is given to; of an illegal move, who made it.
        side: Side,
        /// Seconds that each player's time was changed by on the clock; less than 0 = taken away.
        #[serde(default)]
        seconds: Option<Pair<i32>>,
        /// Number of the alarm of an illegal move in the game; with `counts`. If none, no sensor saw the move (7.5.4).
        #[serde(default)]
        alarm: Option<u32>,
        /// That move counts towards the player's second one (7.5.5).
        #[serde(default)]
        counts: Option<bool>,
    },
    /// What a finding proposes is decided.
    Confirm {
        /// The finding as the arbiter saw it.
        finding: FindingKey,
    },
    /// What a finding proposes is not so: the game goes on.
    Reject {
        /// The finding as the arbiter saw it.
        finding: FindingKey,
    },
    /// The game has this result.
    DeclareResult {
        /// The result.
        result: GameResult,
    },
    /// The organiser's desk enters the result of the game that the lock names. It counts if the game is not in play, nothing in it waits
    /// for an arbiter, and no arbiter decided otherwise. Since version 1.2.
    EnterResult {
        /// The number of the game, from the lock.
        game_no: u32,
        /// The result; `*` = the desk takes its own entry back.
        result: GameResult,
        /// The role of the sender is `organiser`.
        #[serde(default)]
        by_organiser: bool,
    },
    /// An alarm is dealt with.
    AcknowledgeAlert {
        /// Number of the alarm in the game.
        alarm: u32,
    },
}

impl From<Command> for input::Command {
    fn from(command: Command) -> input::Command {
        use input::Command as Own;
        match command {
            Command::StartGame { fen } => Own::StartGame { fen },
            Command::SetPosition { fen } => Own::SetPosition { fen },
            Command::TakeBack { plies } => Own::TakeBack { plies },
            Command::CorrectMove { plies, uci } => Own::CorrectMove { plies, uci },
            Command::SetMoveCount { completed } => Own::SetMoveCount { completed: completed.into() },
            Command::SetClockRecord { time_control, additional_time, flag_taken_back } => {
                Own::SetClockRecord { time_control, additional_time, flag_taken_back: flag_taken_back.map(Into::into) }
            }
            Command::SetFlagOrder { first } => Own::SetFlagOrder { first: first.into() },
            Command::StopClocks {} => Own::StopClocks,
            Command::RestartClocks {} => Own::RestartClocks,
            Command::SwapSides {} => Own::SwapSides,
            Command::Claim { flag, period, observed_at } => Own::Claim { flag: flag.into(), period, observed_at },
            Command::ClaimOn { side, ground, standing, uci } => {
                Own::ClaimOn { side: side.into(), ground: ground.into(), standing: standing.into(), uci }
            }
            Command::Offer { side } => Own::Offer { side: side.into() },
            Command::Accept { side } => Own::Accept { side: side.into() },
            Command::Resign { side } => Own::Resign { side: side.into() },
            Command::Penalty { side, seconds, alarm, counts } => {
                Own::Penalty { side: side.into(), seconds: seconds.map(Into::into), alarm, counts }
            }
            Command::Confirm { finding } => Own::Confirm { finding: finding.into() },
            Command::Reject { finding } => Own::Reject { finding: finding.into() },
            Command::DeclareResult { result } => Own::DeclareResult { result: result.into() },
            Command::EnterResult { game_no, result, by_organiser } => {
                Own::EnterResult { game_no, result: result.into(), by_organiser }
            }
            Command::AcknowledgeAlert { alarm } => Own::AcknowledgeAlert { alarm },
        }
    }
}

/// What a command wants of the daemon, not of the game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(tag = "verb", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DaemonAction {
    /// From now on this device is the board's: exactly one of the three is given.
    BindDevice {
        /// Its id in topics.
        #[schemars(with = "String", regex(pattern = r"^[a-z0-9-]{1,40}$"))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        device: Option<String>,
        /// Its own serial number.
        #[schemars(with = "String", length(min = 1, max = 200))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        serial: Option<String>,
        /// The path of its port.
        #[schemars(with = "String", length(min = 1, max = 200))]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        port: Option<String>,
    },
    /// Whether the game on the board, which only arbiters see, is the round's: if it is, it is published from its beginning; if not,
    /// it is private.
    SetRoundGame {
        /// It is the round's game.
        of_the_round: bool,
    },
    /// Events are to be sent again.
    Resync {
        /// The first number that is missing.
        #[schemars(range(min = 1))]
        from: u64,
        /// Whose events.
        #[serde(with = "audience")]
        #[schemars(with = "String", extend("enum" = ["arbiter", "live", "public"]))]
        audience: Audience,
    },
}

mod audience {
    use super::{Audience, Deserialize};
    use serde::{Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(audience: &Audience, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(audience.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Audience, D::Error> {
        let name = String::deserialize(deserializer)?;
        Audience::find(&name).ok_or_else(|| D::Error::custom("audience: neither arbiter, live nor public"))
    }
}
