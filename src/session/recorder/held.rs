//! Outputs that wait for the disk, and which do.

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Audience;

use super::super::station::StationOutput;
use crate::journal::Journal;

/// Outputs held for the disk; more are sent without it.
const MAX_HELD: usize = 1024;

/// How long a finding waits for a disk that does not answer: a disk must not silence an arbiter's board.
pub const HOLD_AT_MOST: Duration = Duration::from_secs(2);

struct HeldOutput {
    /// The sequence number that must be there.
    seq: u64,
    since: Instant,
    /// It came with a decision.
    decision: bool,
    output: StationOutput,
}

/// What waits for the disk, in its order.
#[derive(Default)]
pub(super) struct Held(VecDeque<HeldOutput>);

impl Held {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `seq` is the sequence number that must be on the disk first.
    pub(super) fn push(&mut self, seq: u64, since: Instant, decision: bool, output: StationOutput) {
        self.0.push_back(HeldOutput { seq, since, decision, output });
    }

    /// When the first has waited long enough.
    pub(super) fn first_timeout(&self) -> Option<Instant> {
        self.0.front().map(|first| first.since.after(HOLD_AT_MOST))
    }

    /// Outputs for this audience wait, or a decision does.
    pub(super) fn is_holding(&self, audience: Audience) -> bool {
        self.0.iter().any(|held| held.decision || audience_of(&held.output) == Some(audience))
    }

    /// Something of the same audience is held, which must not be overtaken; or it is a picture and may show a decision that is.
    pub(super) fn is_behind(&self, output: &StationOutput) -> bool {
        let audience = audience_of(output);
        let before =
            |held: &HeldOutput| held.decision && is_state(output) || audience.is_some() && audience_of(&held.output) == audience;
        self.0.iter().any(before)
    }

    /// The first, if it is on the disk now, or cannot be had there, or has waited long enough.
    pub(super) fn pop_ready(&mut self, journal: &Journal, now: Instant) -> Option<StationOutput> {
        let first = self.0.front()?;
        let waited = now >= first.since.after(HOLD_AT_MOST) || self.0.len() > MAX_HELD;
        let goes = first.seq <= journal.durable_seq() || journal.status().failing.is_some() || waited;
        if goes { self.0.pop_front().map(|first| first.output) } else { None }
    }
}

/// A finding, or whatever comes of an arbiter's command or of a decision, whoever hears of it.
pub(super) fn needs_disk(output: &StationOutput, decision: bool) -> bool {
    match output {
        StationOutput::Message(message) => message.finding || decision,
        StationOutput::Reply(_) => decision,
        _ => false,
    }
}

pub(super) fn is_decision(output: &StationOutput) -> bool {
    matches!(output, StationOutput::Message(message) if message.decision)
}

/// Times alone show no decision.
fn is_state(output: &StationOutput) -> bool {
    matches!(output, StationOutput::Message(message) if message.number == 0 && !message.topic.ends_with("/clock"))
}

/// Who hears of it; replies are arbiters'.
fn audience_of(output: &StationOutput) -> Option<Audience> {
    match output {
        StationOutput::Message(message) => Some(message.audience),
        StationOutput::Reply(_) => Some(Audience::Arbiter),
        _ => None,
    }
}
