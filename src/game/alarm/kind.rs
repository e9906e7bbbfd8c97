//! Defines the kinds of alarms, and for each kind its class: whether an arbiter should go to the board.

use crate::laws::facts::IllegalKind;
use crate::laws::outcome::Ending;

/// The subject of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlarmKind {
    /// A flag fell (6.1.1).
    Flag,
    /// The board shows no legal move and the clock was pressed (7.5.1).
    IllegalMove,
    /// A pawn stands on its last rank and the clock was pressed (7.5.2).
    PromotionNotReplaced,
    /// The clock was pressed and nothing had been moved (7.5.3).
    PressedWithoutMove,
    /// The same position for the fifth time (9.6.1).
    FivefoldRepetition,
    /// 75 moves by each side without a pawn move or capture (9.6.2).
    SeventyFiveMoves,
    /// Neither side can mate (5.2.2).
    DeadPosition,
    /// Three or more squares changed at once and it is not one move (7.4).
    PiecesDisplaced,
    /// The board does not answer, or its link is gone.
    BoardLost,
    /// The clock is unplugged, or runs and is not heard.
    ClockLost,
    /// The times or additions do not fit the configured time control (6.10.2).
    ClockSettingDiffers,
    /// The clock added a period at another move than the required one.
    ClockCountDiffers,
    /// The first presses contradict the configured side of White's clock: left and right may be exchanged.
    ClockSidesDiffer,
    /// The clock of the side not to move was started.
    WrongClockRunning,
    /// A display shows zero and no flag sign.
    ClockAtZero,
    /// A position in which a game begins, but for one or two squares or an exchanged king and queen (7.2).
    WrongSetUp,
    /// A move is made and not completed: at a flag-fall, or for longer than ten seconds.
    IncompleteMove,
    /// A piece has been in the hand for more than five seconds (4.3).
    PieceInHand,
    /// A move by the side whose clock stands still.
    MovedByWrongSide,
    /// The board and the game differ and nobody is moving.
    PositionDiffers,
    /// A king that nobody should be holding is not on the board.
    KingMissing,
    /// More men than a game can have.
    TooManyMen,
    /// A square gives no usable reading.
    UnreadableSquare,
    /// A square lost its man for moments again and again: a weak chip or sensor.
    WeakSquare,
    /// A man was lost for moments again and again, wherever he stood: a weak chip.
    WeakMan,
    /// The board's battery is to be charged.
    BatteryLow,
    /// The board's battery may go out at any moment, and the board with it.
    BatteryCritical,
    /// The clock shows its battery warning.
    ClockBatteryLow,
    /// The board's radio was received so weakly that it may be lost at any moment.
    WeakSignal,
    /// The same of a clock on a link of its own.
    ClockWeakSignal,
    /// More than one legal move explains what the board shows.
    Ambiguous,
    /// No legal moves lead from the game to what the board shows.
    Unreachable,
    /// Moves were made while the board was not seen.
    LinkGap,
    /// A pawn was promoted, and the board cannot tell to what.
    PromotionUnconfirmed,
    /// The default time is over and the player has not made a move; whether he is there no board can tell (6.7.1).
    DefaultTimeOver,
    /// The first move was made and no clock runs.
    ClockNotStarted,
    /// A flag fell after the game had ended.
    FlagAfterEnd,
    /// The game was joined in progress: how many moves were completed is not known.
    JoinedInProgress,
    /// The old game ended without a result and a new one was set up.
    ResultMissing,
    /// Only arbiters see the game on the board, and the round's game has no result: an arbiter must say which game is the round's.
    UnpublishedGame,
    /// Another board serves a game that is in play, and shows another position than the game's.
    PositionToRestore,
    /// The game seemed to be over, and it goes on: kings stood in the centre for a moment, or a man only passed the square of a
    /// mate.
    Reopened,
    /// The kings stand in the centre and show a result, which nobody has entered. The side is the winner's; none for a draw.
    KingsInCentre,
    /// The players press the other player's side of the clock: left and right were exchanged.
    ClockSidesExchanged,
    /// The clock says the opposite of whose time falls; the times are believed.
    ClockLeverInverted,
}

/// The urgency of an alarm for arbiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An arbiter should go to the board.
    Loud,
    /// On the board's page only: an arbiter who walked over would tip off a player (12.6).
    Silent,
    /// On the record only.
    Note,
}

impl AlarmKind {
    /// The class of this kind.
    pub const fn class(self) -> Class {
        use AlarmKind::*;
        match self {
            Flag | IllegalMove | PromotionNotReplaced | PressedWithoutMove | FivefoldRepetition | SeventyFiveMoves
            | DeadPosition | PiecesDisplaced | BoardLost | ClockLost | ClockSettingDiffers | ClockCountDiffers
            | ClockSidesDiffer | WrongClockRunning | ClockAtZero | WrongSetUp | UnpublishedGame | PositionToRestore
            | BatteryCritical => Class::Loud,
            IncompleteMove | PieceInHand | MovedByWrongSide | PositionDiffers | KingMissing | TooManyMen | UnreadableSquare
            | WeakSquare | WeakMan | BatteryLow | ClockBatteryLow | WeakSignal | ClockWeakSignal | Ambiguous | Unreachable
            | LinkGap | PromotionUnconfirmed | DefaultTimeOver => Class::Silent,
            ClockNotStarted | FlagAfterEnd | JoinedInProgress | ResultMissing | Reopened | KingsInCentre
            | ClockSidesExchanged | ClockLeverInverted => Class::Note,
        }
    }

    /// A note that is complete when it is written, so that it is never open.
    pub(super) const fn closes_at_once(self) -> bool {
        matches!(self.class(), Class::Note) && !matches!(self, AlarmKind::KingsInCentre)
    }

    /// It is about a device, which is not well in the next game either.
    pub(super) const fn outlasts_a_game(self) -> bool {
        use AlarmKind::*;
        matches!(self, BoardLost | ClockLost | BatteryLow | BatteryCritical | ClockBatteryLow | WeakSignal | ClockWeakSignal)
    }

    /// Only an arbiter's record closes it: what a press completed stays completed, a flag stays fallen.
    pub const fn needs_arbiter(self) -> bool {
        use AlarmKind::*;
        matches!(
            self,
            Flag | IllegalMove
                | PromotionNotReplaced
                | PressedWithoutMove
                | FivefoldRepetition
                | SeventyFiveMoves
                | DeadPosition
                | ClockSettingDiffers
                | ClockCountDiffers
                | ClockSidesDiffer
        )
    }

    /// The alarm of an ending that players may not have noticed; none for mate and stalemate.
    pub(crate) const fn of_ending(ending: Ending) -> Option<AlarmKind> {
        match ending {
            Ending::DeadPosition => Some(AlarmKind::DeadPosition),
            Ending::FivefoldRepetition => Some(AlarmKind::FivefoldRepetition),
            Ending::SeventyFiveMoves => Some(AlarmKind::SeventyFiveMoves),
            Ending::Checkmate | Ending::Stalemate => None,
        }
    }

    /// True for the alarms of [`AlarmKind::of_ending`].
    pub(crate) const fn is_ending(self) -> bool {
        matches!(self, AlarmKind::DeadPosition | AlarmKind::FivefoldRepetition | AlarmKind::SeventyFiveMoves)
    }

    /// In which way the alarm's move was illegal; none for other alarms.
    pub(crate) const fn illegal(self) -> Option<IllegalKind> {
        match self {
            AlarmKind::IllegalMove => Some(IllegalKind::Move),
            AlarmKind::PromotionNotReplaced => Some(IllegalKind::PromotionNotReplaced),
            AlarmKind::PressedWithoutMove => Some(IllegalKind::PressedWithoutMove),
            _ => None,
        }
    }
}

/// What an alarm of a device's health is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The one square of the alarm lost its man so often of late.
    Square {
        /// How often.
        times: u32,
    },
    /// A man was lost so often of late, on the squares of the alarm.
    Man {
        /// Who: 1..=6 = White's P N B R Q K, 7..=12 = Black's.
        man: u8,
        /// Where he began the game, a1 = 0.
        began: u8,
        /// A pawn became him there.
        promoted: bool,
        /// How often.
        times: u32,
    },
    /// What the board told of its battery.
    Battery {
        /// Charge, percent.
        percent: u8,
        /// Minutes left, if the device knows.
        minutes_left: Option<u16>,
    },
}
