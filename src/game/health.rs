//! How well the devices are: squares and men that drop out, batteries. For whoever looks after them; arbiters are told by alarms.
//!
//! All of it follows from what the devices told, so that a restart finds it again.

mod battery;
mod words;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::event::{Battery, Identity, Text};
use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;
use serde::Serialize;
use shakmaty::{CastlingSide, Move, Position};

pub use battery::BatteryLevel;
use battery::{BatteryWatch, ClockBattery};
pub use words::Fact;
pub(crate) use words::sentence;

use crate::alarm::AlarmKind;
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

/// What a game remembers of its devices, beside the board's dropouts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    serial: Option<Text>,
    battery: BatteryWatch,
    clock: ClockBattery,
    /// The radios of the board and of its clock were weak.
    weak_signal: [bool; 2],
    /// When a weak square or man may have been well for long enough.
    well: Option<Instant>,
    /// Counts what changed in [`Health`].
    rev: u32,
}

impl Game {
    /// How well the devices are.
    pub fn health(&self) -> Health {
        let dropouts = self.board.dropouts();
        let square = |square: Square| WeakSquare { square: square.to_string(), dropouts: dropouts.count(square.index()) };
        Health {
            dropouts: dropouts.total(),
            weak_squares: men::squares(dropouts.weak_squares()).map(square).collect(),
            weak_men: dropouts.weak_men().filter_map(|man| self.weak_man(man, dropouts)).collect(),
            battery: self.watched.battery.level(),
            clock_battery_low: self.watched.clock.is_low(),
        }
    }

    /// Another number whenever [`Game::health`] is another one: to ask often.
    pub fn health_rev(&self) -> u32 {
        self.watched.rev
    }

    /// Squares that lost their man for moments and had it again, with how often. Counted since the board was first seen.
    pub fn dropouts(&self) -> Vec<(Square, u32)> {
        let count = |square: Square| (square, self.board.dropouts().count(square.index()));
        Square::all().map(count).filter(|(_, count)| *count > 0).collect()
    }

    fn weak_man(&self, id: ManId, dropouts: &Dropouts) -> Option<WeakMan> {
        let (square, promoted) = id.origin();
        let began = Square::wrapping(square);
        let man = match promoted {
            false => self.decoder.record.start().board().piece_at(shakmaty::Square::new(square.into())),
            true => self.decoder.record.moves().iter().rev().find_map(|record| {
                let role = record.mv.promotion().filter(|_| record.mv.to().to_u32() == u32::from(square))?;
                Some(role.of(if square >= 32 { shakmaty::Color::White } else { shakmaty::Color::Black }))
            }),
        };
        let man = man?.char().to_string();
        Some(WeakMan { man, began: began.to_string(), promoted, dropouts: dropouts.count_of(id) })
    }

    /// Looks whose dropouts the board has just noted, and whether a square or man has had too many.
    pub(crate) fn look_for_dropouts(&mut self) {
        let squares = self.board.dropouts().noted(self.now);
        if squares == 0 || !matches!(self.stage, Stage::Armed | Stage::Playing) {
            return;
        }
        let (now, standing) = (self.now, self.board.standing());
        self.watched.rev += 1;
        for square in men::squares(squares) {
            let man = self.man_on(square);
            if let Some(man) = man {
                self.board.dropouts_mut().name(now, square.index(), man);
            }
            let found = self.board.dropouts_mut().look(square.index(), man, standing, now);
            if let Some(id) = man.filter(|_| found.man) {
                let (times, squares, _) = self.board.dropouts().of_man(id, now);
                let (began, promoted) = id.origin();
                let fact = Fact::Man { man: self.board.men()[square.index()], began, promoted, times: times as u32 };
                self.alarms.raise_weak(now, AlarmKind::WeakMan, squares, fact);
            }
            for cleared in men::squares(found.cleared) {
                self.alarms.cure_squares(now, AlarmKind::WeakSquare, cleared.bit());
            }
            if found.square || found.man {
                self.watched.well.get_or_insert(now.after(WITHIN));
            }
            if found.square {
                let times = self.board.dropouts().of_square(square.index(), now).0 as u32;
                self.alarms.raise_weak(now, AlarmKind::WeakSquare, square.bit(), Fact::Square { times });
            }
        }
    }

    /// Who stands on a square, as far as the game knows.
    fn man_on(&self, square: Square) -> Option<ManId> {
        let (record, line) = (&self.decoder.record, self.decoder.line());
        let known = line.top(record.node()).men[square.index()] == self.board.men()[square.index()];
        if !known || !self.board.identifies() {
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
        self.board.dropouts_mut().forget_men();
        self.watched.rev += 1;
    }

    /// A device said who it is: another board's squares and battery are others.
    pub(crate) fn identified(&mut self, identity: &Identity) {
        let Identity::Serial(serial) = identity else { return };
        if self.watched.serial.replace(*serial).is_none_or(|before| before == *serial) {
            return;
        }
        self.other_device();
    }

    /// An arbiter named the device. One that told its serial number is followed by one that does so too.
    pub(crate) fn bound(&mut self) {
        if self.watched.serial.is_none() {
            self.other_device();
        }
    }

    fn other_device(&mut self) {
        *self.board.dropouts_mut() = Dropouts::new();
        let Watched { serial, clock, weak_signal, rev, .. } = core::mem::take(&mut self.watched);
        self.watched = Watched { serial, clock, weak_signal, rev: rev + 1, ..Watched::default() };
        for kind in [AlarmKind::WeakSquare, AlarmKind::WeakMan, AlarmKind::BatteryLow, AlarmKind::BatteryCritical] {
            self.alarms.cure(self.now, kind);
        }
    }

    /// The link of the board, or of its clock, came up. What an arbiter has seen is not told again until it was well.
    pub(crate) fn signal(&mut self, clock: bool, weak: bool) {
        let kind = if clock { AlarmKind::ClockWeakSignal } else { AlarmKind::WeakSignal };
        let was = core::mem::replace(&mut self.watched.weak_signal[usize::from(clock)], weak);
        match weak {
            true if !was => self.alarms.raise(self.now, kind, None, 0),
            true => {}
            false => self.alarms.cure(self.now, kind),
        }
    }

    pub(crate) fn battery_told(&mut self, battery: &Battery, out: &mut Vec<Effect>) {
        let before = self.watched.battery.level();
        if self.watched.battery.told(self.now, *battery) {
            out.push(Effect::Device(DeviceCommand::ReadBattery));
        }
        self.battery_changed(before);
    }

    fn battery_changed(&mut self, before: BatteryLevel) {
        let level = self.watched.battery.level();
        if level == before {
            return;
        }
        self.watched.rev += 1;
        self.alarms.cure(self.now, AlarmKind::BatteryLow);
        self.alarms.cure(self.now, AlarmKind::BatteryCritical);
        let kind = match level {
            BatteryLevel::Good => return,
            BatteryLevel::Low => AlarmKind::BatteryLow,
            BatteryLevel::Critical => AlarmKind::BatteryCritical,
        };
        if let Some(Battery { percent, minutes_left, .. }) = self.watched.battery.last() {
            self.alarms.raise_fact(self.now, kind, 0, Fact::Battery { percent, minutes_left });
        }
    }

    /// The clock shows its battery warning, or does not.
    pub(crate) fn clock_battery(&mut self, shown: bool) {
        if !self.watched.clock.told(self.now, shown) {
            return;
        }
        self.watched.rev += 1;
        match self.watched.clock.is_low() {
            true => self.alarms.raise(self.now, AlarmKind::ClockBatteryLow, None, 0),
            false => self.alarms.cure(self.now, AlarmKind::ClockBatteryLow),
        }
    }

    /// What time alone changes: a charger that stays, a square that has been well for long, a battery to be asked for again.
    pub(crate) fn watch_health(&mut self, out: &mut Vec<Effect>) {
        let before = self.watched.battery.level();
        if self.watched.battery.time(self.now) && self.board.unseen_since().is_none() {
            out.push(Effect::Device(DeviceCommand::ReadBattery));
        }
        self.battery_changed(before);
        if self.watched.well.is_some_and(|due| self.now >= due) {
            self.close_weak();
        }
    }

    /// Closes the alarms of what has been well of late; another dropout puts that off.
    fn close_weak(&mut self) {
        let well: Vec<u32> = self.weak_alarms().filter_map(|(id, last)| last.is_none().then_some(id)).collect();
        well.into_iter().for_each(|id| self.alarms.cure_one(self.now, id));
        self.watched.well = self.weak_alarms().filter_map(|(_, last)| Some(last?.after(WITHIN))).min();
    }

    /// The open alarms of weak squares and men, each with the last time that it was so, of late.
    fn weak_alarms(&self) -> impl Iterator<Item = (u32, Option<Instant>)> {
        let dropouts = self.board.dropouts();
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
        [self.watched.well, self.watched.battery.due()].into_iter().flatten().min()
    }
}

/// A battery is asked for so often, of devices that have told of one.
const ASK_BATTERY: Duration = Duration::from_secs(300);
