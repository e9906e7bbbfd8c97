//! Does the clock behave as the configured time control says (Article 6.10.2)?

use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;

use super::SLACK_MS;
use super::control::{Method, Period};
use crate::pair::Pair;

/// Presses in a row that do not fit before the clock is said to be set otherwise: one report may be late or lost.
const MISFITS: u8 = 2;

/// The watch over a clock's setting.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingWatch {
    misfits: u8,
    differs: bool,
}

impl SettingWatch {
    /// The clock and the configured time control differ.
    pub(crate) fn differs(&self) -> bool {
        self.differs
    }

    /// An arbiter has said which setting is right.
    pub(crate) fn settle(&mut self) {
        *self = SettingWatch::default();
    }

    /// The times at the start: the main time, with the first additional time in it or not. True if they newly differ.
    pub(crate) fn start(&mut self, period: &Period, shown: Pair<Option<ClockTime>>) -> bool {
        let fits = |time: Option<ClockTime>| {
            time.is_none_or(|time| {
                let over = i64::from(time.millis()) - i64::from(period.main_ms);
                over.abs() <= SLACK_MS || (over - i64::from(period.per_move_ms)).abs() <= SLACK_MS
            })
        };
        let differs = !(fits(shown.white) && fits(shown.black));
        differs && !core::mem::replace(&mut self.differs, true)
    }

    /// A press that changed the presser's display by `rise_ms`. True if the clock newly differs.
    pub(crate) fn press(&mut self, period: &Period, rise_ms: i64) -> bool {
        let add = i64::from(period.per_move_ms);
        let fits = match period.method {
            Method::TimeOnly | Method::UsDelay => (-SLACK_MS..=0).contains(&rise_ms),
            Method::Fischer => (add - SLACK_MS..=add).contains(&rise_ms),
            Method::Bronstein => (-SLACK_MS..=add).contains(&rise_ms),
        };
        self.misfits = if fits { 0 } else { self.misfits + 1 };
        if self.misfits < MISFITS {
            return false;
        }
        self.misfits = 0;
        !core::mem::replace(&mut self.differs, true)
    }
}

/// First presses, each after the other player's move, that show that the sides of the clock are exchanged.
const EXCHANGED: u8 = 3;

/// The watch over which display belongs to whom: settled by the first press that follows the presser's own move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SidesWatch {
    settled: bool,
    exchanged: u8,
}

impl SidesWatch {
    /// A press by `by` while `made` holds who made the first and the last move that nobody pressed for. True if the sides must
    /// be exchanged.
    pub(crate) fn press(&mut self, by: Color, made: Option<(Color, Color)>) -> bool {
        if let (Some((first, last)), false) = (made, self.settled) {
            // The first press may be heard after the reply; exchanged sides show in that the wrong player pressed before it.
            let own = if self.exchanged == 0 { first } else { last };
            self.settled = own == by;
            self.exchanged += u8::from(own != by);
            self.settled |= self.exchanged == EXCHANGED;
            return self.exchanged == EXCHANGED;
        }
        false
    }
}
