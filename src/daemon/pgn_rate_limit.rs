//! Limits how often the PGN of a board is published (`wire/README.md#3`): it has every game of the board, and viewers read it as a file.

use std::time::Duration;

use flagfall_protocols::bytes::crc32;
use flagfall_protocols::trace::Audience;

use crate::publish::Message;
use crate::session::station::ChangedPgn;
use crate::system_clock::MonotonicTime;

/// The shortest and the longest time between two publications for one audience, in seconds. Between them the time grows with the length of
/// the games ...
const EVERY: [u64; 2] = [1, 10];
/// ... so that so many bytes a second are published, as long as the time is not the longest one.
const RATE: u64 = 512;

/// What was published last for one audience, and when.
#[derive(Debug, Default)]
struct Last {
    at: Option<MonotonicTime>,
    /// Length and checksum: the text itself is in the outbox.
    pgn: (usize, u32),
}

/// What was published last for each audience.
#[derive(Debug, Default)]
pub(super) struct PgnRateLimit {
    live: Last,
    public: Last,
}

impl Last {
    fn next(&self) -> MonotonicTime {
        let [shortest, longest] = EVERY.map(Duration::from_secs);
        let every = Duration::from_millis(self.pgn.0 as u64 * 1000 / RATE).clamp(shortest, longest);
        self.at.map_or(MonotonicTime(0), |at| at.after(every))
    }
}

impl PgnRateLimit {
    /// The audiences whose PGN must be made now, of those for which it has changed.
    pub(super) fn due(&self, changed: ChangedPgn, now: MonotonicTime) -> ChangedPgn {
        let due = |last: &Last| last.next() <= now;
        ChangedPgn { live: changed.live && due(&self.live), public: changed.public && due(&self.public) }
    }

    /// When the next PGN is due, if one has changed.
    pub(super) fn next(&self, changed: ChangedPgn) -> Option<MonotonicTime> {
        let all = [(changed.live, &self.live), (changed.public, &self.public)];
        all.into_iter().filter(|(changed, _)| *changed).map(|(_, last)| last.next()).min()
    }

    /// Notes a PGN that was made. Returns whether it must be published: a state may have changed in something that PGN does not have.
    pub(super) fn admits(&mut self, message: &Message, now: MonotonicTime) -> bool {
        let last = if message.audience == Audience::Public { &mut self.public } else { &mut self.live };
        let pgn = (message.payload.len(), crc32(message.payload.as_bytes()));
        if last.pgn == pgn {
            return false;
        }
        *last = Last { at: Some(now), pgn };
        true
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocols::time::Instant;

    use super::*;

    #[test]
    fn each_audience_gets_what_is_new_and_long_games_less_often() {
        let ms = |ms: u64| MonotonicTime(ms * 1000);
        let message = |audience, payload: &str| Message {
            audience,
            number: 0,
            topic: String::new(),
            retain: true,
            payload: payload.to_owned(),
            finding: false,
            decision: false,
            at: Instant::ZERO,
        };
        let (both, live) = (ChangedPgn { live: true, public: true }, ChangedPgn { live: true, public: false });
        let mut limit = PgnRateLimit::default();
        assert_eq!((limit.due(both, ms(0)), limit.next(ChangedPgn::default())), (both, None));
        assert!(limit.admits(&message(Audience::Live, "1"), ms(5000)));
        assert_eq!((limit.due(both, ms(5999)), limit.next(live)), (ChangedPgn { live: false, public: true }, Some(ms(6000))));
        assert!(!limit.admits(&message(Audience::Live, "1"), ms(6000)), "nothing new");
        assert_eq!(limit.due(live, ms(6000)), live, "what was not published does not count");
        assert!(limit.admits(&message(Audience::Public, "1"), ms(6000)) && limit.admits(&message(Audience::Live, "2"), ms(6000)));
        assert_eq!(limit.next(both), Some(ms(7000)));
        for (length, next) in [(512, 8000), (1024, 9000), (5120, 17_000), (50_000, 17_000)] {
            assert!(limit.admits(&message(Audience::Live, &"x".repeat(length)), ms(7000)));
            assert_eq!(limit.next(live), Some(ms(next)), "{length}");
        }
    }
}
