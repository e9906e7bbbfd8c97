//! What the tables ask about a game, whoever tells it: a board and its clock, or a person with a scoresheet.
//!
//! What is not known is `None` or an open interval, and the finding then names it; nothing has a friendly default.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::outcome::Ending;
use crate::laws::outcome::Phase;
use crate::laws::rulebook::Rulebook;

/// Everything that the Laws need to know of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The rules.
    pub rulebook: Rulebook,
    /// Time is added or given back with each move (6.3); none if the time control is not known.
    pub adds_time: Option<bool>,
    /// The clock does not behave as the time control says (6.10.2).
    pub setting_differs: bool,
    /// Flags that fell.
    pub flags: Vec<Flag>,
    /// What ended the game, or may have.
    pub endings: Vec<Ended>,
    /// Claims, whatever became of them.
    pub claims: Vec<Claimed>,
    /// Completed illegal moves, whatever became of them.
    pub illegal: Vec<Illegal>,
    /// The claimant's scoresheet is reasonably complete (US Chess 13C); none if nobody has said.
    pub scoresheet: Option<bool>,
    /// Whose flag fell first, as both players agree (club points 8, 11, 25); none if they do not.
    pub agreed_first: Option<Color>,
    /// Moves that each of the players has certainly completed; none if it is not known.
    pub completed_by_both: Option<u32>,
    /// When a move was completed after which an illegal position still stood on the board, left by the move before (A.5.4).
    pub illegal_position: Option<Interval>,
}

impl Facts {
    /// A game of which nothing is known but its rules.
    pub fn new(rulebook: Rulebook) -> Facts {
        Facts {
            rulebook,
            adds_time: None,
            setting_differs: false,
            flags: Vec::new(),
            endings: Vec::new(),
            claims: Vec::new(),
            illegal: Vec::new(),
            scoresheet: None,
            agreed_first: None,
            completed_by_both: None,
            illegal_position: None,
        }
    }

    /// Nothing was entered, no flag fell, no illegal move awaits its ruling: what stands on the board is all there is.
    pub(crate) fn undisputed(&self) -> bool {
        let on_board = |ended: &Ended| matches!(ended.end, End::Board { .. });
        let open = |illegal: &Illegal| illegal.treated == Treated::Open;
        self.flags.is_empty() && self.claims.is_empty() && !self.illegal.iter().any(open) && self.endings.iter().all(on_board)
    }
}

/// Who called a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// An arbiter observed it.
    Arbiter,
    /// The opponent claimed it, or declared it.
    Player,
}

/// A position that may be the one that counts (`laws/README.md#2.4`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The position.
    pub position: Chess,
    /// Why that one.
    pub phase: Phase,
}

/// One flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Whose.
    pub side: Color,
    /// When the allotted time expired.
    pub fell: Interval,
    /// The clock has shown it: what such a clock shows first fell first, even where the intervals touch.
    pub shown: bool,
    /// It was shown together with the other side's flag: their order is not known.
    pub fell_second: bool,
    /// When it was observed or validly claimed (6.8); none if it was not.
    pub observed_at: Option<Instant>,
    /// By whom; none if that was not said.
    pub called_by: Option<Caller>,
    /// Both clocks were stopped with it (club point 10).
    pub clocks_stopped: Option<bool>,
    /// It ended the last period.
    pub last: Option<bool>,
    /// Moves to be completed by the end of the period, counted from move 1; none in the last period or where it is not known.
    pub required: Option<u32>,
    /// Moves certainly completed before the fall, and whether one more may have been; none if it is not known.
    pub completed: Option<(u32, bool)>,
    /// The position after the last move made before the fall was observed; more than one where that is not sure. An empty list
    /// stands for a position that nobody knows.
    pub positions: Vec<Counted>,
    /// For each of `positions`: the opponent has a forced win, where US Chess 14E2 and 14E3 ask; none if it is not known.
    pub forced_wins: Vec<Option<bool>>,
    /// Moves may have been made that nobody has recorded.
    pub moves_missing: bool,
    /// The game seemed to have ended before, and no result was entered.
    pub apparently_over: bool,
    /// An arbiter has ruled that it costs nothing.
    pub set_aside: bool,
}

impl Flag {
    /// A fall of which nothing is known but whose it was and when.
    pub fn new(side: Color, fell: Interval) -> Flag {
        Flag {
            side,
            fell,
            shown: true,
            fell_second: false,
            observed_at: None,
            called_by: None,
            clocks_stopped: None,
            last: None,
            required: None,
            completed: None,
            positions: Vec::new(),
            forced_wins: Vec::new(),
            moves_missing: false,
            apparently_over: false,
            set_aside: false,
        }
    }

    /// The required moves were certainly completed: it costs nothing (6.4).
    pub(crate) fn required_moves_completed(&self) -> bool {
        self.last == Some(false) && self.completed.zip(self.required).is_some_and(|((done, _), required)| done >= required)
    }

    /// The required moves were certainly not completed, or none are required.
    pub(crate) fn surely_costs(&self) -> bool {
        let short = |(done, doubtful): (u32, bool)| {
            self.required.is_some_and(|required| done + u32::from(doubtful) < required) && !self.moves_missing
        };
        self.last == Some(true) || (self.last == Some(false) && self.completed.is_some_and(short))
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By a move of this side on the board.
    Board {
        /// What the move did.
        ending: Ending,
        /// Whose move.
        by: Color,
    },
    /// This side resigned (5.1.2).
    Resignation {
        /// Who.
        by: Color,
    },
    /// A draw was agreed (5.2.3).
    Agreement {
        /// Both players had made a move; none if that is not known.
        both_moved: Option<bool>,
    },
    /// This side captured the king (club point 3.3).
    KingCaptured {
        /// Who.
        by: Color,
    },
}

/// Something that ended the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What.
    pub end: End,
    /// When: a move that ends the game when it was made.
    pub at: Interval,
    /// When its maker pressed or the clocks were stopped, if they were (club point 7).
    pub pressed: Option<Interval>,
    /// The position at that moment; more than one where it is not sure.
    pub positions: Vec<Counted>,
}

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Whose.
    pub by: Color,
    /// On what it rests.
    pub ground: Ground,
    /// When it was lodged.
    pub at: Interval,
    /// What became of it.
    pub standing: Standing,
    /// The time that it brings the opponent was added on his clock; none if that is not known.
    pub time_added: Option<bool>,
}

/// In which way a move was illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IllegalKind {
    /// No legal move (7.5.1).
    Move,
    /// A pawn on the last rank was not replaced (7.5.2).
    PromotionNotReplaced,
    /// The clock was pressed without a move (7.5.3).
    PressedWithoutMove,
    /// Both hands were used (7.5.4).
    TwoHands,
}

/// What became of an illegal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treated {
    /// Nobody has ruled on it.
    Open,
    /// It was dealt with; whether it was counted was not said.
    Settled,
    /// It was ruled an illegal move.
    Counted,
    /// It was ruled to be none.
    NotCounted,
}

/// A completed illegal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// Whose.
    pub by: Color,
    /// In which way.
    pub kind: IllegalKind,
    /// When the clock was pressed.
    pub at: Interval,
    /// What became of it.
    pub treated: Treated,
    /// When the opponent made his next move, if he did (A.5.2).
    pub reply: Option<Interval>,
    /// When he pressed after it, if he certainly did (club point 15).
    pub reply_pressed: Option<Interval>,
    /// The position that is restored (7.5.1), or with a queen for the pawn (7.5.2); more than one where it is not sure.
    pub positions: Vec<Counted>,
    /// The time that it brings the opponent was added on his clock; none if that is not known.
    pub time_added: Option<bool>,
}
