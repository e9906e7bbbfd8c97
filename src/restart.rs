//! Restart = replay: a station rebuilt from its journal.
//!
//! Inputs are fed again; every numbered output is compared with the record of what was sent. A difference (a newer program in
//! mid-event) is reported and never rewrites what was sent. Outputs that were computed and not yet recorded when the journal
//! broke off are given back, to be recorded and sent now.

use std::collections::VecDeque;

use anyhow::Result;
use flagfall_protocols::trace::{Body, Record};

use crate::publish::Message;
use crate::replay::feed;
use crate::station::{Station, StationOutput};

/// Differences kept in words; the rest is only counted.
const MAX_DIFFERENCES: usize = 100;

/// A restart in progress.
pub struct Restart {
    station: Station,
    /// Numbered outputs that came out and have not met their record yet.
    expected: VecDeque<Message>,
    out: Vec<StationOutput>,
    restored: Restored,
}

/// How a restart went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Recorded outputs that were compared.
    pub compared: usize,
    /// Each difference in a line of its own, at most 100.
    pub differences: Vec<String>,
    /// Outputs that nothing says were sent.
    pub unsent: Vec<Message>,
}

impl Restart {
    /// A restart of this new station.
    pub fn new(station: Station) -> Restart {
        Restart { station, expected: VecDeque::new(), out: Vec::new(), restored: Restored::default() }
    }

    /// Takes the next record of the journal.
    ///
    /// # Errors
    /// A command or answer that cannot be read.
    pub fn feed(&mut self, record: &Record<'_>) -> Result<()> {
        match &record.body {
            Body::Out { number, topic, payload, .. } if *number > 0 => {
                if self.expected.is_empty() {
                    self.station.advance(record.at, &mut self.out);
                    self.collect();
                }
                self.compare(record.seq, topic, payload);
            }
            Body::Snap(digest) if **digest != self.station.digest() => {
                self.differ(format!("record {}: the state differs from the one that was digested", record.seq));
            }
            _ => {
                feed(&mut self.station, record, &mut self.out)?;
                self.collect();
            }
        }
        Ok(())
    }

    fn collect(&mut self) {
        self.expected.extend(self.out.drain(..).filter_map(|output| match output {
            StationOutput::Message(message) if message.number > 0 => Some(message),
            _ => None,
        }));
    }

    fn compare(&mut self, seq: u64, topic: &str, payload: &str) {
        self.restored.compared += 1;
        match self.expected.pop_front() {
            Some(message) if message.topic == topic && message.payload == payload => {}
            Some(message) => {
                self.differ(format!("record {seq}: sent {topic} {payload}, now {} {}", message.topic, message.payload))
            }
            None => self.differ(format!("record {seq}: sent {topic} {payload}, now nothing")),
        }
    }

    fn differ(&mut self, difference: String) {
        if self.restored.differences.len() < MAX_DIFFERENCES {
            self.restored.differences.push(difference);
        }
    }

    /// The station as it stood when the journal broke off.
    pub fn finish(mut self) -> (Station, Restored) {
        self.restored.unsent = self.expected.into();
        (self.station, self.restored)
    }
}
