//! Names what an arbiter must still decide in a game: another round must not begin, and the organiser's desk must not enter a result,
//! before it is decided.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use super::Game;
use crate::alarm::AlarmKind;
use crate::game_phase::GamePhase;
use crate::laws::outcome::Ending;

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

impl Game {
    /// What waits for an arbiter in this game; nothing once it has a result. A flag that costs nothing does not wait.
    pub fn open_matters(&self) -> Vec<OpenMatter> {
        if self.rulings.result.is_some() {
            return Vec::new();
        }
        let mut open: Vec<OpenMatter> = Vec::new();
        open.extend(self.rulings.flags_that_may_cost(&self.seen.clock.chessclock).map(OpenMatter::Flag));
        let illegal = [AlarmKind::IllegalMove, AlarmKind::PromotionNotReplaced, AlarmKind::PressedWithoutMove];
        let alarms = self.alarms.open().filter(|alarm| illegal.contains(&alarm.kind));
        open.extend(alarms.map(|alarm| OpenMatter::IllegalMove(alarm.side)));
        if self.entries.claim_open() {
            open.push(OpenMatter::Claim(self.entries.lodged.as_ref().map(|claim| claim.side)));
        }
        if open.is_empty() && self.rulings.entry_is_open() {
            open.push(OpenMatter::Finding);
        }
        open.dedup();
        open
    }

    /// How the game stands, if another round must wait for it: it is in play, or it is over and something that may change its result
    /// waits for an arbiter.
    pub fn unfinished(&self) -> Option<Unfinished> {
        let pending = || self.rulings.is_pending(&self.seen.clock.chessclock);
        let waits = match self.seen.phase.stage {
            GamePhase::Playing => true,
            GamePhase::Over => pending(),
            GamePhase::AwaitingSetUp | GamePhase::Armed => false,
        };
        waits.then(|| Unfinished {
            number: self.number(),
            ending: self.ending(),
            clock_runs: self.seen.clock.chessclock.runs().is_some(),
            open: self.open_matters(),
        })
    }
}
