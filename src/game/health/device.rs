//! Keeps the data on the health of a board's devices, beside the board's dropouts (short losses of a man), and raises the alarms
//! about it.

use alloc::string::ToString;
use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::event::{Battery, Identity, Text};
use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

use super::battery::{BatteryLevel, BatteryWatch, ClockBattery};
use super::{Health, WeakSquare, weak_man};
use crate::alarm::{AlarmKind, Alarms, Fact};
use crate::effect::Effect;
use crate::men;
use crate::reconstruct::board::PhysicalBoard;
use crate::reconstruct::board::dropouts::{Found, ManId, WITHIN};
use crate::seen::Play;

/// The data that a game remembers of its devices, beside the board's dropouts.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceHealth {
    serial: Option<Text>,
    battery: BatteryWatch,
    clock: ClockBattery,
    /// Whether the radio of the board, and that of its clock, was weak.
    weak_signal: [bool; 2],
    /// The time at which a weak square or man may have been good for long enough.
    well: Option<Instant>,
    /// Counts the changes in [`Health`].
    rev: u32,
}

impl DeviceHealth {
    /// The health of the devices.
    pub(crate) fn report(&self, board: &PhysicalBoard, play: &Play) -> Health {
        let dropouts = board.dropouts();
        let square = |square: Square| WeakSquare { square: square.to_string(), dropouts: dropouts.count(square.index()) };
        Health {
            dropouts: dropouts.total(),
            weak_squares: men::squares(dropouts.weak_squares()).map(square).collect(),
            weak_men: dropouts.weak_men().filter_map(|man| weak_man(man, dropouts, play)).collect(),
            battery: self.battery.level(),
            clock_battery_low: self.clock.is_low(),
        }
    }

    /// A number that changes whenever [`DeviceHealth::report`] changes.
    pub(crate) fn rev(&self) -> u32 {
        self.rev
    }

    /// Notes that squares have lost their men for a moment.
    pub(crate) fn men_dropped_out(&mut self) {
        self.rev += 1;
    }

    /// Raises and closes alarms for what was `found` when this man dropped out on this square.
    pub(crate) fn dropped_out(
        &mut self,
        now: Instant,
        board: &PhysicalBoard,
        (square, man, found): (Square, Option<ManId>, Found),
        alarms: &mut Alarms,
    ) {
        if let Some(id) = man.filter(|_| found.man) {
            let (times, squares, _) = board.dropouts().of_man(id, now);
            let (began, promoted) = id.origin();
            let fact = Fact::Man { man: board.men()[square.index()], began, promoted, times: times as u32 };
            alarms.raise_weak(now, AlarmKind::WeakMan, squares, fact);
        }
        for cleared in men::squares(found.cleared) {
            alarms.cure_squares(now, AlarmKind::WeakSquare, cleared.bit());
        }
        if found.square || found.man {
            self.well.get_or_insert(now.after(WITHIN));
        }
        if found.square {
            let times = board.dropouts().of_square(square.index(), now).0 as u32;
            alarms.raise_weak(now, AlarmKind::WeakSquare, square.bit(), Fact::Square { times });
        }
    }

    /// Notes that another game or another position began, for which men were moved by hand.
    pub(crate) fn note_new_position(&mut self) {
        self.rev += 1;
    }

    /// Handles the identity that a device reports. Returns true if it is another device, with other squares and another
    /// battery.
    pub(crate) fn identified(&mut self, now: Instant, identity: &Identity, alarms: &mut Alarms) -> bool {
        let Identity::Serial(serial) = identity else { return false };
        if self.serial.replace(*serial).is_none_or(|before| before == *serial) {
            return false;
        }
        self.other_device(now, alarms);
        true
    }

    /// Handles an arbiter's choice of device. Returns true if nothing else will report that the device is another one. A
    /// device that reported its serial number is followed by one that reports it too.
    pub(crate) fn bound(&mut self, now: Instant, alarms: &mut Alarms) -> bool {
        let silent = self.serial.is_none();
        if silent {
            self.other_device(now, alarms);
        }
        silent
    }

    fn other_device(&mut self, now: Instant, alarms: &mut Alarms) {
        let DeviceHealth { serial, clock, weak_signal, rev, .. } = core::mem::take(self);
        *self = DeviceHealth { serial, clock, weak_signal, rev: rev + 1, ..DeviceHealth::default() };
        for kind in [AlarmKind::WeakSquare, AlarmKind::WeakMan, AlarmKind::BatteryLow, AlarmKind::BatteryCritical] {
            alarms.cure(now, kind);
        }
    }

    /// Handles the signal strength that the link of the board, or of its clock, reports when it comes up. An acknowledged
    /// alarm is not raised again until the signal was good.
    pub(crate) fn signal(&mut self, now: Instant, clock: bool, weak: bool, alarms: &mut Alarms) {
        let kind = if clock { AlarmKind::ClockWeakSignal } else { AlarmKind::WeakSignal };
        let was = core::mem::replace(&mut self.weak_signal[usize::from(clock)], weak);
        match weak {
            true if !was => alarms.raise(now, kind, None, 0),
            true => {}
            false => alarms.cure(now, kind),
        }
    }

    /// Handles a battery report of the board.
    pub(crate) fn battery(&mut self, now: Instant, battery: &Battery, alarms: &mut Alarms, out: &mut Vec<Effect>) {
        let before = self.battery.level();
        if self.battery.handle_report(now, *battery) {
            out.push(Effect::Device(DeviceCommand::ReadBattery));
        }
        self.battery_changed(now, before, alarms);
    }

    fn battery_changed(&mut self, now: Instant, before: BatteryLevel, alarms: &mut Alarms) {
        let level = self.battery.level();
        if level == before {
            return;
        }
        self.rev += 1;
        alarms.cure(now, AlarmKind::BatteryLow);
        alarms.cure(now, AlarmKind::BatteryCritical);
        let kind = match level {
            BatteryLevel::Good => return,
            BatteryLevel::Low => AlarmKind::BatteryLow,
            BatteryLevel::Critical => AlarmKind::BatteryCritical,
        };
        if let Some(Battery { percent, minutes_left, .. }) = self.battery.last() {
            alarms.raise_fact(now, kind, 0, Fact::Battery { percent, minutes_left });
        }
    }

    /// Handles a clock report that shows the battery warning or does not show it.
    pub(crate) fn clock_battery(&mut self, now: Instant, shown: bool, alarms: &mut Alarms) {
        if !self.clock.handle_report(now, shown) {
            return;
        }
        self.rev += 1;
        match self.clock.is_low() {
            true => alarms.raise(now, AlarmKind::ClockBatteryLow, None, 0),
            false => alarms.cure(now, AlarmKind::ClockBatteryLow),
        }
    }

    /// Handles what time alone changes: a charger that stays, a square that has been good for long, a battery to be queried
    /// again.
    pub(crate) fn review(&mut self, now: Instant, board: &PhysicalBoard, alarms: &mut Alarms, out: &mut Vec<Effect>) {
        let before = self.battery.level();
        if self.battery.advance(now) && board.unseen_since().is_none() {
            out.push(Effect::Device(DeviceCommand::ReadBattery));
        }
        self.battery_changed(now, before, alarms);
        if self.well.is_some_and(|due| now >= due) {
            self.close_weak(now, board, alarms);
        }
    }

    /// Closes the alarms of squares and men that have been good of late. Another dropout delays this.
    fn close_weak(&mut self, now: Instant, board: &PhysicalBoard, alarms: &mut Alarms) {
        let well: Vec<u32> = weak_alarms(now, board, alarms).filter_map(|(id, last)| last.is_none().then_some(id)).collect();
        well.into_iter().for_each(|id| alarms.cure_one(now, id));
        self.well = weak_alarms(now, board, alarms).filter_map(|(_, last)| Some(last?.after(WITHIN))).min();
    }

    /// The next time at which time alone changes something.
    pub(crate) fn due(&self) -> Option<Instant> {
        [self.well, self.battery.due()].into_iter().flatten().min()
    }
}

/// The open alarms of weak squares and men, each with its last dropout of late.
fn weak_alarms(now: Instant, board: &PhysicalBoard, alarms: &Alarms) -> impl Iterator<Item = (u32, Option<Instant>)> {
    let dropouts = board.dropouts();
    alarms.open().filter_map(move |alarm| match alarm.fact? {
        Fact::Square { .. } => Some((alarm.id, dropouts.of_square(alarm.squares.trailing_zeros() as usize % 64, now).1)),
        Fact::Man { began, promoted, .. } => {
            let id = if promoted { ManId::promoted(began.into()) } else { ManId::began(began.into()) };
            Some((alarm.id, dropouts.of_man(id, now).2))
        }
        Fact::Battery { .. } => None,
    })
}
