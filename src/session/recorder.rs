//! A station with its journal: every input is written before it is handled, every numbered output before it is sent.
//!
//! One turn: deadlines that lie before the input, and what they give is recorded; the input is recorded, then handled; what it
//! gives is recorded; all that is handed to the operating system; then the outputs are sent in their order, and before the
//! first one with a finding the turn waits for the disk. So a replay of the input records alone gives the same outputs, and
//! what anybody has seen survives the end of this program, findings a power cut too.
//!
//! [`Recorder::share`] leaves the wait to another thread.
//!
//! A disk that fails does not stop the board: see [`Recorder::journal`] for its status and [`Recorder::unrecorded`].

mod held;

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};

pub use self::held::HOLD_AT_MOST;
use self::held::{Held, is_decision, needs_disk};
use super::anchor::AnchorRecord;
use super::record_input::read_input;
use super::restore::{Restoration, RestoreReport};
use super::setting::Setting;
use super::station::{Station, StationOutput};
use crate::journal::{AppendError, Journal, JournalFs, Limits, Unsynced, WriteError};

/// After so many inputs the state is digested, so that a restart can tell where it begins to differ.
pub const INPUTS_PER_SNAP: u64 = 64;

/// Where outputs go. An error ends the turn; what was not taken is in the journal.
pub type Sink<'a> = &'a mut dyn FnMut(StationOutput) -> Result<()>;

/// A station with its journal.
pub struct Recorder {
    station: Station,
    journal: Journal,
    /// What came out and is not recorded yet.
    out: Vec<StationOutput>,
    /// What is recorded and not sent yet.
    ready: Vec<StationOutput>,
    inputs: u64,
    unrecorded: u64,
    /// Another thread waits for the disk; see [`Recorder::share`].
    shared: bool,
    held: Held,
    /// This turn records an arbiter's command: it is on the disk before anybody hears of it. So is a decision that the game
    /// makes by itself.
    decision: bool,
    /// The last wall time that the session had recorded when it was opened.
    anchor: Option<(Instant, AnchorRecord)>,
}

impl Recorder {
    /// Opens the journal and rebuilds the station from it if `session` is the one that goes on; begins that session if not.
    /// What was computed and not recorded is recorded and sent now, then every state as it is, then open questions.
    ///
    /// # Errors
    /// The journal does not open, `session` is no name for one, or `sink` fails. Damage and differences are none: they are in
    /// [`RestoreReport`].
    pub fn open(
        fs: Box<dyn JournalFs>,
        limits: Limits,
        setting: &Setting,
        session: &str,
        sink: Sink<'_>,
    ) -> Result<(Recorder, RestoreReport)> {
        let (mut journal, recovered) = Journal::open(fs, limits)?;
        let goes_on = recovered.session() == Some(session);
        let begun = match goes_on {
            true => {
                setting.with_rules_of(|key| recovered.session_header(key).map(str::to_owned)).context("the journal's head")?
            }
            false => setting.clone(),
        };
        let mut restoration = Restoration::new(begun.station()?);
        let mut anchor = None;
        if goes_on {
            for record in recovered.session_records() {
                if let Body::Anchor(json) = record.body {
                    anchor = AnchorRecord::read(json).map(|read| (record.at, read)).or(anchor);
                }
                restoration.feed(&record);
            }
        }
        let (station, mut report) = restoration.finish(journal.standing());
        report.other_rules = !begun.has_rules_of(setting);
        report.damage = recovered.damage;
        let now = journal.standing().last_at;
        let headers = begun.headers();
        let headers: Vec<(&str, &str)> = headers.iter().map(|(key, value)| (*key, value.as_str())).collect();
        journal.begin(session, &headers, now).with_context(|| format!("session `{session}`"))?;
        let out = report.unsent.iter().cloned().map(StationOutput::Message).collect();
        let mut recorder = Recorder {
            station,
            journal,
            out,
            ready: Vec::new(),
            inputs: report.inputs,
            unrecorded: 0,
            shared: false,
            held: Held::default(),
            decision: false,
            anchor,
        };
        if report.inputs > 0 {
            recorder.station.all_current_states(now, &mut recorder.out);
        }
        recorder.out.extend(report.asks.iter().cloned().map(StationOutput::Ask));
        recorder.record();
        // What was decided may have been written and not yet be on the disk.
        recorder.decision = report.inputs > 0;
        let sent = recorder.send(now, sink);
        recorder.decision = false;
        sent?;
        Ok((recorder, report))
    }

    /// The station.
    pub fn station(&self) -> &Station {
        &self.station
    }

    /// The journal, for its status and standing.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Records that the journal did not take; they were handled or sent all the same.
    pub fn unrecorded(&self) -> u64 {
        self.unrecorded
    }

    /// The same, to have states rendered.
    pub fn station_mut(&mut self) -> &mut Station {
        &mut self.station
    }

    /// The last wall time that the session had recorded when it was opened.
    pub fn recorded_anchor(&self) -> Option<(Instant, AnchorRecord)> {
        self.anchor
    }

    /// When [`Recorder::advance`] must be called if nothing comes before.
    pub fn deadline(&self) -> Option<Instant> {
        [self.station.deadline(), self.journal.flush_due(), self.held.first_timeout()].into_iter().flatten().min()
    }

    /// From now on the turn does not wait for the disk: another thread takes what was written from `unsynced`. What may not be sent
    /// before it is on the disk is held as long, and with it everything that comes after for the same audience; the others do not
    /// wait.
    pub fn share(&mut self, unsynced: Arc<Unsynced>, now: Instant) {
        self.journal.share(unsynced, now);
        self.shared = true;
    }

    /// To be called after every turn: true if the thread that waits for the disk must be told that there is something.
    pub fn hand_over(&mut self, now: Instant) -> bool {
        self.journal.hand_over(now)
    }

    /// Outputs wait for the disk.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Outputs for this audience wait for the disk, or a decision does. A picture made now would show what they tell.
    pub fn is_holding(&self, audience: Audience) -> bool {
        self.held.is_holding(audience)
    }

    /// Notes that a sink has everything up to a number.
    pub fn record_ack(&mut self, at: Instant, sink: &str, audience: Audience, number: u64) {
        self.append(at, Body::Ack { sink, audience, number });
    }

    /// Takes one input record. It is stamped `at`, or later if the journal or a deadline that has come is beyond that: gives
    /// the stamp.
    ///
    /// # Errors
    /// A body that is no input, cannot be read or cannot be written as a line: it is not recorded and changes nothing. Or
    /// `sink` fails.
    pub fn feed(&mut self, at: Instant, body: &Body<'_>, sink: Sink<'_>) -> Result<Instant> {
        if !body.is_input() {
            bail!("`{}` is no input", body.kind());
        }
        // Before it is recorded: what stands in the journal must be readable at every restart.
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
        refused.map_or(Ok(at), |refused| Err(refused.into()))
    }

    /// Time has come to `to` without another input: every deadline up to then, and the journal is flushed if that is due.
    ///
    /// # Errors
    /// `sink` fails.
    pub fn advance(&mut self, to: Instant, sink: Sink<'_>) -> Result<()> {
        while self.station.deadline().is_some_and(|due| due <= to) {
            self.wake();
        }
        self.send(to, sink)
    }

    /// Waits until everything is on the disk: for the end.
    ///
    /// # Errors
    /// It is not.
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
                // A failure is in the journal's status, and no disk silences a board.
                let _ = self.journal.send_barrier(now);
            }
            sink(output)?;
        }
        if !self.shared && self.journal.flush_due().is_some_and(|due| due <= now) {
            // As above; it is tried again.
            let _ = self.journal.flush(now);
        }
        self.release(now, sink)
    }

    /// Learns what is on the disk by now, and sends what was held for that, or cannot be had there.
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
