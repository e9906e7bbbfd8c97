//! Defines the inputs of a game: device events, link changes, arbiters' commands, answers, deadlines.

use alloc::boxed::Box;
use alloc::string::String;
use flagfall_protocols::square::Color;

use flagfall_protocols::event::{ByteRange, DeviceEvent};
use flagfall_protocols::time::Instant;

use crate::laws::claim::{Ground, Standing};
use crate::laws::finding::FindingKey;
use crate::laws::outcome::GameResult;
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
    /// A command that nobody is known to have given, as traces have it.
    Command(Command),
    /// An admitted command of an arbiter or operator, and who gave it.
    Signed {
        /// What is to be recorded.
        command: Box<Command>,
        /// Who says so, and why.
        author: Box<Author>,
    },
    /// A device's link came up, and how well its radio is received is known; by cable it is well.
    Signal {
        /// The clock that has a link of its own, not the board.
        clock: bool,
        /// It was received so weakly that it may be lost.
        weak: bool,
    },
    /// An arbiter named the device that is the board's from now on.
    Bound,
    /// Whether an arbiter must say whether the game on the board is the round's: only arbiters see it, and the round's game has no
    /// result.
    AskAboutRound {
        /// The question is open.
        open: bool,
    },
    /// A worker's answer.
    Answer(Answer),
    /// The moment named by `Game::deadline` has come.
    Deadline,
}

/// The author of a command and his remarks, with which a decision is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// The user.
    pub name: Option<String>,
    /// The sender's id of the command, `[A-Za-z0-9._:-]{1,64}`.
    pub command: Option<String>,
    /// Why, in the sender's words.
    pub reason: Option<String>,
    /// When the arbiter saw what it is about.
    pub observed_at: Option<Instant>,
}

impl Author {
    /// True if the command has a reason.
    pub(crate) fn gives_reason(&self) -> bool {
        self.reason.as_deref().is_some_and(|reason| !reason.trim().is_empty())
    }
}

/// What an arbiter may record (`wire/README.md#5`). A record changes what the daemon knows, never what a clock or board shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A new game begins from the initial position, or from this one.
    StartGame {
        /// Start position, FEN; the initial position if none.
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
        time_control: Option<String>,
        /// Additional time per move from here on, seconds (Guideline III.4).
        additional_time: Option<u32>,
        /// A flag that the arbiter takes back.
        flag_taken_back: Option<Color>,
    },
    /// Of two flags that are down, the flag of this side fell first, as an arbiter has established (6.8, III.3.1) or, by the
    /// club's rules, both players agree (points 8, 11, 25).
    SetFlagOrder {
        /// Whose flag fell first.
        first: Color,
    },
    /// The arbiter stopped the chessclock (6.11.1).
    StopClocks,
    /// The arbiter restarted the chessclock.
    RestartClocks,
    /// White's display is the other one.
    SwapSides,
    /// A flag-fall was observed by an arbiter or validly claimed (6.8), whether or not the clock has shown it.
    Claim {
        /// Whose flag.
        flag: Color,
        /// The period whose time it ended, from 1. If none: the flag of that side that fell last; if the clock has shown none,
        /// that of the present period.
        period: Option<u32>,
        /// When it was observed, microseconds since the journal began; now if none.
        observed_at: Option<u64>,
    },
    /// A claim or request of a player that rests on something else than a flag (9.2, 9.3, Guidelines III.4 and III.5). As a
    /// command it is a `claim` too.
    ClaimOn {
        /// Who claims.
        side: Color,
        /// On what it rests.
        ground: Ground,
        /// Where it stands.
        standing: Standing,
        /// The move that the player wrote down and intends to make, UCI (9.2.1, 9.3.1); if none, it is about the position on
        /// the board.
        uci: Option<String>,
    },
    /// A player offered a draw (9.1).
    Offer {
        /// Who.
        side: Color,
    },
    /// A player accepted the opponent's offer: the game is drawn (5.2.3).
    Accept {
        /// Who.
        side: Color,
    },
    /// A player resigned (5.1.2).
    Resign {
        /// Who.
        side: Color,
    },
    /// A penalty, an adjustment of times, a ruling on an illegal move (7.5, 9.5.3, 12.9): at least one of them.
    Penalty {
        /// Whom it is given to; of an illegal move, who made it.
        side: Color,
        /// Seconds that each player's time was changed by on the clock; less than 0 = taken away.
        seconds: Option<Pair<i32>>,
        /// Number of the alarm of an illegal move in the game; with `counts`. If none, no sensor saw the move (7.5.4).
        alarm: Option<u32>,
        /// That move counts towards the player's second one (7.5.5).
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
    /// An alarm is dealt with.
    AcknowledgeAlert {
        /// Number of the alarm in the game.
        alarm: u32,
    },
}
