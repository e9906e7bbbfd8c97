//! Serves a parked station, one that failed again after it was rebuilt. Its game is not used any more, but the bytes of its board
//! are still recorded.

use std::fmt;

use anyhow::Result;
use flagfall_protocols::trace::{Audience, Body};

use super::fenced_journal::FencedJournal;
use super::inbox::Popped;
use super::message::ToStation;
use super::output_router::OutputRouter;
use super::scheduler::Next;
use super::shared::StationHandle;
use super::station_config::StationConfig;
use super::timeline::Timeline;
use crate::journal::{FLUSH_AFTER, Journal, Keep};
use crate::system_clock;

/// The journal of a parked station.
pub(super) struct ParkedStation {
    journal: Journal,
    timeline: Timeline,
    /// Why it is parked; the device's status keeps naming it.
    problem: String,
}

impl ParkedStation {
    /// Opens the journal of the session that failed.
    ///
    /// # Errors
    /// The journal cannot be opened.
    pub(super) fn open(
        config: &StationConfig,
        disk: FencedJournal,
        handle: &StationHandle,
        problem: String,
    ) -> Result<ParkedStation> {
        let (mut journal, _) = Journal::open(Box::new(disk), config.limits, Keep::NewestSession)?;
        let headers = config.setting.headers();
        let headers: Vec<(&str, &str)> = headers.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let now = journal.standing().last_at;
        journal.begin(&config.session, &headers, now)?;
        let timeline = handle.timeline().unwrap_or_else(|| Timeline::new(now, handle.taken_until()));
        Ok(ParkedStation { journal, timeline, problem })
    }

    /// The number of the last event of each audience, in the order of [`Audience::ALL`].
    pub(super) fn last_numbers(&self) -> [u64; 3] {
        Audience::ALL.map(|audience| self.journal.standing().next_out(audience) - 1)
    }

    /// Records one item of the inbox.
    pub(super) fn turn(&mut self, handle: &StationHandle, owner: u64, router: &mut OutputRouter) -> Next {
        match handle.inbox.take(owner) {
            Popped::Item(ToStation::Stop) | Popped::Closed => {
                if let Err(error) = self.journal.flush(self.timeline.journal_time(system_clock::monotonic())) {
                    tracing::error!("board {}: {error}", handle.board);
                }
                return Next::End;
            }
            Popped::Item(item) => {
                self.record_item(item, router);
                router.device.set_parked(self.problem.clone());
                router.publish_device_statuses();
            }
            Popped::TimedOut => {}
        }
        let now = self.timeline.journal_time(handle.taken_until());
        if self.journal.flush_due().is_some_and(|due| due <= now) {
            // A failure is in the journal's status, and the journal tries again.
            let _ = self.journal.flush(now);
        }
        handle.note_journal(self.journal.status().failing.as_ref().map(|error| error as &dyn fmt::Display));
        if !handle.inbox.rest(owner) {
            return Next::Now;
        }
        Next::Wait(self.journal.dirty_since().map(|_| system_clock::monotonic().after(FLUSH_AFTER)))
    }

    fn record_item(&mut self, item: ToStation, router: &mut OutputRouter) {
        let (at, body) = match &item {
            ToStation::Bytes { at, link, channel, bytes } => {
                (*at, Body::Rx { link: *link, channel: *channel, bytes: bytes.as_slice().into() })
            }
            ToStation::Up { at, link, asked, port, signal } => {
                let cause = router.device_on(*link).link_up(*at, *asked, port.clone(), *signal);
                (*at, Body::Link { link: *link, up: true, cause })
            }
            ToStation::Down { at, link, cause } => {
                router.device_on(*link).link_down(*at, cause);
                (*at, Body::Link { link: *link, up: false, cause })
            }
            // No game is there to act on anything else.
            _ => return,
        };
        if let Err(error) = self.journal.append(self.timeline.journal_time(at), body) {
            tracing::warn!("{error}");
        }
        self.journal.write_out();
    }
}
