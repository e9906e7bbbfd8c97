//! How well the devices are: squares and men that drop out, batteries. For whoever looks after them; arbiters are told by alarms.
//!
//! All of it follows from what the devices told, so that a restart finds it again.

mod battery;
pub(crate) mod device;
pub(crate) mod words;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::event::{Battery, Identity};
use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;
use serde::Serialize;
use shakmaty::{CastlingSide, Move, Position};

pub use battery::BatteryLevel;
use device::DeviceHealth;

use crate::alarm::{AlarmKind, Fact};
use crate::effect::Effect;
use crate::game::Game;
use crate::men;
use crate::message::Stage;
use crate::reconstruct::board::dropouts::{Dropouts, ManId, WITHIN};

/// A square that loses whatever stands on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeakSquare {
    /// The square as White sees it, such as `e4`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-h][1-8]$")))]
    pub square: String,
    /// How often it lost its man since this board was first seen.
    pub dropouts: u32,
}

/// A man that is lost wherever he stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeakMan {
    /// Who, as in a FEN: `N` = a white knight.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[PNBRQKpnbrqk]$")))]
    pub man: String,
    /// Where he began the game, or where a pawn became him.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-h][1-8]$")))]
    pub began: String,
    /// A pawn became him there.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub promoted: bool,
    /// How often he was lost in this game.
    pub dropouts: u32,
}

/// How well the devices of a board are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// How often a man was lost for a moment since this board was first seen.
    pub dropouts: u32,
    /// The squares that were found weak since then, a1 first.
    pub weak_squares: Vec<WeakSquare>,
    /// The men that were found weak in this game.
    pub weak_men: Vec<WeakMan>,
    /// The board's battery.
    pub battery: BatteryLevel,
    /// The clock shows its battery warning.
    pub clock_battery_low: bool,
}

impl Game {
    /// How well the devices are.
    pub fn health(&self) -> Health {
        let dropouts = self.seen.board.dropouts();
        let square = |square: Square| WeakSquare { square: square.to_string(), dropouts: dropouts.count(square.index()) };
        Health {
            dropouts: dropouts.total(),
            weak_squares: men::squares(dropouts.weak_squares()).map(square).collect(),
            weak_men: dropouts.weak_men().filter_map(|man| self.weak_man(man, dropouts)).collect(),
            battery: self.health.battery.level(),
            clock_battery_low: self.health.clock.is_low(),
        }
    }

    /// Another number whenever [`Game::health`] is another one: to ask often.
    pub fn health_rev(&self) -> u32 {
        self.health.rev
    }

    /// Squares that lost their man for moments and had it again, with how often. Counted since the board was first seen.
    pub fn dropouts(&self) -> Vec<(Square, u32)> {
        let count = |square: Square| (square, self.seen.board.dropouts().count(square.index()));
        Square::all().map(count).filter(|(_, count)| *count > 0).collect()
    }

    fn weak_man(&self, id: ManId, dropouts: &Dropouts) -> Option<WeakMan> {
        let (square, promoted) = id.origin();
        let began = Square::wrapping(square);
        let man = match promoted {
            false => self.seen.play.decoder.record.start().board().piece_at(shakmaty::Square::new(square.into())),
            true => self.seen.play.decoder.record.moves().iter().rev().find_map(|record| {
                let role = record.mv.promotion().filter(|_| record.mv.to().to_u32() == u32::from(square))?;
                Some(role.of(if square >= 32 { shakmaty::Color::White } else { shakmaty::Color::Black }))
            }),
        };
        let man = man?.char().to_string();
        Some(WeakMan { man, began: began.to_string(), promoted, dropouts: dropouts.count_of(id) })
    }

    /// Looks whose dropouts the board has just noted, and whether a square or man has had too many.
    pub(crate) fn look_for_dropouts(&mut self) {
        let squares = self.seen.board.dropouts().noted(self.now);
        if squares == 0 || !matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing) {
            return;
        }
        let (now, standing) = (self.now, self.seen.board.standing());
        self.health.rev += 1;
        for square in men::squares(squares) {
            let man = self.man_on(square);
            if let Some(man) = man {
                self.seen.board.dropouts_mut().name(now, square.index(), man);
            }
            let found = self.seen.board.dropouts_mut().look(square.index(), man, standing, now);
            if let Some(id) = man.filter(|_| found.man) {
                let (times, squares, _) = self.seen.board.dropouts().of_man(id, now);
                let (began, promoted) = id.origin();
                let fact = Fact::Man { man: self.seen.board.men()[square.index()], began, promoted, times: times as u32 };
                self.alarms.raise_weak(now, AlarmKind::WeakMan, squares, fact);
            }
            for cleared in men::squares(found.cleared) {
                self.alarms.cure_squares(now, AlarmKind::WeakSquare, cleared.bit());
            }
            if found.square || found.man {
                self.health.well.get_or_insert(now.after(WITHIN));
            }
            if found.square {
                let times = self.seen.board.dropouts().of_square(square.index(), now).0 as u32;
                self.alarms.raise_weak(now, AlarmKind::WeakSquare, square.bit(), Fact::Square { times });
            }
        }
    }

    /// Who stands on a square, as far as the game knows.
    fn man_on(&self, square: Square) -> Option<ManId> {
        let (record, line) = (&self.seen.play.decoder.record, self.seen.play.decoder.line());
        let known = line.top(record.node()).men[square.index()] == self.seen.board.men()[square.index()];
        if !known || !self.seen.board.identifies() {
            return None;
        }
        let mut at = shakmaty::Square::new(square.index() as u32);
        let sure = record.moves().iter().map(|record| record.mv);
        for mv in sure.chain(line.plies().iter().map(|ply| ply.mv)).rev() {
            match mv {
                Move::Castle { king, rook } => {
                    let (side, color) = (
                        CastlingSide::from_king_side(king < rook),
                        shakmaty::Color::from_white(king.rank() < shakmaty::Rank::Fifth),
                    );
                    if at == side.king_to(color) {
                        at = king;
                    } else if at == side.rook_to(color) {
                        at = rook;
                    }
                }
                _ if mv.to() != at => {}
                _ if mv.promotion().is_some() => return Some(ManId::promoted(at.to_usize())),
                _ => at = mv.from()?,
            }
        }
        Some(ManId::began(at.to_usize()))
    }

    /// Another game, or another position: men were put elsewhere by hand.
    pub(crate) fn forget_men(&mut self) {
        self.seen.board.dropouts_mut().forget_men();
        self.health.rev += 1;
    }

    /// A device said who it is: another board's squares and battery are others.
    pub(crate) fn identified(&mut self, identity: &Identity) {
        let Identity::Serial(serial) = identity else { return };
        if self.health.serial.replace(*serial).is_none_or(|before| before == *serial) {
            return;
        }
        self.other_device();
    }

    /// An arbiter named the device. One that told its serial number is followed by one that does so too.
    pub(crate) fn bound(&mut self) {
        if self.health.serial.is_none() {
            self.other_device();
        }
    }

    fn other_device(&mut self) {
        *self.seen.board.dropouts_mut() = Dropouts::new();
        let DeviceHealth { serial, clock, weak_signal, rev, .. } = core::mem::take(&mut self.health);
        self.health = DeviceHealth { serial, clock, weak_signal, rev: rev + 1, ..DeviceHealth::default() };
        for kind in [AlarmKind::WeakSquare, AlarmKind::WeakMan, AlarmKind::BatteryLow, AlarmKind::BatteryCritical] {
            self.alarms.cure(self.now, kind);
        }
    }

    /// The link of the board, or of its clock, came up. What an arbiter has seen is not told again until it was well.
    pub(crate) fn signal(&mut self, clock: bool, weak: bool) {
        let kind = if clock { AlarmKind::ClockWeakSignal } else { AlarmKind::WeakSignal };
        let was = core::mem::replace(&mut self.health.weak_signal[usize::from(clock)], weak);
        match weak {
            true if !was => self.alarms.raise(self.now, kind, None, 0),
            true => {}
            false => self.alarms.cure(self.now, kind),
        }
    }

    pub(crate) fn battery_told(&mut self, battery: &Battery, out: &mut Vec<Effect>) {
        let before = self.health.battery.level();
        if self.health.battery.told(self.now, *battery) {
            out.push(Effect::Device(DeviceCommand::ReadBattery));
        }
        self.battery_changed(before);
    }

    fn battery_changed(&mut self, before: BatteryLevel) {
        let level = self.health.battery.level();
        if level == before {
            return;
        }
        self.health.rev += 1;
        self.alarms.cure(self.now, AlarmKind::BatteryLow);
        self.alarms.cure(self.now, AlarmKind::BatteryCritical);
        let kind = match level {
            BatteryLevel::Good => return,
            BatteryLevel::Low => AlarmKind::BatteryLow,
            BatteryLevel::Critical => AlarmKind::BatteryCritical,
        };
        if let Some(Battery { percent, minutes_left, .. }) = self.health.battery.last() {
            self.alarms.raise_fact(self.now, kind, 0, Fact::Battery { percent, minutes_left });
        }
    }

    /// The clock shows its battery warning, or does not.
    pub(crate) fn clock_battery(&mut self, shown: bool) {
        if !self.health.clock.told(self.now, shown) {
            return;
        }
        self.health.rev += 1;
        match self.health.clock.is_low() {
            true => self.alarms.raise(self.now, AlarmKind::ClockBatteryLow, None, 0),
            false => self.alarms.cure(self.now, AlarmKind::ClockBatteryLow),
        }
    }

    /// What time alone changes: a charger that stays, a square that has been well for long, a battery to be asked for again.
    pub(crate) fn watch_health(&mut self, out: &mut Vec<Effect>) {
        let before = self.health.battery.level();
        if self.health.battery.time(self.now) && self.seen.board.unseen_since().is_none() {
            out.push(Effect::Device(DeviceCommand::ReadBattery));
        }
        self.battery_changed(before);
        if self.health.well.is_some_and(|due| self.now >= due) {
            self.close_weak();
        }
    }

    /// Closes the alarms of what has been well of late; another dropout puts that off.
    fn close_weak(&mut self) {
        let well: Vec<u32> = self.weak_alarms().filter_map(|(id, last)| last.is_none().then_some(id)).collect();
        well.into_iter().for_each(|id| self.alarms.cure_one(self.now, id));
        self.health.well = self.weak_alarms().filter_map(|(_, last)| Some(last?.after(WITHIN))).min();
    }

    /// The open alarms of weak squares and men, each with the last time that it was so, of late.
    fn weak_alarms(&self) -> impl Iterator<Item = (u32, Option<Instant>)> {
        let dropouts = self.seen.board.dropouts();
        self.alarms.open().filter_map(|alarm| match alarm.fact? {
            Fact::Square { .. } => Some((alarm.id, dropouts.of_square(alarm.squares.trailing_zeros() as usize % 64, self.now).1)),
            Fact::Man { began, promoted, .. } => {
                let id = if promoted { ManId::promoted(began.into()) } else { ManId::began(began.into()) };
                Some((alarm.id, dropouts.of_man(id, self.now).2))
            }
            Fact::Battery { .. } => None,
        })
    }

    /// When time alone changes something next.
    pub(crate) fn health_due(&self) -> Option<Instant> {
        [self.health.well, self.health.battery.due()].into_iter().flatten().min()
    }
}
