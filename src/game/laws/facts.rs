//! Defines the facts of a game on which the decision tables rest. They come from a board and its clock, or from a person with a
//! scoresheet.
//!
//! A fact that is not known is `None` or an open interval, and the finding then names it. No fact has a favourable default.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::interval::Interval;
use crate::laws::claim::{Ground, Standing};
use crate::laws::outcome::Ending;
use crate::laws::outcome::Phase;
use crate::laws::rulebook::Rulebook;

/// All facts of one game that the Laws need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The rules.
    pub rulebook: Rulebook,
    /// True if time is added or given back with each move (6.3); none if the time control is not known.
    pub adds_time: Option<bool>,
    /// True if the clock does not behave as the time control says (6.10.2).
    pub setting_differs: bool,
    /// The flags that fell.
    pub flags: Vec<Flag>,
    /// The same flags, in the same order, as they are if left and right of the clock are exchanged. Empty if it is certain
    /// whose display is whose.
    pub exchanged_flags: Vec<Flag>,
    /// The events that ended the game or may have ended it.
    pub endings: Vec<Ended>,
    /// All claims, also those that were decided.
    pub claims: Vec<Claimed>,
    /// All completed illegal moves, also those that were dealt with.
    pub illegal: Vec<Illegal>,
    /// True if the claimant's scoresheet is reasonably complete (US Chess 13C); none if nobody has said so.
    pub scoresheet: Option<bool>,
    /// The side whose flag fell first, if both players agree on it (club points 8, 11, 25).
    pub agreed_first: Option<Color>,
    /// The number of moves that both players have certainly completed; none if it is not known.
    pub completed_by_both: Option<u32>,
    /// The time at which a move was completed after which an illegal position, left by the move before, still stood (A.5.4).
    pub illegal_position: Option<Interval>,
}

impl Facts {
    /// The facts of a game of which only the rules are known.
    pub fn new(rulebook: Rulebook) -> Facts {
        Facts {
            rulebook,
            adds_time: None,
            setting_differs: false,
            flags: Vec::new(),
            exchanged_flags: Vec::new(),
            endings: Vec::new(),
            claims: Vec::new(),
            illegal: Vec::new(),
            scoresheet: None,
            agreed_first: None,
            completed_by_both: None,
            illegal_position: None,
        }
    }

    /// The facts if left and right of the clock are exchanged; none if they certainly are not.
    pub(crate) fn with_exchanged_sides(&self) -> Option<Facts> {
        let doubtful = !self.exchanged_flags.is_empty() && self.exchanged_flags.len() == self.flags.len();
        // Who pressed before his move was made is not known if the sides are exchanged.
        let moved = |illegal: &&Illegal| illegal.kind != IllegalKind::PressedWithoutMove;
        doubtful.then(|| Facts {
            flags: self.exchanged_flags.clone(),
            exchanged_flags: Vec::new(),
            illegal: self.illegal.iter().filter(moved).cloned().collect(),
            ..self.clone()
        })
    }

    /// True if nothing was entered, no flag fell, and no illegal move awaits its ruling, so that only the board counts.
    pub(crate) fn undisputed(&self) -> bool {
        let on_board = |ended: &Ended| matches!(ended.end, End::Board { .. });
        let open = |illegal: &Illegal| illegal.treated == Treated::Open;
        self.flags.is_empty() && self.claims.is_empty() && !self.illegal.iter().any(open) && self.endings.iter().all(on_board)
    }
}

/// The person who called a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// An arbiter observed the flag.
    Arbiter,
    /// The opponent claimed or declared the flag.
    Player,
}

/// A position that may be the one that counts (`laws/README.md#2.4`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The position.
    pub position: Chess,
    /// The part of the move in which this position counts.
    pub phase: Phase,
}

/// One flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The player whose flag fell.
    pub side: Color,
    /// The time at which the allotted time expired.
    pub fell: Interval,
    /// True if the clock has shown the fall. Of two falls, the one that the clock shows first came first, even if their
    /// intervals touch.
    pub shown: bool,
    /// True if it fell after the other side's flag, by the sign of the clock or by an arbiter's record.
    pub fell_second: bool,
    /// True if an arbiter has recorded the order of this flag and one of the other side. His record stands above every time.
    pub order_recorded: bool,
    /// The time at which it was observed or validly claimed (6.8); none if it was not.
    pub observed_at: Option<Instant>,
    /// The person who observed or claimed it; none if this is not known.
    pub called_by: Option<Caller>,
    /// True if both clocks were stopped with it (club point 10).
    pub clocks_stopped: Option<bool>,
    /// True if it ended the last period.
    pub last: Option<bool>,
    /// The number of moves to be completed by the end of the period, counted from move 1; none in the last period or if not
    /// known.
    pub required: Option<u32>,
    /// The number of moves certainly completed before the fall, and whether one more may have been; none if not known.
    pub completed: Option<(u32, bool)>,
    /// The position after the last move made before the fall was observed. There is more than one if this is not sure, and
    /// none if the position is not known.
    pub positions: Vec<Counted>,
    /// The position before the move that ended the game on the board; none if no move did.
    pub before_ending: Option<Counted>,
    /// For each of `positions` whether the opponent has a forced win, if US Chess 14E2 or 14E3 applies; none if not known.
    pub forced_wins: Vec<Option<bool>>,
    /// True if moves may have been made that are not recorded.
    pub moves_missing: bool,
    /// True if the game seemed to have ended before, and no result was entered.
    pub apparently_over: bool,
    /// True if an offer of a draw that the opponent may still accept was open when the fall was observed, or is open now if it
    /// was not (5.2.3, 9.1).
    pub open_offer: bool,
    /// True if an arbiter has ruled that the flag has no effect.
    pub set_aside: bool,
}

impl Flag {
    /// A fall of which only the side and the time are known.
    pub fn new(side: Color, fell: Interval) -> Flag {
        Flag {
            side,
            fell,
            shown: true,
            fell_second: false,
            order_recorded: false,
            observed_at: None,
            called_by: None,
            clocks_stopped: None,
            last: None,
            required: None,
            completed: None,
            positions: Vec::new(),
            before_ending: None,
            forced_wins: Vec::new(),
            moves_missing: false,
            apparently_over: false,
            open_offer: false,
            set_aside: false,
        }
    }

    /// True if the required moves were certainly completed, so that the flag has no effect (6.4).
    pub(crate) fn required_moves_completed(&self) -> bool {
        self.last == Some(false) && self.completed.zip(self.required).is_some_and(|((done, _), required)| done >= required)
    }

    /// True if the required moves were certainly not completed, or if none are required.
    pub(crate) fn surely_costs(&self) -> bool {
        let short = |(done, doubtful): (u32, bool)| {
            self.required.is_some_and(|required| done + u32::from(doubtful) < required) && !self.moves_missing
        };
        self.last == Some(true) || (self.last == Some(false) && self.completed.is_some_and(short))
    }
}

/// The way in which a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// This side made a move on the board that ended the game.
    Board {
        /// The ending on the board.
        ending: Ending,
        /// The player who made the move.
        by: Color,
    },
    /// This side resigned (5.1.2).
    Resignation {
        /// The player who resigned.
        by: Color,
    },
    /// A draw was agreed (5.2.3).
    Agreement {
        /// True if both players had made a move; none if this is not known.
        both_moved: Option<bool>,
    },
    /// This side captured the king (club point 3.3).
    KingCaptured {
        /// The player who captured the king.
        by: Color,
    },
}

/// An event that ended the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The way in which the game ended.
    pub end: End,
    /// The time of the event. A move ends the game when it is made.
    pub at: Interval,
    /// The time at which the player pressed after the move or the clocks were stopped, if they were (club point 7).
    pub pressed: Option<Interval>,
    /// The position at that time; more than one if it is not sure.
    pub positions: Vec<Counted>,
}

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The claimant.
    pub by: Color,
    /// The ground of the claim.
    pub ground: Ground,
    /// The time at which it was lodged.
    pub at: Interval,
    /// The standing of the claim.
    pub standing: Standing,
    /// True if the opponent's time for a refused claim was added on his clock; none if this is not known.
    pub time_added: Option<bool>,
    /// True if the record of the game bears the claim out; none if it does not tell.
    pub correct: Option<bool>,
    /// True if the claimant has written down a move that he intends to make (9.2.1, 9.3.1).
    pub indicated: bool,
    /// True if the claimant has made a move since, so that nobody waits for a ruling any more. A flag that falls later still
    /// leaves the claim open, because a claim cannot be withdrawn (9.5).
    pub played_on: bool,
}

/// The way in which a move was illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IllegalKind {
    /// The move was not legal (7.5.1).
    Move,
    /// A pawn on the last rank was not replaced (7.5.2).
    PromotionNotReplaced,
    /// The clock was pressed without a move (7.5.3).
    PressedWithoutMove,
    /// Both hands were used (7.5.4).
    TwoHands,
}

/// The treatment of an illegal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treated {
    /// Nobody has ruled on it.
    Open,
    /// It was dealt with, but nobody said whether it counts.
    Settled,
    /// It was ruled an illegal move.
    Counted,
    /// It was ruled to be no illegal move.
    NotCounted,
}

/// A completed illegal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The player who completed it.
    pub by: Color,
    /// The kind of illegal move.
    pub kind: IllegalKind,
    /// The time at which the clock was pressed.
    pub at: Interval,
    /// The treatment of the illegal move.
    pub treated: Treated,
    /// The time of the opponent's next move, if there was one (A.5.2).
    pub reply: Option<Interval>,
    /// The time at which the opponent pressed after it, if he certainly did (club point 15).
    pub reply_pressed: Option<Interval>,
    /// The position that is restored (7.5.1), or the position with a queen for the pawn (7.5.2); more than one if it is not
    /// sure.
    pub positions: Vec<Counted>,
    /// True if the opponent's time for it was added on his clock; none if this is not known.
    pub time_added: Option<bool>,
}
