//! Holds the outputs that must not be sent before their records are on the disk.

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Audience;

use super::super::station::StationOutput;
use crate::journal::Journal;

/// The largest number of outputs that are held. More are sent without waiting.
const MAX_HELD: usize = 1024;

/// The longest time for which an output waits for the disk. A disk that does not answer must not silence a board.
pub const HOLD_AT_MOST: Duration = Duration::from_secs(2);

struct HeldOutput {
    /// The sequence number that must be on the disk.
    seq: u64,
    since: Instant,
    /// The output came with a decision.
    decision: bool,
    output: StationOutput,
}

/// The outputs that wait for the disk, in their order.
#[derive(Default)]
pub(super) struct Held(VecDeque<HeldOutput>);

impl Held {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an output. `seq` is the sequence number that must be on the disk first.
    pub(super) fn push(&mut self, seq: u64, since: Instant, decision: bool, output: StationOutput) {
        self.0.push_back(HeldOutput { seq, since, decision, output });
    }

    /// When the first output has waited long enough.
    pub(super) fn first_timeout(&self) -> Option<Instant> {
        self.0.front().map(|first| first.since.after(HOLD_AT_MOST))
    }

    /// Whether outputs for this audience, or a decision, wait.
    pub(super) fn is_holding(&self, audience: Audience) -> bool {
        self.0.iter().any(|held| held.decision || audience_of(&held.output) == Some(audience))
    }

    /// Whether an output of the same audience is held, which must not be overtaken; or whether `output` is a state that may show
    /// a held decision.
    pub(super) fn is_behind(&self, output: &StationOutput) -> bool {
        let audience = audience_of(output);
        let before =
            |held: &HeldOutput| held.decision && is_state(output) || audience.is_some() && audience_of(&held.output) == audience;
        self.0.iter().any(before)
    }

    /// Takes the first output if it is on the disk, cannot be written there, or has waited long enough.
    pub(super) fn pop_ready(&mut self, journal: &Journal, now: Instant) -> Option<StationOutput> {
        let first = self.0.front()?;
        let waited = now >= first.since.after(HOLD_AT_MOST) || self.0.len() > MAX_HELD;
        let unwritable = || journal.status().failing.is_some() || journal.status().full;
        let goes = first.seq <= journal.durable_seq() || waited || unwritable();
        if goes { self.0.pop_front().map(|first| first.output) } else { None }
    }
}

/// Whether an output must wait for the disk: a finding, or everything that results from an arbiter's command or from a decision.
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

/// Whether an output is a state. Clock times alone do not count, since they show no decision.
fn is_state(output: &StationOutput) -> bool {
    matches!(output, StationOutput::Message(message) if message.number == 0 && !message.topic.ends_with("/clock"))
}

/// The audience of an output; replies are for arbiters.
fn audience_of(output: &StationOutput) -> Option<Audience> {
    match output {
        StationOutput::Message(message) => Some(message.audience),
        StationOutput::Reply(_) => Some(Audience::Arbiter),
        _ => None,
    }
}
