//! Alarms: facts for the arbiter's audience only (`reconstruct/README.md#6`).

use alloc::vec::Vec;

use flagfall_protocols::square::{Color, Piece, Square};
use flagfall_protocols::time::Instant;

use crate::health::Fact;

/// What is the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The program failed twice at the same place and gives this board up; its bytes are still recorded. Told by whoever runs
    /// the game, under the number 0.
    BoardFailed,
    /// The clock is unplugged, or runs and is not heard.
    ClockLost,
    /// The times or additions do not fit the configured time control (6.10.2).
    ClockSettingDiffers,
    /// The clock added a period at another move than the required one.
    ClockCountDiffers,
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
    /// The players press the other player's side of the clock: left and right were exchanged.
    ClockSidesExchanged,
    /// The clock says the opposite of whose time falls; the times are believed.
    ClockLeverInverted,
}

/// Who should do what about an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
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
            | DeadPosition | PiecesDisplaced | BoardLost | BoardFailed | ClockLost | ClockSettingDiffers | ClockCountDiffers
            | WrongClockRunning | ClockAtZero | WrongSetUp | BatteryCritical => Class::Loud,
            IncompleteMove | PieceInHand | MovedByWrongSide | PositionDiffers | KingMissing | TooManyMen | UnreadableSquare
            | WeakSquare | WeakMan | BatteryLow | ClockBatteryLow | WeakSignal | ClockWeakSignal | Ambiguous | Unreachable
            | LinkGap | PromotionUnconfirmed | DefaultTimeOver => Class::Silent,
            ClockNotStarted | FlagAfterEnd | JoinedInProgress | ResultMissing | ClockSidesExchanged | ClockLeverInverted => {
                Class::Note
            }
        }
    }

    /// It is about a device, which is not well in the next game either.
    const fn outlasts_a_game(self) -> bool {
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
        )
    }
}

/// What has become of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AlarmStatus {
    /// It holds.
    Open,
    /// The board was put right; the ruling is still open.
    CorrectedOnBoard,
    /// The cause is gone.
    Cured,
    /// An arbiter closed it.
    Acknowledged,
    /// Another game began on the board.
    GameOver,
}

/// A man that stands where it should not, or is missing (7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongSquare {
    /// The square, as White sees it.
    pub square: Square,
    /// What stands there; none if it is empty.
    pub stands: Option<Piece>,
    /// What should stand there; none if it should be empty.
    pub expected: Option<Piece>,
}

/// One alarm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// Number in the game, from 1.
    pub id: u32,
    /// What is the matter.
    pub kind: AlarmKind,
    /// Whose move, press or flag it concerns.
    pub side: Option<Color>,
    /// The squares it concerns, bit 0 = a1.
    pub squares: u64,
    /// What stands on them and what should, for a wrong set-up.
    pub set_up: Vec<WrongSquare>,
    /// What is known of a device that is not well.
    pub fact: Option<Fact>,
    /// When its cause happened, at the latest.
    pub happened: Instant,
    /// When it was opened.
    pub opened: Instant,
    /// What has become of it.
    pub status: AlarmStatus,
    /// When it was closed.
    pub closed: Option<Instant>,
}

/// All alarms of a game, open and closed, at most [`Alarms::MAX`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Alarms {
    all: Vec<Alarm>,
    numbered: u32,
    changed: Vec<u32>,
}

impl Alarms {
    /// Closed alarms beyond this many are dropped, oldest first.
    pub(crate) const MAX: usize = 256;

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Alarm> {
        self.all.iter()
    }

    /// The highest number that was given.
    pub(crate) fn numbered(&self) -> u32 {
        self.numbered
    }

    pub(crate) fn open(&self) -> impl Iterator<Item = &Alarm> {
        self.all.iter().filter(|alarm| alarm.closed.is_none())
    }

    pub(crate) fn is_open(&self, kind: AlarmKind) -> bool {
        self.open().any(|alarm| alarm.kind == kind)
    }

    /// Takes the alarms that were opened or changed since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<Alarm> {
        let changed = core::mem::take(&mut self.changed);
        changed.iter().filter_map(|id| self.all.iter().find(|alarm| alarm.id == *id).cloned()).collect()
    }

    pub(crate) fn any_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Opens an alarm, unless the same one is open.
    pub(crate) fn raise(&mut self, at: Instant, kind: AlarmKind, side: Option<Color>, squares: u64) {
        if !self.open().any(|alarm| alarm.kind == kind && alarm.side == side && alarm.status == AlarmStatus::Open) {
            self.add(at, at, kind, side, squares);
        }
    }

    /// Opens the alarm of a weak square or man, if it was not opened in this game before, or only for one that has been well since.
    pub(crate) fn raise_weak(&mut self, at: Instant, kind: AlarmKind, squares: u64, fact: Fact) {
        let same = |alarm: &Alarm| match (alarm.fact, fact) {
            (Some(Fact::Man { began, promoted, .. }), Fact::Man { began: own, promoted: became, .. }) => {
                (began, promoted) == (own, became)
            }
            _ => alarm.kind == kind && alarm.squares == squares,
        };
        if !self.all.iter().any(|alarm| alarm.status != AlarmStatus::Cured && same(alarm)) {
            self.raise_fact(at, kind, squares, fact);
        }
    }

    /// Opens an alarm of a device's health.
    pub(crate) fn raise_fact(&mut self, at: Instant, kind: AlarmKind, squares: u64, fact: Fact) {
        let before = self.numbered;
        self.add(at, at, kind, None, squares);
        if let Some(alarm) = self.all.last_mut().filter(|alarm| alarm.id > before) {
            alarm.fact = Some(fact);
        }
    }

    /// Opens the alarm of a wrong set-up, with what is wrong.
    pub(crate) fn raise_wrong_set_up(&mut self, at: Instant, wrong: Vec<WrongSquare>) {
        let squares = wrong.iter().fold(0, |mask, wrong| mask | wrong.square.bit());
        let before = self.numbered;
        self.raise(at, AlarmKind::WrongSetUp, None, squares);
        if let Some(alarm) = self.all.last_mut().filter(|alarm| alarm.id > before) {
            alarm.set_up = wrong;
        }
    }

    /// Squares of acknowledged alarms of this kind, each with the moment it was opened: an arbiter knows of them.
    pub(crate) fn acknowledged(&self, kind: AlarmKind) -> impl Iterator<Item = (u64, Instant)> {
        let known = self.all.iter().filter(move |alarm| alarm.kind == kind && alarm.status == AlarmStatus::Acknowledged);
        known.map(|alarm| (alarm.squares, alarm.opened))
    }

    /// Opens an alarm for a press at `pressed`. A board that has not been put right since the one before tells nothing new;
    /// every press without a move counts (7.5.5).
    pub(crate) fn raise_press(&mut self, at: Instant, pressed: Instant, kind: AlarmKind, side: Color, squares: u64) {
        let same = |alarm: &Alarm| alarm.kind == kind && alarm.side == Some(side) && alarm.status == AlarmStatus::Open;
        if kind == AlarmKind::PressedWithoutMove || !self.open().any(same) {
            self.add(at, pressed, kind, Some(side), squares);
        }
    }

    fn add(&mut self, at: Instant, happened: Instant, kind: AlarmKind, side: Option<Color>, squares: u64) {
        if self.all.len() >= Alarms::MAX {
            // What a ruling may rest on goes last.
            let closed = |alarm: &Alarm| alarm.closed.is_some();
            let lesser = |alarm: &Alarm| closed(alarm) && crate::facts::illegal_kind(alarm.kind).is_none();
            match self.all.iter().position(lesser).or_else(|| self.all.iter().position(closed)) {
                Some(oldest) => drop(self.all.remove(oldest)),
                None => return,
            }
        }
        self.numbered += 1;
        // A note is complete when it is written.
        let closed = (kind.class() == Class::Note).then_some(at);
        let status = AlarmStatus::Open;
        let id = self.numbered;
        self.all.push(Alarm { id, kind, side, squares, set_up: Vec::new(), fact: None, happened, opened: at, status, closed });
        self.changed.push(self.numbered);
    }

    /// The cause is gone: closes alarms of this kind, or notes that the board is right where the ruling is an arbiter's.
    pub(crate) fn cure(&mut self, at: Instant, kind: AlarmKind) {
        let status = if kind.needs_arbiter() { AlarmStatus::CorrectedOnBoard } else { AlarmStatus::Cured };
        let closed = (!kind.needs_arbiter()).then_some(at);
        let open = self.all.iter_mut().filter(|alarm| alarm.closed.is_none() && alarm.kind == kind && alarm.status != status);
        for alarm in open {
            alarm.status = status;
            alarm.closed = closed;
            self.changed.push(alarm.id);
        }
    }

    /// The cause of one alarm is gone.
    pub(crate) fn cure_one(&mut self, at: Instant, id: u32) {
        if self.acknowledge(at, id)
            && let Some(alarm) = self.all.iter_mut().find(|alarm| alarm.id == id)
        {
            alarm.status = AlarmStatus::Cured;
        }
    }

    /// The cause of the open alarms of this kind on these squares is gone.
    pub(crate) fn cure_squares(&mut self, at: Instant, kind: AlarmKind, squares: u64) {
        let meant = |alarm: &&Alarm| alarm.kind == kind && alarm.squares == squares;
        let open: Vec<u32> = self.open().filter(meant).map(|alarm| alarm.id).collect();
        open.into_iter().for_each(|id| self.cure_one(at, id));
    }

    /// An arbiter closes one alarm. False if it is not open.
    pub(crate) fn acknowledge(&mut self, at: Instant, id: u32) -> bool {
        let Some(alarm) = self.all.iter_mut().find(|alarm| alarm.id == id && alarm.closed.is_none()) else { return false };
        alarm.status = AlarmStatus::Acknowledged;
        alarm.closed = Some(at);
        self.changed.push(id);
        true
    }

    /// Another game begins: what was open belongs to the old one, but for a device that is lost or not well. Gives the alarms that this
    /// closes.
    pub(crate) fn next_game(&mut self, at: Instant) -> Vec<Alarm> {
        let device = |alarm: &Alarm| alarm.kind.outlasts_a_game();
        let mut open: Vec<Alarm> = self.open().filter(|alarm| !device(alarm)).cloned().collect();
        for alarm in &mut open {
            alarm.closed = Some(at);
            alarm.status = AlarmStatus::GameOver;
        }
        self.all.retain(|alarm| alarm.closed.is_none() && device(alarm));
        self.changed.retain(|id| self.all.iter().any(|alarm| alarm.id == *id));
        open
    }

    /// An arbiter's record settles every open alarm of this kind, or those of one side.
    pub(crate) fn settle(&mut self, at: Instant, kind: AlarmKind, side: Option<Color>) {
        let meant = |alarm: &&Alarm| alarm.kind == kind && (side.is_none() || alarm.side == side);
        let open: Vec<u32> = self.open().filter(meant).map(|alarm| alarm.id).collect();
        for id in open {
            self.acknowledge(at, id);
        }
    }
}
