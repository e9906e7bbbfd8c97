//! What sessions have in common whose questions fit a table: what goes out, what was told of the squares, what is asked, and the
//! timers of both.

use core::time::Duration;

use super::outbox::Outbox;
use super::picture_tracker::PictureTracker;
use super::query_scheduler::QueryScheduler;
use crate::event::{Anomaly, ByteRange};
use crate::time::Instant;

/// A message broken off by this much silence is given up.
const STALL: Duration = Duration::from_millis(500);

/// The talk with one device.
#[derive(Debug, Default)]
pub(in crate::drivers) struct Shell {
    pub(in crate::drivers) out: Outbox,
    pub(in crate::drivers) pictures: PictureTracker,
    /// None while the link is down: nothing is asked then.
    scheduler: Option<QueryScheduler>,
    /// When the last byte came.
    touched: Instant,
    now: Instant,
}

impl Shell {
    /// An input comes.
    pub(in crate::drivers) fn begin_input(&mut self, at: Instant) {
        debug_assert!(self.out.is_empty(), "drain before feeding again");
        self.now = self.now.max(at);
    }

    /// The link came up with these questions, or went down.
    pub(in crate::drivers) const fn set_scheduler(&mut self, scheduler: Option<QueryScheduler>) {
        self.scheduler = scheduler;
    }

    /// The link is up, and questions are asked.
    pub(in crate::drivers) const fn asks_questions(&self) -> bool {
        self.scheduler.is_some()
    }

    /// The device may be another one when it comes back.
    pub(in crate::drivers) fn forget(&mut self) {
        self.out.forget_device();
        self.pictures.forget();
    }

    /// A byte came.
    pub(in crate::drivers) const fn note_byte(&mut self, at: Instant) {
        self.touched = at;
    }

    /// When something is to be done next; `holds`: half a message is in hand.
    pub(in crate::drivers) fn deadline(&self, holds: bool) -> Option<Instant> {
        let scheduler = self.scheduler.as_ref().and_then(QueryScheduler::deadline);
        // A timer may have come due before its question was of use: time does not run backwards.
        [scheduler, self.stalls_at(holds)].into_iter().flatten().min().map(|deadline| deadline.max(self.now))
    }

    /// The message in hand, if there is one, is to be given up.
    pub(in crate::drivers) fn is_stalled(&self, at: Instant, holds: bool) -> bool {
        self.stalls_at(holds).is_some_and(|end| end <= at)
    }

    fn stalls_at(&self, holds: bool) -> Option<Instant> {
        holds.then(|| self.touched.after(STALL))
    }

    /// Does what is due, so many bytes after the start. True if the device fell silent and everything begins again.
    pub(in crate::drivers) fn expire(&mut self, at: Instant, offset: u64) -> bool {
        let here = ByteRange { channel: 0, start: offset, end: offset };
        self.scheduler.as_mut().is_some_and(|scheduler| scheduler.expire(at, here, &mut self.out))
    }

    /// Asks a row of the table.
    pub(in crate::drivers) fn ask(&mut self, at: Instant, row: usize) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.ask(at, row));
    }

    /// The game wants the picture, for which a row asks, even if it is the same.
    pub(in crate::drivers) fn request_picture(&mut self, at: Instant, row: usize) {
        if let Some(scheduler) = &mut self.scheduler {
            self.pictures.request_repeat();
            scheduler.ask(at, row);
        }
    }

    /// Whether a row was asked and its answer has not come.
    pub(in crate::drivers) fn waits_for(&self, row: usize) -> bool {
        self.scheduler.as_ref().is_some_and(|scheduler| scheduler.waits_for(row))
    }

    /// The picture is asked for when it is so old.
    pub(in crate::drivers) fn set_picture_age(&mut self, age: Duration) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.set_picture_age(age));
    }

    /// A message came; `answer` if it shows that the device hears us.
    pub(in crate::drivers) fn on_message(&mut self, at: Instant, answer: bool, bytes: ByteRange) {
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_message(at, answer, bytes, &mut self.out);
        }
    }

    /// The answer of a row came.
    pub(in crate::drivers) fn on_answer(&mut self, at: Instant, row: usize) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.on_answer(at, row));
    }

    /// What was told may be out of date, for a reason that is no anomaly: the picture is asked for soon.
    pub(in crate::drivers) fn refresh_picture(&mut self, at: Instant) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.on_lost_bytes(at));
    }

    /// Bytes that are no message; `lost` if a change of the board may have been among them.
    pub(in crate::drivers) fn report_broken(&mut self, at: Instant, anomaly: Anomaly, bytes: ByteRange, lost: bool) {
        self.out.anomaly(anomaly, bytes);
        self.scheduler.iter_mut().filter(|_| lost).for_each(|scheduler| scheduler.on_lost_bytes(at));
    }
}
