//! Decides which question is sent and when, for families with a table of a few questions. This includes the start, the gaps,
//! the retries, the keep-alive and the detection of silence.
//!
//! ```text
//!  link up ── settle ── the questions in the order of the table, with gaps ── the picture again, whenever it is too old
//! ```
//!
//! The first question is repeated until the device answers, and the other questions follow only then. One of the questions asks
//! for the picture of all squares; it is also the keep-alive. After three repetitions and three seconds without any message the
//! device counts as silent, and everything begins again.
//!
//! Questions are sent only when a deadline is fed, never while bytes are read. So the order of outputs does not depend on how
//! the bytes were cut. A waiting question is one bit, so memory is bounded.

use core::time::Duration;

use super::outbox::Outbox;
use crate::event::{Anomaly, ByteRange, DeviceEvent};
use crate::time::Instant;

/// The largest number of questions in a table.
const MOST: usize = 8;
/// The number of repetitions without any message after which a device counts as silent, but not before [`SILENCE`].
const MISSED: u32 = 3;
/// The shortest time without any message after which a device counts as silent.
const SILENCE: Duration = Duration::from_secs(3);

/// One row of the table.
#[derive(Debug)]
pub(in crate::drivers) struct Question {
    /// The bytes of the question.
    pub(in crate::drivers) bytes: &'static [u8],
    /// The waiting time for the answer; `None` if the question has no answer.
    pub(in crate::drivers) retry: Option<Duration>,
    /// The number of tries for a device that answers other questions; `None` means that the question is always repeated.
    pub(in crate::drivers) tries: Option<u32>,
}

/// The questions of a family and their timing.
#[derive(Debug)]
pub(in crate::drivers) struct QueryPlan {
    /// The time from the start of the link to the first question.
    pub(in crate::drivers) settle: Duration,
    /// Only the first question is asked until the device has answered. The other questions could be harmful commands for a
    /// device of another family.
    pub(in crate::drivers) confirm: bool,
    /// The shortest time between two questions.
    pub(in crate::drivers) gap: Duration,
    /// At most eight questions. Every device must answer the first one.
    pub(in crate::drivers) questions: &'static [Question],
    /// The row that asks for the picture of all squares.
    pub(in crate::drivers) picture: usize,
    /// The age of a picture at which it is asked for again.
    pub(in crate::drivers) age: Duration,
    /// After lost bytes the picture is asked for at once, but not before this time since the last one.
    pub(in crate::drivers) repair: Duration,
}

/// The state of the questions on one link.
#[derive(Debug)]
pub(in crate::drivers) struct QueryScheduler {
    plan: &'static QueryPlan,
    /// One bit for each row that waits to be sent.
    waiting: u8,
    /// The end of the gap after the last question.
    free: Instant,
    /// For each row: the time to ask again if no answer came.
    open: [Option<Instant>; MOST],
    asked: [u32; MOST],
    responding: bool,
    /// The time of the last message, and the number of repetitions since.
    last_message: Instant,
    missed: u32,
    /// The age at which the picture is asked for again, the time of the next question for it, and the time of the last picture.
    age: Duration,
    picture: Instant,
    pictured: Instant,
}

impl QueryScheduler {
    /// Creates a scheduler that begins with the first question, because the link came up or the device fell silent.
    pub(in crate::drivers) const fn new(at: Instant, plan: &'static QueryPlan) -> QueryScheduler {
        debug_assert!(plan.questions.len() <= MOST, "a bit for each row");
        let free = at.after(plan.settle);
        QueryScheduler {
            plan,
            waiting: (1u16 << plan.questions.len()).wrapping_sub(1) as u8,
            free,
            open: [None; MOST],
            asked: [0; MOST],
            responding: false,
            last_message: at,
            missed: 0,
            age: plan.age,
            picture: free,
            pictured: at,
        }
    }

    /// Queues a row of the table, if it does not wait already.
    pub(in crate::drivers) fn ask(&mut self, at: Instant, row: usize) {
        self.free = self.free.max(at);
        self.waiting |= 1 << row;
        self.open[row] = None;
    }

    /// Returns whether a row was asked and its answer has not come.
    pub(in crate::drivers) const fn waits_for(&self, row: usize) -> bool {
        self.open[row].is_some()
    }

    /// Sets the age at which the picture is asked for again.
    pub(in crate::drivers) fn set_picture_age(&mut self, age: Duration) {
        self.age = age;
        self.picture = self.pictured.after(age);
    }

    /// Asks for the picture soon, because a change of the board may have been among lost bytes.
    pub(in crate::drivers) fn on_lost_bytes(&mut self, at: Instant) {
        self.picture = self.picture.min(self.pictured.after(self.plan.repair).max(at));
    }

    /// Records a message. `answer` means that the message shows that the device receives our questions.
    pub(in crate::drivers) fn on_message(&mut self, at: Instant, answer: bool, here: ByteRange, out: &mut Outbox) {
        if answer && !self.responding {
            self.responding = true;
            out.event(DeviceEvent::Responding, here);
        }
        (self.last_message, self.missed) = (at, 0);
    }

    /// Records the answer to a row. If the first row had to be asked more than once, the device may have missed the other rows,
    /// so they are asked again.
    pub(in crate::drivers) fn on_answer(&mut self, at: Instant, row: usize) {
        let late = core::mem::take(&mut self.asked[row]) > 1;
        self.open[row] = None;
        if row == 0 && late {
            (1..self.plan.questions.len()).for_each(|other| self.ask(at, other));
        }
        if row == self.plan.picture {
            self.pictured = at;
            self.picture = at.after(self.age);
        }
    }

    /// Returns the time of the next action.
    pub(in crate::drivers) fn deadline(&self) -> Option<Instant> {
        let send = (self.rows_to_send() != 0).then_some(self.free);
        let again = (0..MOST).filter_map(|row| self.retry_at(row));
        again.chain(send).chain(self.picture_due_at()).min()
    }

    /// Does what is due. Returns true if the device fell silent and everything begins again.
    pub(in crate::drivers) fn expire(&mut self, at: Instant, here: ByteRange, out: &mut Outbox) -> bool {
        for row in 0..MOST {
            if self.retry_at(row).is_none_or(|end| end > at) {
                continue;
            }
            if self.responding && self.missed >= MISSED && self.last_message.after(SILENCE) <= at {
                out.event(DeviceEvent::Silent, here);
                *self = QueryScheduler::new(at, self.plan);
                return true;
            }
            self.open[row] = None;
            self.missed = self.missed.saturating_add(1);
            let last = self.plan.questions[row].tries.is_some_and(|tries| self.responding && self.asked[row] >= tries);
            if !last {
                self.ask(at, row);
                out.anomaly(Anomaly::Retried, here);
            }
        }
        if self.picture_due_at().is_some_and(|end| end <= at) {
            self.ask(at, self.plan.picture);
        }
        if self.rows_to_send() != 0 && self.free <= at {
            self.send(at, out);
        }
        false
    }

    /// Returns the time at which a row is asked again. Before the device's first answer only the first row is asked again.
    fn retry_at(&self, row: usize) -> Option<Instant> {
        self.open[row].filter(|_| self.responding || row == 0)
    }

    /// Returns the time at which the picture is too old, unless it is asked for already.
    fn picture_due_at(&self) -> Option<Instant> {
        let row = self.plan.picture;
        let asked = self.waiting & (1 << row) != 0 || self.open[row].is_some();
        (self.responding && !asked).then_some(self.picture)
    }

    /// Returns the rows that wait and may be sent, one bit each.
    const fn rows_to_send(&self) -> u8 {
        if self.plan.confirm && !self.responding { self.waiting & 1 } else { self.waiting }
    }

    fn send(&mut self, at: Instant, out: &mut Outbox) {
        let row = self.rows_to_send().trailing_zeros() as usize;
        self.waiting &= !(1 << row);
        let Some(question) = self.plan.questions.get(row) else { return };
        out.send(question.bytes.into());
        self.free = at.after(self.plan.gap);
        self.open[row] = question.retry.map(|retry| at.after(retry));
        self.asked[row] = self.asked[row].saturating_add(1);
        if row == self.plan.picture {
            self.pictured = at;
        }
    }
}
