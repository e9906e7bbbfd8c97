//! What to ask and when, for families whose few questions fit a table: start-up, gaps, retries, keep-alive, silence.
//!
//! ```text
//!  link up ── settle ── the questions of the table, in its order, a gap apart ── the picture again, each time it grows old
//! ```
//!
//! The first question is asked for ever until something answers, the others only then. One of them asks for the picture of all
//! squares: it is the keep-alive too. Three repetitions in three seconds without any message = the device is silent, and everything
//! begins again.
//!
//! Questions leave only when a deadline is fed, never while bytes are read: so the order of outputs does not depend on how
//! the bytes were cut. What waits is one bit a question, which bounds it.

use core::time::Duration;

use super::outbox::Outbox;
use crate::event::{Anomaly, ByteRange, DeviceEvent};
use crate::time::Instant;

/// A table may have so many questions.
const MOST: usize = 8;
/// A device is taken for silent after so many repetitions without any message, and not sooner than after this time.
const MISSED: u32 = 3;
const SILENCE: Duration = Duration::from_secs(3);

/// One row of the table.
#[derive(Debug)]
pub(in crate::drivers) struct Question {
    /// What is sent.
    pub(in crate::drivers) bytes: &'static [u8],
    /// How long to wait for the answer; none = nothing answers this.
    pub(in crate::drivers) retry: Option<Duration>,
    /// How often it is asked before it is given up, of a device that answers other things; none = for ever.
    pub(in crate::drivers) tries: Option<u32>,
}

/// The questions of a family and its pace.
#[derive(Debug)]
pub(in crate::drivers) struct QueryPlan {
    /// From the link's coming up to the first question.
    pub(in crate::drivers) settle: Duration,
    /// Nothing but the first question is asked until the device has answered something: others could mean harm to a device of
    /// another family.
    pub(in crate::drivers) confirm: bool,
    /// Between two questions, at least.
    pub(in crate::drivers) gap: Duration,
    /// At most eight, the first one such that every device answers it.
    pub(in crate::drivers) questions: &'static [Question],
    /// The row that asks for the picture of all squares.
    pub(in crate::drivers) picture: usize,
    /// How old a picture may grow before it is asked for again.
    pub(in crate::drivers) age: Duration,
    /// Lost bytes make it be asked for at once, but not sooner than this after the last time.
    pub(in crate::drivers) repair: Duration,
}

/// The questions of one link.
#[derive(Debug)]
pub(in crate::drivers) struct QueryScheduler {
    plan: &'static QueryPlan,
    /// A bit for each row that waits to be sent.
    waiting: u8,
    /// The gap after the last question ends here.
    free: Instant,
    /// Each: when to ask again if no answer came.
    open: [Option<Instant>; MOST],
    asked: [u32; MOST],
    responding: bool,
    /// When the last message came, and repetitions since.
    heard: Instant,
    missed: u32,
    /// How old a picture may grow, and when it is asked for next.
    age: Duration,
    picture: Instant,
    pictured: Instant,
}

impl QueryScheduler {
    /// The link came up, or the device fell silent: begin with the first question.
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
            heard: at,
            missed: 0,
            age: plan.age,
            picture: free,
            pictured: at,
        }
    }

    /// Asks a row of the table, if it does not wait already.
    pub(in crate::drivers) fn ask(&mut self, at: Instant, row: usize) {
        self.free = self.free.max(at);
        self.waiting |= 1 << row;
        self.open[row] = None;
    }

    /// Whether a row was asked and its answer has not come.
    pub(in crate::drivers) const fn waits_for(&self, row: usize) -> bool {
        self.open[row].is_some()
    }

    /// The picture is asked for when it is so old.
    pub(in crate::drivers) fn set_picture_age(&mut self, age: Duration) {
        self.age = age;
        self.picture = self.pictured.after(age);
    }

    /// Bytes were lost: perhaps a change of the board with them.
    pub(in crate::drivers) fn on_lost_bytes(&mut self, at: Instant) {
        self.picture = self.picture.min(self.pictured.after(self.plan.repair).max(at));
    }

    /// A message came; `answer` if it shows that the device hears us.
    pub(in crate::drivers) fn on_message(&mut self, at: Instant, answer: bool, here: ByteRange, out: &mut Outbox) {
        if answer && !self.responding {
            self.responding = true;
            out.event(DeviceEvent::Responding, here);
        }
        (self.heard, self.missed) = (at, 0);
    }

    /// The answer of a row came. If the first row had to be asked more than once the device may not have heard the rest: say it
    /// again.
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

    /// When something is to be done next.
    pub(in crate::drivers) fn deadline(&self) -> Option<Instant> {
        let send = (self.rows_to_send() != 0).then_some(self.free);
        let again = (0..MOST).filter_map(|row| self.retry_at(row));
        again.chain(send).chain(self.picture_due_at()).min()
    }

    /// Does what is due. True if the device fell silent and everything begins again.
    pub(in crate::drivers) fn expire(&mut self, at: Instant, here: ByteRange, out: &mut Outbox) -> bool {
        for row in 0..MOST {
            if self.retry_at(row).is_none_or(|end| end > at) {
                continue;
            }
            if self.responding && self.missed >= MISSED && self.heard.after(SILENCE) <= at {
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

    /// When a row is asked again. Of a device that never answered only the first is.
    fn retry_at(&self, row: usize) -> Option<Instant> {
        self.open[row].filter(|_| self.responding || row == 0)
    }

    /// When the picture is too old, unless it is asked for already.
    fn picture_due_at(&self) -> Option<Instant> {
        let row = self.plan.picture;
        let asked = self.waiting & (1 << row) != 0 || self.open[row].is_some();
        (self.responding && !asked).then_some(self.picture)
    }

    /// The rows that wait and may be sent.
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
