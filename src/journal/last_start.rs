//! Finds what a journal holds without a gap since the last start of the daemon.

use flagfall_protocols::trace::{Body, Record};

use super::standing::CLOSED;

/// What the records since the last `boot` record say.
#[derive(Clone, Debug, Default)]
pub(super) struct LastStart {
    /// The last record is the mark of a clean stop.
    pub(super) closed: bool,
    /// The last number of each audience before the first gap since that start; none if there is no gap.
    pub(super) before_gap: Option<[u64; 3]>,
    outs: [u64; 3],
    /// The sequence number of the last record.
    seq: Option<u64>,
}

impl LastStart {
    pub(super) fn step_past(&mut self, record: &Record<'_>) {
        if self.seq.is_some_and(|seq| record.seq != seq.saturating_add(1)) {
            self.before_gap.get_or_insert(self.outs);
        }
        self.seq = Some(record.seq);
        self.closed = matches!(record.body, Body::Ack { sink: CLOSED, .. });
        match record.body {
            Body::Out { number, audience, .. } => self.outs[audience as usize] = number,
            Body::Boot(_) => self.before_gap = None,
            _ => {}
        }
    }
}
