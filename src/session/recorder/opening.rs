//! Opens the journal of a board: the station is rebuilt, and the start of the node is recorded.

use anyhow::{Context, Result};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;

use super::held::Held;
use super::unreadable::Unreadable;
use super::{Recorder, Sink};
use crate::journal::{Journal, JournalFs, Keep, Limits, Recovered};
use crate::session::anchor::AnchorRecord;
use crate::session::boot::{BootRecord, Start};
use crate::session::restore::{Restoration, RestoreReport};
use crate::session::setting::Setting;
use crate::session::station::StationOutput;

impl Recorder {
    /// Opens the journal without a start of the node: as [`Recorder::start`], but no number of a start is recorded, and nothing is
    /// reported as restated.
    ///
    /// # Errors
    /// As [`Recorder::start`].
    pub fn open(
        fs: Box<dyn JournalFs>,
        limits: Limits,
        setting: &Setting,
        session: &str,
        sink: Sink<'_>,
    ) -> Result<(Recorder, RestoreReport)> {
        Recorder::begin(fs, limits, setting, session, None, sink)
    }

    /// Opens the journal and records this start. If `session` is its current session, the station is rebuilt from it; otherwise
    /// that session begins. If numbers that were sent may be given again, this is sent first. Then outputs that were computed and
    /// not recorded are recorded and sent, then every current state, then open questions.
    ///
    /// # Errors
    /// The journal cannot be opened, `session` is no valid name, or `sink` fails. Damage and differences are no errors: they are
    /// in [`RestoreReport`].
    pub fn start(
        fs: Box<dyn JournalFs>,
        limits: Limits,
        setting: &Setting,
        session: &str,
        start: &Start,
        sink: Sink<'_>,
    ) -> Result<(Recorder, RestoreReport)> {
        Recorder::begin(fs, limits, setting, session, Some(start), sink)
    }

    fn begin(
        fs: Box<dyn JournalFs>,
        limits: Limits,
        setting: &Setting,
        session: &str,
        start: Option<&Start>,
        sink: Sink<'_>,
    ) -> Result<(Recorder, RestoreReport)> {
        let (mut journal, recovered) = Journal::open(fs, limits, Keep::NewestSession)?;
        let goes_on = recovered.session() == Some(session);
        let begun = match goes_on {
            true => {
                setting.with_rules_of(|key| recovered.session_header(key).map(str::to_owned)).context("the journal's head")?
            }
            false => setting.clone(),
        };
        let mut restoration = Restoration::new(begun.station()?);
        let (mut anchor, mut boot) = (None, None);
        if goes_on {
            for record in recovered.session_records() {
                if let Body::Anchor(json) = record.body {
                    anchor = AnchorRecord::read(json).map(|read| (record.at, read)).or(anchor);
                }
                if let Body::Boot(json) = record.body {
                    boot = BootRecord::read(json).map(|read| read.boot).or(boot);
                }
                restoration.feed(&record);
            }
        }
        let (station, mut report) = restoration.finish(journal.standing());
        report.boot = boot;
        report.other_rules = !begun.has_rules_of(setting);
        let restated = start.and_then(|start| restated(&recovered, start));
        report.damage = recovered.damage;
        let headers = begun.headers();
        let headers: Vec<(&str, &str)> = headers.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let now = journal.standing().last_at.max(station.earliest());
        journal.begin(session, &headers, journal.standing().last_at).with_context(|| format!("session `{session}`"))?;
        let unreadable = Unreadable::new(station.wrong_bytes());
        let mut recorder = Recorder {
            station,
            journal,
            out: Vec::new(),
            ready: Vec::new(),
            inputs: report.inputs,
            unrecorded: 0,
            shared: false,
            held: Held::default(),
            decision: false,
            unreadable,
            anchor,
        };
        if let Some(start) = start {
            recorder.record_start(now, start, restated);
        }
        for message in &mut report.unsent {
            recorder.station.messages_mut().renumber_as_next(message);
            recorder.out.push(StationOutput::Message(message.clone()));
        }
        if report.inputs > 0 {
            recorder.station.all_current_states(now, &mut recorder.out);
        }
        recorder.out.extend(report.asks.iter().cloned().map(StationOutput::Ask));
        recorder.record();
        // A decision may have been written and not yet be on the disk.
        recorder.decision = report.inputs > 0;
        let sent = recorder.send(now, sink);
        recorder.decision = false;
        sent?;
        Ok((recorder, report))
    }

    /// Records this start before anything of it is sent. If that does not reach the disk, the next start cannot know of it, so
    /// numbers may be given twice from here on.
    fn record_start(&mut self, at: Instant, start: &Start, restated: Option<[u64; 3]>) {
        let journal = self.journal.standing().last_outs();
        let sent = start.sent.unwrap_or_default();
        self.station.messages_mut().continue_numbers_after([0, 1, 2].map(|audience| journal[audience].max(sent[audience])));
        self.feed_start(at, start, restated);
        if self.journal.flush(at).is_err() && restated.is_none() && start.sent.is_none() {
            self.feed_start(at, start, Some(journal.map(|last| last + 1)));
        }
    }

    fn feed_start(&mut self, at: Instant, start: &Start, restated: Option<[u64; 3]>) {
        self.append(at, Body::Boot(&start.record(restated).json()));
        self.station.feed(at, &start.input(restated), &mut self.out);
        self.record();
        self.inputs += 1;
    }
}

/// The first number of each audience that may have been given before to another event, or that this process sent and the journal
/// does not have; none if the journal has everything that was sent.
fn restated(recovered: &Recovered, start: &Start) -> Option<[u64; 3]> {
    let journal = recovered.standing.last_outs();
    match start.sent {
        Some(sent) => journal.iter().zip(sent).any(|(last, sent)| sent > *last).then(|| journal.map(|last| last + 1)),
        None if recovered.is_new() || recovered.is_closed() => None,
        None => Some(recovered.whole_up_to().map(|last| last + 1)),
    }
}
