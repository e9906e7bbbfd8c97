//! Says a time control in words, and what kind of chess it is: a person who writes `90+30` means minutes, and PGN means seconds.

#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::control::{Method, Period, TimeControl};
use crate::laws::rulebook::Profile;

/// The number of moves for which the Laws count the time of a player (Articles A.1 and B.1).
const MOVES: u32 = 60;
/// Main time of a period below which minutes were probably meant, milliseconds.
const SHORT_MS: u32 = 60_000;
/// What a move adds in games with long times, milliseconds.
const LONG_GAMES_MS: u32 = 10_000;
/// No period that is played is longer, milliseconds.
const LONGEST_MS: u32 = 3 * 3_600_000;

/// The kind of chess by the time for 60 moves (Articles A.1 and B.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Ten minutes or less.
    Blitz,
    /// More than ten minutes and less than 60.
    Rapid,
    /// 60 minutes or more.
    Standard,
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pace::Blitz => "blitz (B.1)",
            Pace::Rapid => "rapid chess (A.1)",
            Pace::Standard => "standard chess",
        })
    }
}

impl Profile {
    /// The kind of chess for which these rules are; none if they hold for several.
    pub const fn pace(self) -> Option<Pace> {
        match self {
            Profile::FideStandard => Some(Pace::Standard),
            Profile::FideRapid | Profile::FideRapidSupervised => Some(Pace::Rapid),
            Profile::FideBlitz | Profile::FideBlitzSupervised => Some(Pace::Blitz),
            Profile::FidePrintOld | Profile::UsChess | Profile::ClubSpeed | Profile::MaterialOnly => None,
        }
    }
}

impl TimeControl {
    /// The kind of chess that is played with it.
    pub fn pace(&self) -> Pace {
        match self.sixty_moves_ms() {
            0..=600_000 => Pace::Blitz,
            600_001..3_600_000 => Pace::Rapid,
            _ => Pace::Standard,
        }
    }

    /// The time in words, period by period: `1 minute 30 seconds, and 30 seconds a move`.
    pub fn words(&self) -> String {
        self.periods().iter().map(period_words).collect::<Vec<_>>().join("; then ")
    }

    /// Why it is probably not the time control that is meant, a sentence: it is not the chess for which the rules of `profile` are, or
    /// a period is shorter than a minute. None if it may well be.
    pub fn doubt(&self, profile: Profile) -> Option<String> {
        let contradicted = profile.pace().filter(|wanted| *wanted != self.pace());
        // Under any rules: few seconds, or less than three minutes with as much for a move as in long games.
        let short = |period: &Period| {
            (1..SHORT_MS).contains(&period.main_ms) || (period.main_ms < 3 * SHORT_MS && period.per_move_ms >= LONG_GAMES_MS)
        };
        let is_short = self.periods().iter().any(short);
        if contradicted.is_none() && !is_short {
            return None;
        }
        let mut text = format!(
            "time_control {self} is {}: {} for {MOVES} moves, which is {}",
            self.words(),
            time_words(self.sixty_moves_ms()),
            self.pace()
        );
        if let Some(wanted) = contradicted {
            text += &format!(", but the profile {} is for {wanted}", profile.name());
        }
        let fits = |other: &TimeControl| profile.pace().is_none_or(|wanted| wanted == other.pace());
        let played = |other: &TimeControl| other.periods().iter().all(|period| period.main_ms <= LONGEST_MS);
        let minutes = self.in_minutes().filter(|other| fits(other) && played(other));
        match minutes {
            Some(minutes) => text += &format!("; its main time is in seconds: if minutes are meant, write {minutes}"),
            None => text += "; correct one of the two",
        }
        Some(text)
    }

    /// The time of one player for 60 moves, milliseconds: the main time of all periods, and what comes with each move.
    fn sixty_moves_ms(&self) -> u64 {
        let mut left = MOVES;
        let of_period = |period: &Period| {
            let moves = period.moves.unwrap_or(left).min(left);
            left -= moves;
            u64::from(period.main_ms) + u64::from(moves) * u64::from(period.per_move_ms)
        };
        self.periods().iter().map(of_period).sum()
    }

    /// The time control that is written like this one, if its main times were minutes; none if no clock has so much time.
    fn in_minutes(&self) -> Option<TimeControl> {
        let mut text = String::new();
        for period in self.periods() {
            let seconds = Period { main_ms: period.main_ms.checked_mul(60)?, ..*period };
            text += &format!("{}{seconds}", if text.is_empty() { "" } else { ":" });
        }
        TimeControl::parse(&text).ok()
    }
}

fn period_words(period: &Period) -> String {
    let mut text = time_words(period.main_ms.into());
    if let Some(moves) = period.moves {
        text += &format!(" for {moves} moves");
    }
    let each = time_words(period.per_move_ms.into());
    match period.method {
        Method::TimeOnly => {}
        Method::Fischer => text += &format!(", and {each} a move"),
        Method::Bronstein => text += &format!(", and up to {each} a move given back (Bronstein)"),
        Method::UsDelay => text += &format!(", and a delay of {each} a move"),
    }
    text
}

/// A time in whole hours, or in minutes and seconds.
fn time_words(ms: u64) -> String {
    let (minutes, seconds) = (ms / 60_000, ms / 1000 % 60);
    let count = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    match (minutes, seconds) {
        (0, seconds) => count(seconds, "second"),
        (minutes, 0) if minutes % 60 == 0 => count(minutes / 60, "hour"),
        (minutes, 0) => count(minutes, "minute"),
        (minutes, seconds) => format!("{} {}", count(minutes, "minute"), count(seconds, "second")),
    }
}
