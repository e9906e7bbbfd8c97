//! Batteries: when a charge is worth an alarm, and when it no longer is.

use core::time::Duration;

use flagfall_protocols::event::Battery;
use flagfall_protocols::time::Instant;

/// A board with so many percent or less is to be charged: some boards last five hours, so that this is the round's last hour ...
const LOW: u8 = 20;
/// ... or with less than so many minutes left, where it tells them ...
const LOW_MINUTES: u16 = 60;
/// ... until it has so many ...
const GOOD: u8 = 25;
/// ... and so many minutes: a charge that is told a little up and down changes nothing.
const GOOD_MINUTES: u16 = 75;
/// With so many percent or less it may go out at any moment ...
const CRITICAL: u8 = 5;
/// ... until it has so many.
const NOT_CRITICAL: u8 = 10;
/// A charger that is connected for so long is; one with a loose plug comes and goes.
const CHARGES: Duration = Duration::from_secs(60);
/// A clock that has not shown its warning for so long has another battery: at the threshold it is shown now and then.
const WELL: Duration = Duration::from_secs(600);
/// So many reports in a row make a warning: one may be a damaged byte.
const IN_A_ROW: u8 = 2;

/// A battery is asked for so often, of devices that have told of one.
const ASK_BATTERY: Duration = Duration::from_secs(300);

/// How well a battery is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BatteryLevel {
    /// Well, or nothing is known of it.
    #[default]
    Good,
    /// It is to be charged.
    Low,
    /// It may go out at any moment.
    Critical,
}

/// The battery of a board.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BatteryWatch {
    level: BatteryLevel,
    last: Option<Battery>,
    charging_since: Option<Instant>,
    ask: Option<Instant>,
}

impl BatteryWatch {
    pub(super) const fn level(&self) -> BatteryLevel {
        self.level
    }

    /// What was told last.
    pub(super) const fn last(&self) -> Option<Battery> {
        self.last
    }

    /// Takes a report; true if it should be asked for again at once.
    pub(super) fn told(&mut self, now: Instant, battery: Battery) -> bool {
        self.last = Some(battery);
        self.ask = Some(now.after(ASK_BATTERY));
        if battery.charging {
            self.charging_since.get_or_insert(now);
            return false;
        }
        self.charging_since = None;
        let level = level(self.level, &battery);
        // Nothing empties at once: such a report is believed when it comes again.
        let sudden = level == BatteryLevel::Critical && self.level == BatteryLevel::Good;
        self.level = if sudden { BatteryLevel::Low } else { level };
        sudden
    }

    /// Time has come to `now`; true if the battery should be asked for.
    pub(super) fn time(&mut self, now: Instant) -> bool {
        if self.level != BatteryLevel::Good && self.charging_since.is_some_and(|since| now >= since.after(CHARGES)) {
            self.level = BatteryLevel::Good;
        }
        let ask = self.ask.is_some_and(|ask| now >= ask);
        if ask {
            self.ask = Some(now.after(ASK_BATTERY));
        }
        ask
    }

    /// When [`BatteryWatch::time`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        let charged = self.charging_since.filter(|_| self.level != BatteryLevel::Good).map(|since| since.after(CHARGES));
        [charged, self.ask].into_iter().flatten().min()
    }
}

/// The level that a report of a battery that is not charging makes of the one before.
fn level(before: BatteryLevel, battery: &Battery) -> BatteryLevel {
    let critical = if before == BatteryLevel::Critical { battery.percent < NOT_CRITICAL } else { battery.percent <= CRITICAL };
    let (percent, minutes) = if before == BatteryLevel::Good { (LOW, LOW_MINUTES) } else { (GOOD - 1, GOOD_MINUTES) };
    let low = battery.percent <= percent || battery.minutes_left.is_some_and(|left| left < minutes);
    match (critical, low) {
        (true, _) => BatteryLevel::Critical,
        (false, true) => BatteryLevel::Low,
        (false, false) => BatteryLevel::Good,
    }
}

/// The battery of a clock, which says only that it is low.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockBattery {
    low: bool,
    in_a_row: u8,
    last: Instant,
}

impl ClockBattery {
    pub(super) const fn is_low(&self) -> bool {
        self.low
    }

    /// Takes what a report shows; true if that changes something.
    pub(super) fn told(&mut self, now: Instant, shown: bool) -> bool {
        let before = self.low;
        if shown {
            self.last = now;
            self.in_a_row = self.in_a_row.saturating_add(1);
            self.low |= self.in_a_row >= IN_A_ROW;
        } else {
            self.in_a_row = 0;
            self.low &= now.since(self.last) < WELL;
        }
        self.low != before
    }
}

#[cfg(test)]
mod tests {
    use super::BatteryLevel::{Critical, Good, Low};
    use super::*;

    fn at(second: u64) -> Instant {
        Instant(second * 1_000_000)
    }

    /// What a board tells, a minute apart, and the level after it.
    #[test]
    fn levels_do_not_flap() {
        let percent = |percent| (percent, None, false);
        let charging = |percent| (percent, None, true);
        let left = |minutes| (80, Some(minutes), false);
        type Report = (u8, Option<u16>, bool);
        let tables: [&[(Report, BatteryLevel)]; 6] = [
            &[(percent(100), Good), (percent(21), Good), (percent(20), Low), (percent(21), Low), (percent(24), Low)],
            &[(percent(20), Low), (percent(24), Low), (percent(25), Good), (percent(21), Good), (percent(20), Low)],
            &[(percent(6), Low), (percent(5), Critical), (percent(9), Critical), (percent(10), Low), (percent(6), Low)],
            &[(percent(3), Low), (percent(3), Critical), (percent(80), Good), (percent(2), Low), (percent(80), Good)],
            &[(left(60), Good), (left(59), Low), (left(74), Low), (left(75), Good), ((19, Some(300), false), Low)],
            &[(charging(3), Good), (percent(18), Low), (charging(18), Low), (charging(19), Good), (percent(19), Low)],
        ];
        for table in tables {
            let mut watch = BatteryWatch::default();
            for (minute, &((percent, minutes_left, charging), expected)) in (0..).zip(table) {
                watch.told(at(minute * 60), Battery { percent, minutes_left, charging });
                watch.time(at(minute * 60));
                assert_eq!(watch.level(), expected, "minute {minute} of {table:?}");
            }
        }
    }

    #[test]
    fn a_loose_plug_is_no_charger() {
        let mut watch = BatteryWatch::default();
        let report = |charging| Battery { percent: 15, minutes_left: None, charging };
        for second in (0..580).step_by(20) {
            watch.told(at(second), report(second % 40 == 20));
            watch.time(at(second));
            assert_eq!(watch.level(), Low, "second {second}");
        }
        watch.told(at(600), report(true));
        assert_eq!(watch.due(), Some(at(660)));
        watch.time(at(659));
        assert_eq!(watch.level(), Low);
        watch.time(at(660));
        assert_eq!(watch.level(), Good);
    }

    #[test]
    fn it_is_asked_for_again() {
        let mut watch = BatteryWatch::default();
        assert_eq!((watch.due(), watch.time(at(1_000))), (None, false), "a board without a battery is not asked");
        let report = |percent| Battery { percent, minutes_left: None, charging: false };
        assert!(!watch.told(at(0), report(80)) && watch.told(at(10), report(4)), "at once, if it is empty all of a sudden");
        assert!(!watch.told(at(11), report(4)));
        assert_eq!((watch.level(), watch.due()), (Critical, Some(at(311))));
        assert!(!watch.time(at(310)) && watch.time(at(311)) && !watch.time(at(312)) && watch.time(at(611)));
    }

    #[test]
    fn the_warning_of_a_clock() {
        let mut clock = ClockBattery::default();
        let told = [(1, true), (2, false), (3, true), (4, true), (5, false), (300, true), (899, false), (900, false)]
            .map(|(second, shown)| clock.told(at(second), shown));
        assert_eq!(told, [false, false, false, true, false, false, false, true]);
        assert!(!clock.is_low());
    }
}
