//! Decides at which charge of a battery an alarm is raised, and at which charge it is closed.

use core::time::Duration;

use flagfall_protocols::event::Battery;
use flagfall_protocols::time::Instant;

/// The highest charge, in percent, at which a board must be charged. Some boards last five hours, so this is the round's last
/// hour.
const LOW: u8 = 20;
/// The remaining time, in minutes, below which a board that reports its minutes must be charged.
const LOW_MINUTES: u16 = 60;
/// The lowest charge, in percent, that is good again, if the minutes are good as well.
const GOOD: u8 = 25;
/// The lowest remaining time, in minutes, that is good again. It lies above the other limit, so that small changes do not count.
const GOOD_MINUTES: u16 = 75;
/// The highest charge, in percent, at which a battery is critical: the board may go out at any moment.
const CRITICAL: u8 = 5;
/// The lowest charge, in percent, at which a critical battery is no longer critical.
const NOT_CRITICAL: u8 = 10;
/// The time after which a charger counts as connected. A loose plug comes and goes.
const CHARGES: Duration = Duration::from_secs(60);
/// The time without a warning after which a clock counts as having another battery. Near its threshold a clock shows the warning
/// now and then.
const WELL: Duration = Duration::from_secs(600);
/// The number of reports in a row that make a warning. One alone may come from a damaged byte.
const IN_A_ROW: u8 = 2;

/// The interval at which the battery of a device is queried, if the device has ever reported one.
const ASK_BATTERY: Duration = Duration::from_secs(300);

/// The state of a battery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum BatteryLevel {
    /// The charge is good, or it is not known.
    #[default]
    Good,
    /// The battery must be charged.
    Low,
    /// The battery may go out at any moment.
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

    /// The last report.
    pub(super) const fn last(&self) -> Option<Battery> {
        self.last
    }

    /// Handles a report. Returns true if the battery should be queried again at once.
    pub(super) fn handle_report(&mut self, now: Instant, battery: Battery) -> bool {
        self.last = Some(battery);
        self.ask = Some(now.after(ASK_BATTERY));
        if battery.charging {
            self.charging_since.get_or_insert(now);
            return false;
        }
        self.charging_since = None;
        let level = level_after(self.level, &battery);
        // No battery empties at once. Such a report counts only if the next one confirms it.
        let sudden = level == BatteryLevel::Critical && self.level == BatteryLevel::Good;
        self.level = if sudden { BatteryLevel::Low } else { level };
        sudden
    }

    /// Advances the time to `now`. Returns true if the battery should be queried.
    pub(super) fn advance(&mut self, now: Instant) -> bool {
        if self.level != BatteryLevel::Good && self.charging_since.is_some_and(|since| now >= since.after(CHARGES)) {
            self.level = BatteryLevel::Good;
        }
        let ask = self.ask.is_some_and(|ask| now >= ask);
        if ask {
            self.ask = Some(now.after(ASK_BATTERY));
        }
        ask
    }

    /// The time at which [`BatteryWatch::advance`] has something to do.
    pub(super) fn due(&self) -> Option<Instant> {
        let charged = self.charging_since.filter(|_| self.level != BatteryLevel::Good).map(|since| since.after(CHARGES));
        [charged, self.ask].into_iter().flatten().min()
    }
}

/// The level after a report of a battery that is not charging. It depends on the level before.
fn level_after(before: BatteryLevel, battery: &Battery) -> BatteryLevel {
    let critical = if before == BatteryLevel::Critical { battery.percent < NOT_CRITICAL } else { battery.percent <= CRITICAL };
    let (percent, minutes) = if before == BatteryLevel::Good { (LOW, LOW_MINUTES) } else { (GOOD - 1, GOOD_MINUTES) };
    let low = battery.percent <= percent || battery.minutes_left.is_some_and(|left| left < minutes);
    match (critical, low) {
        (true, _) => BatteryLevel::Critical,
        (false, true) => BatteryLevel::Low,
        (false, false) => BatteryLevel::Good,
    }
}

/// The battery of a clock, which reports only that it is low.
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

    /// Handles a report. Returns true if the level changed.
    pub(super) fn handle_report(&mut self, now: Instant, shown: bool) -> bool {
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

    /// The reports of a board, one a minute, and the level after each.
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
                watch.handle_report(at(minute * 60), Battery { percent, minutes_left, charging });
                watch.advance(at(minute * 60));
                assert_eq!(watch.level(), expected, "minute {minute} of {table:?}");
            }
        }
    }

    #[test]
    fn a_loose_plug_is_no_charger() {
        let mut watch = BatteryWatch::default();
        let report = |charging| Battery { percent: 15, minutes_left: None, charging };
        for second in (0..580).step_by(20) {
            watch.handle_report(at(second), report(second % 40 == 20));
            watch.advance(at(second));
            assert_eq!(watch.level(), Low, "second {second}");
        }
        watch.handle_report(at(600), report(true));
        assert_eq!(watch.due(), Some(at(660)));
        watch.advance(at(659));
        assert_eq!(watch.level(), Low);
        watch.advance(at(660));
        assert_eq!(watch.level(), Good);
    }

    #[test]
    fn it_is_asked_for_again() {
        let mut watch = BatteryWatch::default();
        assert_eq!((watch.due(), watch.advance(at(1_000))), (None, false), "a board without a battery is not asked");
        let report = |percent| Battery { percent, minutes_left: None, charging: false };
        assert!(
            !watch.handle_report(at(0), report(80)) && watch.handle_report(at(10), report(4)),
            "at once, if it is empty all of a sudden"
        );
        assert!(!watch.handle_report(at(11), report(4)));
        assert_eq!((watch.level(), watch.due()), (Critical, Some(at(311))));
        assert!(!watch.advance(at(310)) && watch.advance(at(311)) && !watch.advance(at(312)) && watch.advance(at(611)));
    }

    #[test]
    fn the_warning_of_a_clock() {
        let mut clock = ClockBattery::default();
        let told = [(1, true), (2, false), (3, true), (4, true), (5, false), (300, true), (899, false), (900, false)]
            .map(|(second, shown)| clock.handle_report(at(second), shown));
        assert_eq!(told, [false, false, false, true, false, false, false, true]);
        assert!(!clock.is_low());
    }
}
