//! Relates journal time to wall-clock time, for people, by the `anchor` records of the journal. Rulings never depend on them.

use std::time::Duration;

use flagfall_protocols::time::Instant;
use serde::{Deserialize, Serialize};

use crate::system_clock::Utc;
use crate::wire::time::{Anchor, TimeSource};

/// An `anchor` record's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct AnchorRecord {
    /// Microseconds since 1970, UTC.
    pub utc_us: i64,
    /// The source of the wall clock's time.
    pub sync: TimeSource,
    /// Estimated error, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub err_ms: Option<u32>,
    /// Microseconds since the machine was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_us: Option<u64>,
}

/// The largest movement of the wall clock against the monotonic clock without a new record.
pub const MOVED: Duration = Duration::from_millis(50);

impl AnchorRecord {
    /// Reads a record; none if it is not one of ours.
    pub fn read(json: &str) -> Option<AnchorRecord> {
        serde_json::from_str(json).ok()
    }

    /// The JSON for the journal.
    pub fn json(&self) -> String {
        // It holds plain numbers and a word, which JSON can represent.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What would have been read this much earlier.
    pub fn earlier(self, by: Duration) -> AnchorRecord {
        let by = by.as_micros() as u64;
        AnchorRecord {
            utc_us: self.utc_us.saturating_sub_unsigned(by),
            up_us: self.up_us.map(|up| up.saturating_sub(by)),
            ..self
        }
    }

    /// The anchor of this record, tied to its moment `at`.
    pub fn at(&self, at: Instant) -> Anchor {
        Anchor { at, utc: Utc(self.utc_us), sync: self.sync, err_ms: self.err_ms }
    }
}

/// The journal time at which a restart continues: the time of the last record, plus the time between if the clocks were
/// synchronised before and now, else plus nothing. If the machine has been running all the time, it is no more than its own clock
/// says: what must not be early (`public/`) may only be late.
pub fn resume(last_at: Instant, recorded: Option<(Instant, AnchorRecord)>, now: &AnchorRecord) -> Instant {
    let Some((pinned, before)) = recorded else { return last_at };
    if !before.sync.is_synchronised() || !now.sync.is_synchronised() {
        return last_at;
    }
    let was = before.at(pinned).utc_at(last_at).0;
    let mut away = now.utc_us.saturating_sub(was).max(0) as u64;
    if let (Some(then), Some(now)) = (before.up_us, now.up_us)
        && now >= then
    {
        let ran = now - then;
        away = away.min(ran.saturating_sub(last_at.since(pinned).as_micros() as u64));
    }
    last_at.after(Duration::from_micros(away))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000;

    fn anchor(utc_s: i64, sync: TimeSource, up_s: Option<i64>) -> AnchorRecord {
        AnchorRecord { utc_us: utc_s * S, sync, err_ms: None, up_us: up_s.map(|s| (s * S) as u64) }
    }

    #[test]
    fn time_goes_on_by_what_both_clocks_allow() {
        use TimeSource::{Gps, None as No, Ntp, Rtc};
        // The anchor is at 10 s and the last record at 30 s, so the wall clock showed 1020 s then and the machine had run for 120
        // s.
        for (before, now, seconds) in [
            (anchor(1000, Ntp, None), anchor(1080, Ntp, None), 60),
            (anchor(1000, Ntp, None), anchor(1080, Gps, None), 60),
            (anchor(1000, Rtc, None), anchor(1080, Ntp, None), 0),
            (anchor(1000, Ntp, None), anchor(1080, No, None), 0),
            (anchor(1000, Ntp, None), anchor(900, Ntp, None), 0),
            // The wall clock was set an hour ahead while only a minute passed.
            (anchor(1000, Ntp, Some(100)), anchor(1080 + 3600, Ntp, Some(180)), 60),
            // The machine was restarted.
            (anchor(1000, Ntp, Some(100)), anchor(1080, Ntp, Some(20)), 60),
        ] {
            let at = resume(Instant(30 * S as u64), Some((Instant(10 * S as u64), before)), &now);
            assert_eq!(at, Instant((30 + seconds) * S as u64), "{before:?} {now:?}");
        }
        assert_eq!(resume(Instant(5), None, &anchor(1, Ntp, None)), Instant(5));
    }

    #[test]
    fn a_record_reads_back() {
        let record = AnchorRecord { utc_us: 1_795_266_131_412_000, sync: TimeSource::Ntp, err_ms: Some(4), up_us: None };
        assert_eq!(record.json(), r#"{"utc_us":1795266131412000,"sync":"ntp","err_ms":4}"#);
        assert_eq!(AnchorRecord::read(&record.json()), Some(record));
        assert_eq!(AnchorRecord::read("{}"), None);
    }
}
