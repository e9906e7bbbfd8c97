//! Keeps the alarms of a game: facts that need attention and are published to arbiters only (`reconstruct/README.md#6`).

mod kind;

pub use kind::{AlarmKind, Class, Fact};

use alloc::vec::Vec;

use flagfall_protocols::square::{Color, Piece, Square};
use flagfall_protocols::time::Instant;

/// The state of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A man that stands on a wrong square, or is missing, in the set-up (7.2) or in a position that is to be set up again.
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
    /// What stands on them and what should, for a wrong set-up and a position to restore.
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

impl Alarm {
    /// True for the alarm of a set-up in which men are missing and nothing else is wrong.
    pub(crate) fn lacks_men(&self) -> bool {
        self.kind == AlarmKind::WrongSetUp && self.set_up.iter().all(|wrong| wrong.stands.is_none())
    }

    /// True if the alarm says that its squares do not show what was played.
    fn reports_squares(&self) -> bool {
        use AlarmKind::{KingMissing, PieceInHand, PositionDiffers, PositionToRestore, UnreadableSquare};
        let of_squares = matches!(self.kind, KingMissing | PieceInHand | PositionDiffers | PositionToRestore | UnreadableSquare);
        of_squares || self.lacks_men()
    }
}

/// All alarms of a game, open and closed, at most [`Alarms::MAX`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Alarms {
    all: Vec<Alarm>,
    numbered: u32,
    changed: Vec<u32>,
}

impl Alarms {
    /// The largest number of alarms kept. Beyond it the oldest closed alarm is dropped, alarms of illegal moves last.
    pub(crate) const MAX: usize = 256;

    pub(crate) fn all(&self) -> &[Alarm] {
        &self.all
    }

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

    /// Opens an alarm about these squares. The same alarm as before is opened again if it was about the same squares, because the
    /// cause is the same: a dead sensor is noticed whenever a man comes to its square.
    pub(crate) fn raise_again(&mut self, at: Instant, kind: AlarmKind, side: Option<Color>, squares: u64) {
        let same = |alarm: &&mut Alarm| (alarm.kind, alarm.side, alarm.squares) == (kind, side, squares);
        match self.all.iter_mut().find(|alarm| same(alarm) && alarm.status == AlarmStatus::Cured) {
            Some(alarm) if !self.changed.contains(&alarm.id) => {
                (alarm.happened, alarm.opened, alarm.status, alarm.closed) = (at, at, AlarmStatus::Open, None);
                self.changed.push(alarm.id);
            }
            _ => self.raise(at, kind, side, squares),
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

    /// Opens the alarm of a wrong set-up, or of a position that is to be set up again, with what is wrong; or says in the open one what is
    /// wrong now.
    pub(crate) fn raise_wrong_set_up(&mut self, at: Instant, kind: AlarmKind, wrong: Vec<WrongSquare>) {
        let squares = wrong.iter().fold(0, |mask, wrong| mask | wrong.square.bit());
        self.raise(at, kind, None, squares);
        let open = self.all.iter_mut().rfind(|alarm| alarm.kind == kind && alarm.status == AlarmStatus::Open);
        if let Some(alarm) = open.filter(|alarm| alarm.set_up != wrong) {
            (alarm.squares, alarm.set_up) = (squares, wrong);
            if !self.changed.contains(&alarm.id) {
                self.changed.push(alarm.id);
            }
        }
    }

    /// Squares that acknowledged alarms report as wrong, each with the moment it was opened: an arbiter knows of them.
    pub(crate) fn acknowledged_squares(&self) -> impl Iterator<Item = (u64, Instant)> {
        let known = |alarm: &&Alarm| alarm.status == AlarmStatus::Acknowledged && alarm.reports_squares();
        self.all.iter().filter(known).map(|alarm| (alarm.squares, alarm.opened))
    }

    /// The squares that open alarms report as wrong. Another alarm about them would have the same cause.
    pub(crate) fn reported_squares(&self) -> u64 {
        self.open().filter(|alarm| alarm.reports_squares()).fold(0, |all, alarm| all | alarm.squares)
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
            let lesser = |alarm: &Alarm| closed(alarm) && alarm.kind.illegal().is_none();
            match self.all.iter().position(lesser).or_else(|| self.all.iter().position(closed)) {
                Some(oldest) => drop(self.all.remove(oldest)),
                None => return,
            }
        }
        self.numbered += 1;
        // A note is complete when it is written.
        let closed = kind.closes_at_once().then_some(at);
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

    /// The cause of the alarms of this kind that were opened since then is gone.
    pub(crate) fn cure_since(&mut self, at: Instant, kind: AlarmKind, since: Instant) {
        let open: Vec<u32> =
            self.open().filter(|alarm| alarm.kind == kind && alarm.opened >= since).map(|alarm| alarm.id).collect();
        open.into_iter().for_each(|id| self.cure_one(at, id));
    }

    /// The cause of one alarm is gone.
    pub(crate) fn cure_one(&mut self, at: Instant, id: u32) {
        if self.acknowledge(at, id)
            && let Some(alarm) = self.all.iter_mut().find(|alarm| alarm.id == id)
        {
            alarm.status = AlarmStatus::Cured;
        }
    }

    /// An illegal move of `side` stands, because its opponent has replied: nothing follows from it any more.
    pub(crate) fn cure_illegal_move(&mut self, at: Instant, side: Color) {
        let meant = |alarm: &&Alarm| alarm.kind == AlarmKind::IllegalMove && alarm.side == Some(side);
        let open: Vec<u32> = self.open().filter(meant).map(|alarm| alarm.id).collect();
        open.into_iter().for_each(|id| self.cure_one(at, id));
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

    /// The alarm with this number is about an illegal move of `side`.
    ///
    /// # Errors
    /// It is about something else, or there is none.
    pub(crate) fn check_illegal_move_of(&self, id: u32, side: Color) -> Result<(), &'static str> {
        use AlarmKind::{IllegalMove, PressedWithoutMove, PromotionNotReplaced};
        let alarm = self.iter().find(|alarm| alarm.id == id).ok_or("there is no alarm with this number")?;
        if !matches!(alarm.kind, IllegalMove | PromotionNotReplaced | PressedWithoutMove) {
            return Err("this alarm is not about an illegal move");
        }
        if alarm.side == Some(side) { Ok(()) } else { Err("it was the other player's move") }
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
