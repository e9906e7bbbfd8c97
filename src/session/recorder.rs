//! Runs a station with its journal: records every input before it is handled, and every numbered output before it is sent.
//!
//! In one turn the deadlines before the input come first, and their outputs are recorded. Then the input is recorded and handled,
//! and its outputs are recorded. All records are handed to the operating system. Then the outputs are sent in their order; before
//! the first one with a finding the turn waits for the disk. So a replay of the input records alone gives the same outputs, and
//! everything that was sent survives the end of this program; findings survive a power cut too.
//!
//! With [`Recorder::share`] another thread waits for the disk.
//!
//! A disk that fails does not stop the board: see [`Recorder::journal`] for its status and [`Recorder::unrecorded`].

mod held;
mod opening;
mod unreadable;

use std::sync::Arc;

use anyhow::{Result, bail};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};

pub use self::held::HOLD_AT_MOST;
use self::held::{Held, is_decision, needs_disk};
use self::unreadable::Unreadable;
pub use self::unreadable::{BURST, PER_SECOND};
use super::anchor::AnchorRecord;
use super::record_input::read_input;
use super::station::{Station, StationOutput};
use crate::journal::{AppendError, CLOSED, Journal, Unsynced, WriteError};

/// The number of inputs after which a digest of the state is recorded, so that a restart can find where it begins to differ.
pub const INPUTS_PER_SNAP: u64 = 64;

/// The cause of a link that counts as down because of too many wrong bytes. The cause `after-<n>` of the next record, of a link
/// that is up, says that `n` bytes were left out.
pub const FLOODED: &str = "flooded";

/// The function that receives the outputs. An error ends the turn. Outputs that were not received are in the journal.
pub type Sink<'a> = &'a mut dyn FnMut(StationOutput) -> Result<()>;

/// A station with its journal.
pub struct Recorder {
    station: Station,
    journal: Journal,
    /// Outputs that are not recorded yet.
    out: Vec<StationOutput>,
    /// Outputs that are recorded and not sent yet.
    ready: Vec<StationOutput>,
    inputs: u64,
    unrecorded: u64,
    /// Another thread waits for the disk; see [`Recorder::share`].
    shared: bool,
    held: Held,
    /// This turn records an arbiter's command, which must be on the disk before its outputs are sent. The same holds for a
    /// decision that the game makes itself.
    decision: bool,
    unreadable: Unreadable,
    /// The last anchor that the session had recorded when it was opened.
    anchor: Option<(Instant, AnchorRecord)>,
}

impl Recorder {
    /// The station.
    pub fn station(&self) -> &Station {
        &self.station
    }

    /// The journal, for its status and standing.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// How many records the journal did not accept; they were handled or sent all the same.
    pub fn unrecorded(&self) -> u64 {
        self.unrecorded
    }

    /// The station, so that its states can be rendered.
    pub fn station_mut(&mut self) -> &mut Station {
        &mut self.station
    }

    /// The last anchor that the session had recorded when it was opened.
    pub fn recorded_anchor(&self) -> Option<(Instant, AnchorRecord)> {
        self.anchor
    }

    /// When [`Recorder::advance`] must be called if no input comes before.
    pub fn deadline(&self) -> Option<Instant> {
        let reopened = self.unreadable.due().map(|(due, _)| due);
        [self.station.deadline(), self.journal.flush_due(), self.held.first_timeout(), reopened].into_iter().flatten().min()
    }

    /// From now on the turn does not wait for the disk: another thread takes what was written from `unsynced`. An output that
    /// must not be sent before it is on the disk is held until then, and so is everything that follows for the same audience.
    /// Other audiences do not wait.
    pub fn share(&mut self, unsynced: Arc<Unsynced>, now: Instant) {
        self.journal.share(unsynced, now);
        self.shared = true;
    }

    /// Call this after every turn. Returns true if the thread that waits for the disk must be informed that there are bytes.
    pub fn hand_over(&mut self, now: Instant) -> bool {
        self.journal.hand_over(now)
    }

    /// Whether outputs wait for the disk.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Whether outputs for this audience, or a decision, wait for the disk. A state that is made now would show what they report.
    pub fn is_holding(&self, audience: Audience) -> bool {
        self.held.is_holding(audience)
    }

    /// Records that a sink has everything up to a number.
    pub fn record_ack(&mut self, at: Instant, sink: &str, audience: Audience, number: u64) {
        self.append(at, Body::Ack { sink, audience, number });
    }

    /// How many bytes of a link were left out since it counts as down, because it sent too many that are no messages; none if it
    /// does not count as down for that reason.
    pub fn left_out(&self, link: u8) -> Option<u64> {
        self.unreadable.left_out(link)
    }

    /// How many bytes of a link were left out since the opening.
    pub fn all_left_out(&self, link: u8) -> u64 {
        self.unreadable.all_left_out(link)
    }

    /// Records and handles one input, or leaves bytes out that come from a link with too many wrong bytes. It is stamped `at`, or later if the journal or a deadline that has come is beyond that.
    /// Returns the stamp.
    ///
    /// # Errors
    /// The body is no input, or cannot be read or written as a line: then it is not recorded and changes nothing. Or `sink`
    /// fails.
    pub fn feed(&mut self, at: Instant, body: &Body<'_>, sink: Sink<'_>) -> Result<Instant> {
        if !body.is_input() {
            bail!("`{}` is no input", body.kind());
        }
        match body {
            Body::Rx { link, bytes, .. } if self.unreadable.leaves_out(*link, bytes.len()) => return Ok(at),
            Body::Link { link, .. } => self.unreadable.link_changed(*link),
            _ => {}
        }
        // The input is read before it is recorded: every record must be readable at every restart.
        let input = read_input(body)?;
        let at = at.max(self.station.earliest()).max(self.journal.standing().last_at);
        while self.station.deadline().is_some_and(|due| due < at) {
            self.wake();
        }
        let refused = match self.journal.append(at, body.clone()) {
            Ok(_) => None,
            Err(AppendError::GivenUp(_)) => {
                self.unrecorded += 1;
                None
            }
            Err(refused) => Some(refused),
        };
        if refused.is_none() {
            self.decision = matches!(body, Body::Cmd(_));
            if let Some(input) = input {
                self.station.feed(at, &input, &mut self.out);
            }
            self.record();
            self.inputs += 1;
            if self.inputs.is_multiple_of(INPUTS_PER_SNAP) {
                let digest = self.station.digest();
                self.append(at, Body::Snap(digest.as_slice().into()));
            }
        }
        let sent = self.send(at, sink);
        self.decision = false;
        sent?;
        if let Body::Rx { link, .. } = *body
            && self.unreadable.pay(link, at, self.station.wrong_bytes())
        {
            self.feed_link(at, link, false, FLOODED, sink)?;
        }
        refused.map_or(Ok(at), |refused| Err(refused.into()))
    }

    /// Records and handles that a link counts as down because of its wrong bytes, or as open again.
    fn feed_link(&mut self, at: Instant, link: u8, up: bool, cause: &str, sink: Sink<'_>) -> Result<()> {
        let left_out = self.unreadable.left_out(link).filter(|_| !up);
        self.feed(at, &Body::Link { link, up, cause }, sink)?;
        self.unreadable.set_left_out(link, left_out);
        Ok(())
    }

    /// Handles every deadline up to `to`, a time up to which no other input comes, and flushes the journal if that is due.
    ///
    /// # Errors
    /// `sink` fails.
    pub fn advance(&mut self, to: Instant, sink: Sink<'_>) -> Result<()> {
        while let Some((due, link)) = self.unreadable.due().filter(|(due, _)| *due <= to) {
            let cause = format!("after-{}", self.unreadable.left_out(link).unwrap_or_default());
            self.feed_link(due, link, true, &cause, sink)?;
        }
        while self.station.deadline().is_some_and(|due| due <= to) {
            self.wake();
        }
        self.send(to, sink)
    }

    /// Marks a clean stop, after which nothing may be sent any more, and waits until everything is on the disk, unless another
    /// thread does that ([`Recorder::hand_over`]). There is no mark if the journal did not accept everything; a mark with a gap before it
    /// counts for nothing.
    ///
    /// # Errors
    /// The records are not on the disk.
    pub fn close(&mut self, now: Instant) -> Result<(), WriteError> {
        let others_wait = self.journal.others_wait();
        let flush = |journal: &mut Journal| if others_wait { Ok(()) } else { journal.flush(now) };
        flush(&mut self.journal)?;
        if self.unrecorded > 0 || self.holds() {
            return Ok(());
        }
        let last = self.journal.standing().last_outs()[Audience::Arbiter as usize];
        self.record_ack(now, CLOSED, Audience::Arbiter, last);
        flush(&mut self.journal)
    }

    /// Waits until everything is on the disk.
    ///
    /// # Errors
    /// The records are not on the disk.
    pub fn flush(&mut self, now: Instant) -> Result<(), WriteError> {
        self.journal.flush(now)
    }

    fn wake(&mut self) {
        self.station.wake(&mut self.out);
        self.record();
    }

    fn record(&mut self) {
        for output in std::mem::take(&mut self.out) {
            match &output {
                StationOutput::Message(message) if message.number > 0 => {
                    let (number, audience, retain) = (message.number, message.audience, message.retain);
                    let (topic, payload) = (message.topic.as_str(), message.payload.as_str());
                    self.append(message.at, Body::Out { number, audience, topic, retain, payload });
                }
                StationOutput::Send { at, link, channel, bytes } => {
                    self.append(*at, Body::Tx { link: *link, channel: *channel, bytes: bytes.into() });
                }
                StationOutput::Message(_)
                | StationOutput::Ask(_)
                | StationOutput::Device { .. }
                | StationOutput::Reply(_)
                | StationOutput::Daemon(_) => {}
            }
            self.ready.push(output);
        }
    }

    fn append(&mut self, at: Instant, body: Body<'_>) {
        if self.journal.append(at, body).is_err() {
            self.unrecorded += 1;
        }
    }

    fn send(&mut self, now: Instant, sink: Sink<'_>) -> Result<()> {
        self.journal.write_out();
        let decision = self.decision || self.ready.iter().any(is_decision);
        let newest = self.journal.standing().next_seq.saturating_sub(1);
        for output in std::mem::take(&mut self.ready) {
            let barrier = needs_disk(&output, decision);
            if self.shared && (barrier && self.journal.durable_seq() < newest || self.held.is_behind(&output)) {
                self.held.push(newest, now, barrier && decision, output);
                continue;
            }
            if barrier {
                // A failure is in the journal's status, and a failing disk must not silence a board.
                let _ = self.journal.send_barrier(now);
            }
            sink(output)?;
        }
        if !self.shared && self.journal.flush_due().is_some_and(|due| due <= now) {
            // A failure is in the journal's status, and the journal tries again.
            let _ = self.journal.flush(now);
        }
        self.release(now, sink)
    }

    /// Reads what is on the disk by now, and sends held outputs that are on the disk or cannot be written there.
    ///
    /// # Errors
    /// `sink` fails.
    pub fn release(&mut self, now: Instant, sink: Sink<'_>) -> Result<()> {
        self.journal.check_disk(now);
        while let Some(output) = self.held.pop_ready(&self.journal, now) {
            sink(output)?;
        }
        Ok(())
    }
}
