//! Holds the parts that the sessions with a table of questions share: the outputs, the reported squares, the questions and the
//! timers.

use core::time::Duration;

use super::outbox::Outbox;
use super::picture_tracker::PictureTracker;
use super::query_scheduler::QueryScheduler;
use crate::event::{Anomaly, ByteRange};
use crate::time::Instant;

/// The silence after which an incomplete message is dropped.
const STALL: Duration = Duration::from_millis(500);

/// The common parts of a session with one device.
#[derive(Debug, Default)]
pub(in crate::drivers) struct Shell {
    pub(in crate::drivers) out: Outbox,
    pub(in crate::drivers) pictures: PictureTracker,
    /// `None` while the link is down: then nothing is asked.
    scheduler: Option<QueryScheduler>,
    /// The time of the last byte.
    touched: Instant,
    now: Instant,
}

impl Shell {
    /// Begins a new input.
    pub(in crate::drivers) fn begin_input(&mut self, at: Instant) {
        debug_assert!(self.out.is_empty(), "drain before feeding again");
        self.now = self.now.max(at);
    }

    /// Sets the questions of a link that came up; `None` for a link that went down.
    pub(in crate::drivers) const fn set_scheduler(&mut self, scheduler: Option<QueryScheduler>) {
        self.scheduler = scheduler;
    }

    /// Returns whether the link is up and questions are asked.
    pub(in crate::drivers) const fn asks_questions(&self) -> bool {
        self.scheduler.is_some()
    }

    /// Forgets the device, because it may be another one when it comes back.
    pub(in crate::drivers) fn forget(&mut self) {
        self.out.forget_device();
        self.pictures.forget();
    }

    /// Records the time of a byte.
    pub(in crate::drivers) const fn note_byte(&mut self, at: Instant) {
        self.touched = at;
    }

    /// Returns the time of the next action. `holds` means that an incomplete message is in the buffer.
    pub(in crate::drivers) fn deadline(&self, holds: bool) -> Option<Instant> {
        let scheduler = self.scheduler.as_ref().and_then(QueryScheduler::deadline);
        // A timer may have become due before its question was useful. Time does not go back.
        [scheduler, self.stalls_at(holds)].into_iter().flatten().min().map(|deadline| deadline.max(self.now))
    }

    /// Returns whether an incomplete message must be given up now.
    pub(in crate::drivers) fn is_stalled(&self, at: Instant, holds: bool) -> bool {
        self.stalls_at(holds).is_some_and(|end| end <= at)
    }

    fn stalls_at(&self, holds: bool) -> Option<Instant> {
        holds.then(|| self.touched.after(STALL))
    }

    /// Does what is due, after `offset` bytes of the stream. Returns true if the device fell silent and everything begins
    /// again.
    pub(in crate::drivers) fn expire(&mut self, at: Instant, offset: u64) -> bool {
        let here = ByteRange { channel: 0, start: offset, end: offset };
        self.scheduler.as_mut().is_some_and(|scheduler| scheduler.expire(at, here, &mut self.out))
    }

    /// Queues a row of the table.
    pub(in crate::drivers) fn ask(&mut self, at: Instant, row: usize) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.ask(at, row));
    }

    /// Queues the row that asks for the picture, because the game wants it even if it is the same.
    pub(in crate::drivers) fn request_picture(&mut self, at: Instant, row: usize) {
        if let Some(scheduler) = &mut self.scheduler {
            self.pictures.request_repeat();
            scheduler.ask(at, row);
        }
    }

    /// Returns whether a row was asked and its answer has not come.
    pub(in crate::drivers) fn waits_for(&self, row: usize) -> bool {
        self.scheduler.as_ref().is_some_and(|scheduler| scheduler.waits_for(row))
    }

    /// Sets the age at which the picture is asked for again.
    pub(in crate::drivers) fn set_picture_age(&mut self, age: Duration) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.set_picture_age(age));
    }

    /// Records a message. `answer` means that the message shows that the device receives our questions.
    pub(in crate::drivers) fn on_message(&mut self, at: Instant, answer: bool, bytes: ByteRange) {
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_message(at, answer, bytes, &mut self.out);
        }
    }

    /// Records the answer to a row.
    pub(in crate::drivers) fn on_answer(&mut self, at: Instant, row: usize) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.on_answer(at, row));
    }

    /// Asks for the picture soon, because the reported squares may be out of date. The reason is no anomaly.
    pub(in crate::drivers) fn refresh_picture(&mut self, at: Instant) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.on_lost_bytes(at));
    }

    /// Reports bytes that are no message. `lost` means that a change of the board may have been among them.
    pub(in crate::drivers) fn report_broken(&mut self, at: Instant, anomaly: Anomaly, bytes: ByteRange, lost: bool) {
        self.out.anomaly(anomaly, bytes);
        self.scheduler.iter_mut().filter(|_| lost).for_each(|scheduler| scheduler.on_lost_bytes(at));
    }
}
