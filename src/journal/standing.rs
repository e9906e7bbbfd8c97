//! Keeps the numbers of a journal that must continue without a gap in the next file and after a restart.

use std::collections::BTreeMap;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, Header, LineError, Record, print_header};

/// The largest number of pairs of a sink (a receiver of outputs) and an audience whose acknowledgements are kept.
pub const MAX_SINKS: usize = 32;

/// The sink of the record that marks a clean stop. Its number is the last one of the arbiters.
pub const CLOSED: &str = "closed";

/// The numbers with which a journal continues in the next file and after a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Sequence number of the next record; the first is 1.
    pub next_seq: u64,
    /// Time of the last record.
    pub last_at: Instant,
    /// How many `boot` records there have been.
    pub boots: u64,
    highest: [u64; 3],
    acks: BTreeMap<String, [Option<u64>; 3]>,
}

impl Default for Standing {
    fn default() -> Standing {
        Standing { next_seq: 1, last_at: Instant::ZERO, boots: 0, highest: [0; 3], acks: BTreeMap::new() }
    }
}

impl Standing {
    /// The number of the audience's next output.
    pub fn next_out(&self, audience: Audience) -> u64 {
        self.highest[audience as usize].saturating_add(1)
    }

    /// The number of each audience's last output, in the order of [`Audience::ALL`].
    pub fn last_outs(&self) -> [u64; 3] {
        self.highest
    }

    /// The last number that a sink has acknowledged; 0 if it acknowledged none.
    pub fn acked(&self, sink: &str, audience: Audience) -> u64 {
        self.acks.get(sink).and_then(|numbers| numbers[audience as usize]).unwrap_or(0)
    }

    /// Whether an acknowledgement of this sink can be remembered.
    pub(super) fn has_room(&self, sink: &str, audience: Audience) -> bool {
        let known = self.acks.get(sink).is_some_and(|numbers| numbers[audience as usize].is_some());
        known || self.acks.values().flatten().flatten().count() < MAX_SINKS
    }

    /// Steps past a record.
    pub(super) fn step_past(&mut self, record: &Record<'_>) {
        self.next_seq = record.seq.saturating_add(1);
        self.last_at = record.at;
        match record.body {
            Body::Boot(_) => self.boots = self.boots.saturating_add(1),
            Body::Out { number, audience, .. } => self.raise_highest(audience, number),
            Body::Ack { sink, audience, number } => self.set_ack(sink, audience, number),
            _ => {}
        }
    }

    fn raise_highest(&mut self, audience: Audience, number: u64) {
        let highest = &mut self.highest[audience as usize];
        *highest = number.max(*highest);
    }

    fn set_ack(&mut self, sink: &str, audience: Audience, number: u64) {
        // A number that was acknowledged was given, even if damage removed its output.
        self.raise_highest(audience, number);
        if self.has_room(sink, audience) {
            self.acks.entry(sink.to_owned()).or_default()[audience as usize] = Some(number);
        }
    }

    /// Writes this as header lines, `carry` last.
    pub(super) fn print(&self, out: &mut String) -> Result<(), LineError> {
        for (sink, numbers) in &self.acks {
            for audience in Audience::ALL {
                if let Some(number) = numbers[audience as usize] {
                    print_header("ack", &format!("{sink} {} {number}", audience.name()), out)?;
                }
            }
        }
        let [arbiter, live, public] = self.highest;
        let (seq, at, boots) = (self.next_seq, self.last_at.micros(), self.boots);
        print_header("carry", &format!("next {seq} at {at} boots {boots} arbiter {arbiter} live {live} public {public}"), out)
    }

    /// Takes over one of the journal's own header lines. Values that are older than the known ones change nothing.
    pub(super) fn read_header(&mut self, header: &Header<'_>) -> Option<()> {
        match header.key {
            "ack" => {
                let [sink, audience, number] = fields(header.value)?;
                let (audience, number) = (Audience::find(audience)?, number.parse().ok()?);
                if number > self.acked(sink, audience) {
                    self.set_ack(sink, audience, number);
                }
            }
            "carry" => {
                let ["next", seq, "at", at, "boots", boots, "arbiter", arbiter, "live", live, "public", public] =
                    fields(header.value)?
                else {
                    return None;
                };
                let numbers: Option<Vec<u64>> =
                    [seq, at, boots, arbiter, live, public].into_iter().map(|number| number.parse().ok()).collect();
                let [seq, at, boots, highest @ ..] = <[u64; 6]>::try_from(numbers?).ok()?;
                self.next_seq = seq.max(self.next_seq);
                self.last_at = Instant(at).max(self.last_at);
                self.boots = boots.max(self.boots);
                Audience::ALL.into_iter().zip(highest).for_each(|(audience, number)| self.raise_highest(audience, number));
            }
            _ => {}
        }
        Some(())
    }
}

fn fields<const N: usize>(value: &str) -> Option<[&str; N]> {
    value.split(' ').collect::<Vec<_>>().try_into().ok()
}
