//! Determines when to send a ping on a connection, and when the connection counts as lost because the broker sends nothing.

use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// The least time in which an answer may come, however short the keep-alive time is.
const PATIENCE: Duration = Duration::from_secs(5);

/// The times of the last packets in both directions.
pub(super) struct KeepAlive {
    /// The time between two signs of life; zero = none are needed.
    every: Duration,
    received: MonotonicTime,
    sent: MonotonicTime,
    /// When the ping was sent that is not answered yet.
    asked: Option<MonotonicTime>,
}

/// What must be done now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeepAliveStep {
    Nothing,
    Ping,
    Gone,
}

impl KeepAlive {
    pub(super) fn new(every: Duration, now: MonotonicTime) -> KeepAlive {
        KeepAlive { every, received: now, sent: now, asked: None }
    }

    /// Notes that a packet arrived.
    pub(super) fn note_received(&mut self, now: MonotonicTime) {
        self.received = now;
    }

    /// Notes that the ping was answered.
    pub(super) fn note_answer(&mut self) {
        self.asked = None;
    }

    /// Notes that a packet is sent.
    pub(super) fn note_sent(&mut self, now: MonotonicTime) {
        self.sent = now;
    }

    /// When [`KeepAlive::check`] must be called at the latest. One direction alone is not enough: the broker needs our signs of
    /// life, and we need the broker's.
    pub(super) fn due(&self) -> Option<MonotonicTime> {
        let due = match self.asked {
            Some(asked) => asked.after(self.every.max(PATIENCE)),
            None => self.sent.min(self.received).after(self.every),
        };
        (!self.every.is_zero()).then_some(due)
    }

    pub(super) fn check(&mut self, now: MonotonicTime) -> KeepAliveStep {
        if self.due().is_none_or(|due| now < due) {
            return KeepAliveStep::Nothing;
        }
        if self.asked.is_some() {
            return KeepAliveStep::Gone;
        }
        self.asked = Some(now);
        KeepAliveStep::Ping
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: Duration = Duration::from_secs(10);

    fn at(seconds: u64) -> MonotonicTime {
        MonotonicTime(seconds * 1_000_000)
    }

    #[test]
    fn a_silent_side_is_asked_once_and_then_gone() {
        let mut keep_alive = KeepAlive::new(EVERY, at(0));
        assert_eq!(keep_alive.check(at(9)), KeepAliveStep::Nothing);
        // We send packets, the broker sends nothing.
        keep_alive.note_sent(at(9));
        assert_eq!((keep_alive.due(), keep_alive.check(at(10))), (Some(at(10)), KeepAliveStep::Ping));
        keep_alive.note_sent(at(10));
        keep_alive.note_received(at(15));
        assert_eq!((keep_alive.due(), keep_alive.check(at(19))), (Some(at(20)), KeepAliveStep::Nothing));
        assert_eq!(keep_alive.check(at(20)), KeepAliveStep::Gone, "what else it says is no answer");
    }

    #[test]
    fn while_both_sides_speak_nobody_asks() {
        let mut keep_alive = KeepAlive::new(EVERY, at(0));
        for second in 1..100 {
            keep_alive.note_sent(at(second));
            keep_alive.note_received(at(second));
            assert_eq!(keep_alive.check(at(second)), KeepAliveStep::Nothing);
        }
        // The broker sends packets, we do not.
        keep_alive.note_received(at(108));
        assert_eq!(keep_alive.check(at(109)), KeepAliveStep::Ping);
        keep_alive.note_answer();
        keep_alive.note_sent(at(109));
        assert_eq!(keep_alive.due(), Some(at(118)));
    }

    #[test]
    fn a_broker_that_wants_many_signs_may_still_be_slow() {
        let mut keep_alive = KeepAlive::new(Duration::from_secs(1), at(0));
        assert_eq!(
            (keep_alive.check(at(1)), keep_alive.check(at(5)), keep_alive.check(at(6))),
            (KeepAliveStep::Ping, KeepAliveStep::Nothing, KeepAliveStep::Gone)
        );
    }

    #[test]
    fn a_broker_that_wants_no_signs_is_not_asked() {
        let mut keep_alive = KeepAlive::new(Duration::ZERO, at(0));
        assert_eq!((keep_alive.due(), keep_alive.check(at(1000))), (None, KeepAliveStep::Nothing));
    }
}
