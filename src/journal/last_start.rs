//! Finds what a journal holds without a gap since the last start of the daemon.

use flagfall_protocols::trace::{Body, Record};

use super::standing::CLOSED;

/// What the records since the last `boot` record say.
#[derive(Clone, Debug, Default)]
pub(super) struct LastStart {
    /// The last record is the mark of a clean stop, and nothing is missing before it.
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
        self.closed = self.before_gap.is_none() && matches!(record.body, Body::Ack { sink: CLOSED, .. });
        match record.body {
            Body::Out { number, audience, .. } => self.outs[audience as usize] = number,
            Body::Boot(_) => self.before_gap = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocols::time::Instant;
    use flagfall_protocols::trace::Audience;

    use super::*;

    #[test]
    fn only_the_first_gap_since_the_last_start_counts() {
        let out = |number| Body::Out { number, audience: Audience::Live, retain: false, topic: "t", payload: "{}" };
        let closed = Body::Ack { sink: CLOSED, audience: Audience::Arbiter, number: 0 };
        let boot = Body::Boot("{}");
        for (records, before_gap, is_closed) in [
            (vec![(1, boot.clone()), (2, out(1)), (3, out(2))], None, false),
            (vec![(1, boot.clone()), (2, out(1)), (4, out(3)), (7, out(6))], Some([0, 1, 0]), false),
            (vec![(1, out(1)), (3, out(3)), (4, boot.clone()), (5, out(4))], None, false),
            (vec![(1, out(1)), (3, boot.clone()), (4, closed.clone())], None, true),
            (vec![(1, boot.clone()), (2, closed.clone()), (3, out(1))], None, false),
            (vec![(1, boot), (2, out(1)), (4, closed)], Some([0, 1, 0]), false),
        ] {
            let mut last = LastStart::default();
            for (seq, body) in &records {
                last.step_past(&Record { seq: *seq, at: Instant::ZERO, body: body.clone() });
            }
            assert_eq!((last.before_gap, last.closed), (before_gap, is_closed), "{records:?}");
        }
    }
}
