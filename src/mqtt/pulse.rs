//! Signs of life: when to ask the broker for one, and when it is gone.

use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// An answer may take so long, however often the broker wants to hear us.
const PATIENCE: Duration = Duration::from_secs(5);

/// Signs of life of one connection.
pub(super) struct Pulse {
    /// Between two; nothing = none is wanted.
    every: Duration,
    heard: MonotonicTime,
    said: MonotonicTime,
    /// A question that is not answered.
    asked: Option<MonotonicTime>,
}

/// What is to be done now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Beat {
    Nothing,
    Ask,
    Gone,
}

impl Pulse {
    pub(super) fn new(every: Duration, now: MonotonicTime) -> Pulse {
        Pulse { every, heard: now, said: now, asked: None }
    }

    /// Something came.
    pub(super) fn heard(&mut self, now: MonotonicTime) {
        self.heard = now;
    }

    /// The question is answered.
    pub(super) fn answered(&mut self) {
        self.asked = None;
    }

    /// Something is sent.
    pub(super) fn said(&mut self, now: MonotonicTime) {
        self.said = now;
    }

    /// When [`Pulse::beat`] is to be called at the latest. One side alone is no life: the broker wants to hear us, and we
    /// want to know that it is there.
    pub(super) fn due(&self) -> Option<MonotonicTime> {
        let due = match self.asked {
            Some(asked) => asked.after(self.every.max(PATIENCE)),
            None => self.said.min(self.heard).after(self.every),
        };
        (!self.every.is_zero()).then_some(due)
    }

    pub(super) fn beat(&mut self, now: MonotonicTime) -> Beat {
        if self.due().is_none_or(|due| now < due) {
            return Beat::Nothing;
        }
        if self.asked.is_some() {
            return Beat::Gone;
        }
        self.asked = Some(now);
        Beat::Ask
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
        let mut pulse = Pulse::new(EVERY, at(0));
        assert_eq!(pulse.beat(at(9)), Beat::Nothing);
        // We say much, it says nothing.
        pulse.said(at(9));
        assert_eq!((pulse.due(), pulse.beat(at(10))), (Some(at(10)), Beat::Ask));
        pulse.said(at(10));
        pulse.heard(at(15));
        assert_eq!((pulse.due(), pulse.beat(at(19))), (Some(at(20)), Beat::Nothing));
        assert_eq!(pulse.beat(at(20)), Beat::Gone, "what else it says is no answer");
    }

    #[test]
    fn while_both_sides_speak_nobody_asks() {
        let mut pulse = Pulse::new(EVERY, at(0));
        for second in 1..100 {
            pulse.said(at(second));
            pulse.heard(at(second));
            assert_eq!(pulse.beat(at(second)), Beat::Nothing);
        }
        // It speaks, we do not.
        pulse.heard(at(108));
        assert_eq!(pulse.beat(at(109)), Beat::Ask);
        pulse.answered();
        pulse.said(at(109));
        assert_eq!(pulse.due(), Some(at(118)));
    }

    #[test]
    fn a_broker_that_wants_many_signs_may_still_be_slow() {
        let mut pulse = Pulse::new(Duration::from_secs(1), at(0));
        assert_eq!((pulse.beat(at(1)), pulse.beat(at(5)), pulse.beat(at(6))), (Beat::Ask, Beat::Nothing, Beat::Gone));
    }

    #[test]
    fn a_broker_that_wants_no_signs_is_not_asked() {
        let mut pulse = Pulse::new(Duration::ZERO, at(0));
        assert_eq!((pulse.due(), pulse.beat(at(1000))), (None, Beat::Nothing));
    }
}
