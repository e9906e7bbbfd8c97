//! Defines the kinds of alarms, and their classes, which say who should act.

use flagfall_game::alarm;
use serde::Serialize;

/// What is the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
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
    /// The program failed twice at the same place and gives this board up; its bytes are still recorded.
    BoardFailed,
    /// The journal of the board cannot be written: nothing is recorded.
    NotRecorded,
    /// The broker does not take a message of the board, or takes a state only with the last moves.
    PublishRefused,
    /// A second daemon publishes under the name of this node.
    NameTaken,
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

mirror!(alarm::AlarmKind => AlarmKind {
    Flag, IllegalMove, PromotionNotReplaced, PressedWithoutMove, FivefoldRepetition, SeventyFiveMoves, DeadPosition,
    PiecesDisplaced, BoardLost, ClockLost, ClockSettingDiffers, ClockCountDiffers, ClockSidesDiffer, WrongClockRunning,
    ClockAtZero, WrongSetUp, IncompleteMove, PieceInHand, MovedByWrongSide, PositionDiffers, KingMissing, TooManyMen,
    UnreadableSquare, WeakSquare, WeakMan, BatteryLow, BatteryCritical, ClockBatteryLow, WeakSignal, ClockWeakSignal,
    Ambiguous, Unreachable, LinkGap, PromotionUnconfirmed, DefaultTimeOver, ClockNotStarted, FlagAfterEnd, JoinedInProgress,
    ResultMissing, UnpublishedGame, PositionToRestore, Reopened, KingsInCentre, ClockSidesExchanged, ClockLeverInverted,
});

/// Who should do what about an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// An arbiter should go to the board.
    Loud,
    /// On the board's page only: an arbiter who walked over would tip off a player (12.6).
    Silent,
    /// On the record only.
    Note,
}

mirror!(alarm::Class => Class { Loud, Silent, Note });
