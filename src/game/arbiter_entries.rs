//! Keeps the arbiter's entries about events that no sensor sees: offers, agreements, resignations, claims, penalties, rulings on
//! illegal moves (Articles 5.1.2, 5.2.3, 7.5, 9, 12.9, Guideline III).

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::decision::Claim;
use crate::input::Command;
use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::outcome::Kind;

/// The content of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// A draw was offered.
    Offer,
    /// An offer was accepted.
    Agreement,
    /// The player resigned.
    Resignation,
    /// A claim.
    Claim {
        /// On what it rests.
        ground: Ground,
        /// Where it stands.
        standing: Standing,
    },
    /// A completed illegal move was ruled on.
    IllegalMove {
        /// Number of its alarm in the game; 0 = an arbiter saw it and no sensor did (7.5.4).
        alarm: u32,
        /// It counts towards the player's second one (7.5.5).
        counts: bool,
    },
}

/// One entry. A later entry about the same thing supersedes an earlier one, which is kept. Only entries that would have ended
/// a game are removed when an arbiter declares that it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The player who offered, agreed, resigned, claimed or moved.
    pub side: Color,
    /// The content of the entry.
    pub what: Entered,
    /// The time of the event, if the arbiter stated it; otherwise the time of the entry.
    pub happened: Interval,
    /// The time of the entry.
    pub entered: Instant,
    /// The sender's id of the command; none if it had none.
    pub command: Option<String>,
    /// What the record of the game says of a claim; none for other entries.
    pub claim: Option<Claim>,
}

/// The order of two flags, one of each side, as an arbiter has recorded it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlagOrder {
    /// The side whose flag fell first.
    pub(crate) first: Color,
    /// The numbers of the two falls.
    pub(crate) falls: [u32; 2],
}

/// The ids of the commands that set the facts on which findings about flags rest; none if no command did, or if it had no id.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetBy {
    /// The time control.
    pub(crate) time_control: Option<String>,
    /// The additional time of that time control (Guideline III.4).
    pub(crate) additional_time: Option<String>,
    /// The number of completed moves.
    pub(crate) move_count: Option<String>,
    /// The position, or the moves that led to it. The last such command counts.
    pub(crate) position: Option<String>,
    /// Which side of the clock is White's.
    pub(crate) sides: Option<String>,
    /// The order of two flags.
    pub(crate) flag_order: Option<String>,
}

/// The entries of one game in the order in which they were entered, at most [`ArbiterEntries::MAX`].
#[derive(Clone, Debug, Default)]
pub struct ArbiterEntries {
    entries: Vec<Statement>,
    pub(crate) set_by: SetBy,
    /// The last claim that was lodged and has no decision.
    pub(crate) lodged: Option<Claim>,
    /// Which of two flags fell first; none if nobody has said so.
    pub(crate) flag_order: Option<FlagOrder>,
}

impl ArbiterEntries {
    /// The largest number of entries kept for one game. No real game has so many; a further entry is refused.
    pub const MAX: usize = 256;

    /// The entries.
    pub fn all(&self) -> &[Statement] {
        &self.entries
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// Fails if there are too many entries.
    pub fn enter(&mut self, entry: Statement) -> Result<(), &'static str> {
        if self.entries.len() == ArbiterEntries::MAX {
            return Err("the game has too many entries");
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Notes the id of the command that set the position or the clock's sides, because findings name it.
    pub(crate) fn note_setter(&mut self, command: &Command, id: Option<&String>) {
        let setter = match command {
            Command::StartGame { fen: Some(_) }
            | Command::SetPosition { .. }
            | Command::CorrectMove { .. }
            | Command::TakeBack { .. } => &mut self.set_by.position,
            Command::SwapSides => &mut self.set_by.sides,
            _ => return,
        };
        *setter = id.cloned();
    }

    /// True if a claim was lodged that has no decision.
    pub(crate) fn claim_open(&self) -> bool {
        let claim = |entry: &Statement| match entry.what {
            Entered::Claim { ground, standing } => Some((entry.side, ground, standing == Standing::Lodged)),
            _ => None,
        };
        self.entries.iter().enumerate().any(|(index, entry)| {
            let Some((side, ground, true)) = claim(entry) else { return false };
            !self.entries[index + 1..].iter().any(|later| claim(later) == Some((side, ground, false)))
        })
    }

    /// Removes the entries that would have ended the game, because it goes on.
    pub(crate) fn forget_endings(&mut self) {
        self.entries.retain(|entry| match entry.what {
            Entered::Agreement | Entered::Resignation => false,
            Entered::Claim { standing, .. } => standing != Standing::Accepted,
            Entered::Offer | Entered::IllegalMove { .. } => true,
        });
    }

    /// Removes the entries of this kind, which were rejected, for one side if it is known.
    pub(crate) fn forget(&mut self, kind: Kind, side: Option<Color>) {
        self.entries.retain(|entry| {
            let meant = match entry.what {
                Entered::Agreement => kind == Kind::Agreement,
                Entered::Resignation => kind == Kind::Resignation && side.is_none_or(|side| side == entry.side),
                Entered::Claim { standing: Standing::Accepted, .. } => kind == Kind::Claim,
                Entered::Claim { .. } | Entered::Offer | Entered::IllegalMove { .. } => false,
            };
            !meant
        });
    }

    /// Begins another game.
    pub fn clear(&mut self) {
        *self = ArbiterEntries::default();
    }
}
