//! Says what an arbiter must still decide in a game: another round must not begin, and the organiser's desk must not enter a result, before
//! it is decided. Keeps the games that were left, whose results can still be entered.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::decision::Decision;
use crate::laws::outcome::{Ending, GameResult};

/// Something in a game that waits for an arbiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMatter {
    /// A flag fell before the end of the game, and may cost it.
    Flag(Color),
    /// An illegal move (7.5); none if nobody knows whose.
    IllegalMove(Option<Color>),
    /// A claim of a player.
    Claim(Option<Color>),
    /// Another finding, such as one on a resignation.
    Finding,
    /// Whether the game is the round's.
    RoundGame,
}

impl OpenMatter {
    /// What is open, as the beginning of a sentence.
    pub fn words(self) -> String {
        let of = |side: Option<Color>| match side {
            Some(Color::White) => " by White",
            Some(Color::Black) => " by Black",
            None => "",
        };
        match self {
            OpenMatter::Flag(Color::White) => "White's flag fell and awaits a decision".to_string(),
            OpenMatter::Flag(Color::Black) => "Black's flag fell and awaits a decision".to_string(),
            OpenMatter::IllegalMove(side) => format!("an illegal move{} awaits a ruling", of(side)),
            OpenMatter::Claim(side) => format!("a claim{} awaits a decision", of(side)),
            OpenMatter::Finding => "a finding awaits a decision".to_string(),
            OpenMatter::RoundGame => "nobody has said whether it is the round's game".to_string(),
        }
    }
}

/// How a game stands that is not finished for everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The number of the game.
    pub number: u32,
    /// The ending that stands on the board.
    pub ending: Option<Ending>,
    /// Whether a clock runs.
    pub clock_runs: bool,
    /// What waits for an arbiter.
    pub open: Vec<OpenMatter>,
}

/// What an entered result must fit in with.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) moves: bool,
    /// Why the game is in play; none if it is not.
    pub(crate) in_play: Option<&'static str>,
    pub(crate) result: Option<GameResult>,
    /// The decision that gave the result.
    pub(crate) decision: Option<Box<Decision>>,
    /// The decision of an arbiter that the game goes on, if it is the last one and no move was made since.
    pub(crate) goes_on: Option<Box<Decision>>,
    /// The ending on the board, and its result.
    pub(crate) ending: Option<(Ending, GameResult)>,
    pub(crate) open: Vec<OpenMatter>,
}

/// A game with moves that is not on the board any more.
#[derive(Clone, Debug)]
pub(crate) struct LeftGame {
    pub(crate) number: u32,
    pub(crate) standing: Standing,
}

impl Standing {
    /// Whether the organiser's desk may enter this result.
    ///
    /// # Errors
    /// The text names what stands against it.
    pub(crate) fn check(&self, result: GameResult) -> Result<(), Cow<'static, str>> {
        if !self.moves {
            return Err("no move was made in this game".into());
        }
        match (self.result, &self.decision) {
            (Some(known), _) if known == result => return Ok(()),
            // The desk may take its own result back. Another one is checked as if none stood.
            (Some(_), Some(decision)) if decision.by_organiser && result == GameResult::Open => return Ok(()),
            (Some(_), Some(decision)) if decision.by_organiser => {}
            (Some(_), Some(decision)) => return Err(format!("{}: only an arbiter can change it", decision.words()).into()),
            (Some(known), None) => return Err(format!("the game has the result {}", known.words()).into()),
            (None, _) => {}
        }
        if let Some(decision) = self.goes_on.as_ref().filter(|_| result != GameResult::Open) {
            return Err(format!("{}: only an arbiter can change it", decision.words()).into());
        }
        if !self.open.is_empty() {
            let open: Vec<String> = self.open.iter().map(|open| open.words()).collect();
            return Err(open.join(", and ").into());
        }
        if let Some(why) = self.in_play.filter(|_| result != GameResult::Open) {
            return Err(format!("the game is in play: {why}").into());
        }
        match self.ending {
            Some((ending, by_board)) if result != GameResult::Open && result != by_board => Err(format!(
                "{}: the result is {}, and only an arbiter can declare another one",
                ending.words(),
                by_board.words()
            )
            .into()),
            _ => Ok(()),
        }
    }
}
