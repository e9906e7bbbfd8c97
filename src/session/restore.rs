//! Rebuilds a station from its journal after a restart, by a replay of its inputs.
//!
//! Inputs are fed again, and every numbered output is compared with the record of what was sent. A difference (a newer program
//! during an event) is reported and never changes what was sent: numbers continue from the last record. Outputs of the last input
//! that were not yet recorded when the journal broke off are returned, to be recorded and sent now. What the public has seen is
//! taken from the records, since another delay may be configured now.

use std::collections::VecDeque;

use flagfall_game::laws::winnable::{Answer, Ask};
use flagfall_protocols::event::{DeviceEvent, Identity};
use flagfall_protocols::trace::{Audience, Body, Record};

use super::record_input::read_input;
use super::station::{BOARD, Station, StationInput, StationOutput};
use crate::journal::{DamageReport, Standing};
use crate::publish::Message;

/// The largest number of differences that are described. More are only counted.
const MAX_DIFFERENCES: usize = 100;

/// The result of the comparison with the recorded outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Recorded outputs that were compared.
    pub compared: usize,
    /// Recorded answers to the question of Article 6.9 whose proofs were checked again.
    pub answers: usize,
    /// How many outputs and answers differ.
    pub differing: usize,
    /// The differences, one text each, at most 100.
    pub differences: Vec<String>,
}

/// A station that is being rebuilt.
pub struct Restoration {
    station: Station,
    /// Numbered outputs since the last input whose record has not come yet.
    expected: VecDeque<Message>,
    /// Questions without an answer, with the number of their game.
    asks: Vec<(u32, Ask)>,
    /// The question that the last record answered.
    answered: Option<(Ask, Answer)>,
    /// The last recorded number of each audience, once there is one.
    last: [Option<u64>; 3],
    out: Vec<StationOutput>,
    verified: Verified,
    inputs: u64,
    serial: Option<String>,
}

/// The result of a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoreReport {
    /// Input records that the session had.
    pub inputs: u64,
    /// The comparison of the recorded outputs with the new ones.
    pub verified: Verified,
    /// Outputs without a record that they were sent; after the opening, with the numbers that they have now.
    pub unsent: Vec<Message>,
    /// Questions without an answer.
    pub asks: Vec<Ask>,
    /// The serial number that the device reported last.
    pub serial: Option<String>,
    /// The number of the last start that the session has.
    pub boot: Option<u64>,
    /// The damage in the journal's files.
    pub damage: DamageReport,
    /// The session was begun with other rules, times, rulings, or another calibration or clock than are configured now, and
    /// continues with them.
    pub other_rules: bool,
}

impl Restoration {
    /// Begins to rebuild this new station.
    pub fn new(mut station: Station) -> Restoration {
        // The states of a replay are not published, and what the public was shown is on record.
        station.set_coalesced(true);
        station.hold_public();
        Restoration {
            station,
            expected: VecDeque::new(),
            asks: Vec::new(),
            answered: None,
            last: [None; 3],
            out: Vec::new(),
            verified: Verified::default(),
            inputs: 0,
            serial: None,
        }
    }

    /// Handles the next record of the journal. A command or answer that cannot be read any more counts as a difference.
    pub fn feed(&mut self, record: &Record<'_>) {
        match &record.body {
            Body::Out { number, .. } if *number > 0 => self.compare_output(record),
            Body::Snap(digest) if **digest != self.station.digest() => {
                self.add_difference(format!("record {}: the state differs from the one that was digested", record.seq));
            }
            body if body.is_input() => {
                self.inputs += 1;
                match read_input(body) {
                    Ok(Some(input)) => self.feed_input(record, &input),
                    Ok(None) => {}
                    Err(error) => self.add_difference(format!("record {}: {error:#}", record.seq)),
                }
            }
            _ => {}
        }
    }

    fn feed_input(&mut self, record: &Record<'_>, input: &StationInput<'_>) {
        // A start names the ids of what these deadlines publish, so it comes before them.
        let is_start = matches!(input, StationInput::Boot { .. });
        while !is_start && self.station.deadline().is_some_and(|due| due < record.at) {
            self.wake();
        }
        let before = std::mem::take(&mut self.expected);
        // All outputs before this input were recorded before it, if the program was the same. What was missing when the journal
        // broke off is recorded after the next start.
        if !is_start {
            before.iter().for_each(|extra| self.add_not_sent(record.seq, extra));
        }
        if let StationInput::Answer(answer) = input {
            let place = self.asks.iter().rposition(|(_, ask)| answer.answers(ask));
            self.answered = place.map(|place| (self.asks[place].1.clone(), answer.clone()));
            self.asks.retain(|(_, ask)| !answer.answers(ask));
        }
        self.station.feed(record.at, input, &mut self.out);
        self.collect();
        if is_start {
            self.expected.extend(before);
        }
    }

    fn wake(&mut self) {
        self.station.wake(&mut self.out);
        self.collect();
    }

    fn collect(&mut self) {
        let game = self.station.game().number();
        for output in self.out.drain(..) {
            match output {
                StationOutput::Message(message) if message.number > 0 => self.expected.push_back(message),
                StationOutput::Ask(ask) => {
                    // Questions of an earlier game are of no use any more.
                    self.asks.retain(|(asked_in, _)| *asked_in == game);
                    self.asks.push((game, ask));
                }
                StationOutput::Device { link: BOARD, event: DeviceEvent::Identity(Identity::Serial(serial)) } => {
                    self.serial = Some(serial.as_str().to_owned());
                }
                _ => {}
            }
        }
    }

    fn compare_output(&mut self, record: &Record<'_>) {
        let Body::Out { number, audience, topic, payload, .. } = record.body else { return };
        self.verified.compared += 1;
        let last = self.last[audience as usize].replace(number);
        if let Some(last) = last.filter(|last| last.checked_add(1) != Some(number)) {
            self.add_difference(format!("record {}: number {number} of {} follows {last}", record.seq, audience.name()));
        }
        // What a start publishes to the public by itself waits for no delay.
        let is_expected = self.expected.iter().any(|message| self.matches_record(message, &record.body));
        let by_start = is_expected || payload.contains(r#""type":"board.restated""#);
        if audience == Audience::Public && !by_start && self.station.wake_recorded(record.at, &mut self.out) {
            self.collect();
        }
        // Deadlines are handled one by one, as they were then: an input of the same time may be next.
        let place = loop {
            let place = self.expected.iter().position(|message| self.matches_record(message, &record.body));
            if place.is_some() || self.station.deadline().is_none_or(|due| due > record.at) {
                break place;
            }
            self.wake();
        };
        if let Some(place) = place {
            let skipped: Vec<Message> = self.expected.drain(..=place).take(place).collect();
            skipped.iter().for_each(|extra| self.add_not_sent(record.seq, extra));
            return;
        }
        let now = match self.expected.pop_front_if(|message| message.topic == topic) {
            Some(message) => format!("{} {}", message.topic, message.payload),
            None => "nothing".to_owned(),
        };
        self.add_difference(format!("record {}: sent {topic} {payload}, now {now}", record.seq));
    }

    /// Whether `message` is the recorded output, whatever number it would have now.
    fn matches_record(&self, message: &Message, recorded: &Body<'_>) -> bool {
        let Body::Out { number, audience, topic, retain, payload } = *recorded else { return false };
        if (message.audience, message.topic.as_str(), message.retain) != (audience, topic, retain) {
            return false;
        }
        self.station.messages().is_recorded_as(message, number, payload)
    }

    fn add_not_sent(&mut self, seq: u64, message: &Message) {
        // A recording without outputs does not say what was sent.
        if self.last[message.audience as usize].is_some() {
            self.add_difference(format!(
                "record {seq}: before it {} {} comes out now, not sent then",
                message.topic, message.payload
            ));
        }
    }

    fn add_difference(&mut self, difference: String) {
        self.verified.differing += 1;
        if self.verified.differences.len() < MAX_DIFFERENCES {
            self.verified.differences.push(difference);
        }
    }

    /// Takes the question that the last record answered, with the answer.
    pub(crate) fn take_answered(&mut self) -> Option<(Ask, Answer)> {
        self.answered.take()
    }

    /// Counts a recorded answer that was checked again, with the problem if there is one.
    pub(crate) fn count_checked_answer(&mut self, seq: u64, problem: Option<&str>) {
        self.verified.answers += 1;
        if let Some(problem) = problem {
            self.add_difference(format!("record {seq}: the answer does not hold: {problem}"));
        }
    }

    /// The result of the comparison.
    pub fn verified(self) -> Verified {
        self.verified
    }

    /// Ends the replay. Returns the station as it was when the journal broke off. Its numbers continue from `standing`, whatever
    /// came out now, so that none is used twice. The outputs that were not sent have no valid numbers yet.
    pub fn finish(mut self, standing: &Standing) -> (Station, RestoreReport) {
        let unsent = Vec::from(self.expected);
        self.station.messages_mut().continue_numbers_after(standing.last_outs());
        self.station.resume_public(standing.last_at);
        self.station.set_coalesced(false);
        let game = self.station.game().number();
        let asks = self.asks.into_iter().filter(|(asked_in, _)| *asked_in == game).map(|(_, ask)| ask).collect();
        let (inputs, verified, serial) = (self.inputs, self.verified, self.serial);
        let report = RestoreReport { inputs, verified, unsent, asks, serial, ..RestoreReport::default() };
        (self.station, report)
    }
}
