//! Reads the clocks of the operating system. No other file does so.
//!
//! The two clocks are never mixed: [`MonotonicTime`] runs evenly and gives the order of events; [`Utc`] is for people and may
//! jump.

use std::fmt;
use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime};

/// Microseconds since this program first read the clock. It never runs back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MonotonicTime(pub u64);

impl MonotonicTime {
    /// This time plus `wait`.
    pub const fn after(self, wait: Duration) -> MonotonicTime {
        MonotonicTime(self.0.saturating_add(wait.as_micros() as u64))
    }

    /// The time since `earlier`; zero if that is later.
    pub const fn since(self, earlier: MonotonicTime) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// Microseconds since 1970 in UTC, without leap seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utc(pub i64);

/// The time at which this program first read the clock.
static BEGAN: LazyLock<Instant> = LazyLock::new(now);

#[allow(clippy::disallowed_methods, reason = "the one place that reads the monotonic clock")]
fn now() -> Instant {
    Instant::now()
}

/// Reads the monotonic clock.
pub fn monotonic() -> MonotonicTime {
    let began = *BEGAN;
    MonotonicTime(now().saturating_duration_since(began).as_micros() as u64)
}

/// Reads the wall clock of the operating system.
#[allow(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
pub fn utc() -> Utc {
    match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => Utc(since.as_micros() as i64),
        Err(before) => Utc(-(before.duration().as_micros() as i64)),
    }
}

/// Reads both clocks at one moment. If the program stood still between them, they are read again, a few times at most.
pub fn monotonic_and_utc() -> (MonotonicTime, Utc) {
    const AT_ONCE: Duration = Duration::from_millis(1);
    let mut before = monotonic();
    for _ in 0..8 {
        let read = utc();
        let after = monotonic();
        if after.since(before) < AT_ONCE {
            return (before, read);
        }
        before = after;
    }
    (before, utc())
}

impl Utc {
    /// Reads RFC 3339 text in UTC (`…Z`), as senders of commands write it.
    pub fn parse(text: &str) -> Option<Utc> {
        let time = humantime::parse_rfc3339(text).ok()?;
        Some(match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => Utc(i64::try_from(since.as_micros()).ok()?),
            Err(_) => return None,
        })
    }

    /// Reads any RFC 3339 text, such as `2026-11-24T14:00:00+01:00`, as people write it in a configuration.
    pub fn parse_with_offset(text: &str) -> Option<Utc> {
        let Some((local, offset)) = text.len().checked_sub(6).and_then(|at| text.split_at_checked(at)) else {
            return Utc::parse(text);
        };
        let sign = match offset.bytes().next() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Utc::parse(text),
        };
        if !local.ends_with(|last: char| last.is_ascii_digit()) {
            return None;
        }
        let (hours, minutes) = offset[1..].split_once(':')?;
        let number = |digits: &str, below: i64| {
            let value = digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse::<i64>().ok()).flatten()?;
            (digits.len() == 2 && value < below).then_some(value)
        };
        let minutes = sign * (number(hours, 24)? * 60 + number(minutes, 60)?);
        Utc::parse(&format!("{local}Z")).map(|local| local.after_micros(-minutes * 60_000_000))
    }

    /// This time plus `micros` microseconds, which may be negative.
    pub const fn after_micros(self, micros: i64) -> Utc {
        Utc(self.0.saturating_add(micros))
    }
}

impl fmt::Display for Utc {
    /// RFC 3339 with milliseconds, `2026-11-21T13:02:11.412Z`; times before 1970 are written as 1970.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // RFC 3339 cannot write times after the year 9999.
        let micros = self.0.clamp(0, 253_402_300_799_000_000) as u64;
        humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + Duration::from_micros(micros)).fmt(f)
    }
}

/// Microseconds since the machine was started, sleep included; none if the system does not tell.
pub fn since_boot() -> Option<u64> {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_BOOTTIME).ok()?;
    Duration::from(time).as_micros().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_any_offset() {
        let same = Utc::parse("2026-11-24T13:00:00Z");
        assert!(same.is_some());
        for (text, time) in [
            ("2026-11-24T13:00:00Z", same),
            ("2026-11-24T14:00:00+01:00", same),
            ("2026-11-24T18:45:00+05:45", same),
            ("2026-11-24T09:30:00-03:30", same),
            ("2026-11-24T13:00:00-00:00", same),
            ("2026-11-24T14:00:00.000+01:00", same),
            ("2026-11-24T14:00:00", None),
            ("2026-11-24T14:00:00+1:00", None),
            ("2026-11-24T14:00:00+24:00", None),
            ("2026-11-24T14:00:00+01:60", None),
            ("2026-11-24T14:00:00+0100", None),
            ("2026-11-24T14:00:00Z+01:00", None),
            ("2026-11-24T14:00:00\u{2212}01:00", None),
            ("2026-11-24", None),
            ("14:00", None),
            ("", None),
        ] {
            assert_eq!(Utc::parse_with_offset(text), time, "{text}");
        }
    }
}
