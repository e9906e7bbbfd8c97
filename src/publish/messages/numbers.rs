//! Numbers the events of each audience: their ids, and what changes when an event gets another number.

use super::{Message, Messages};
use crate::wire::envelope;

impl Messages {
    /// Returns the last number of each audience, in the order of [`Audience::ALL`](flagfall_protocols::trace::Audience::ALL).
    pub fn numbers(&self) -> [u64; 3] {
        self.numbers
    }

    /// Sets the last number of each audience: the next event gets the number after it.
    pub fn continue_numbers_after(&mut self, numbers: [u64; 3]) {
        self.numbers = numbers;
    }

    /// Sets how often the node was started. It is part of the id of every event from now on.
    pub fn set_boot(&mut self, boot: u64) {
        self.boot = boot;
    }

    /// Gives an event the next number of its series, with this start in its id.
    pub fn renumber_as_next(&mut self, message: &mut Message) {
        let number = &mut self.numbers[message.audience as usize];
        *number = number.saturating_add(1);
        let number = *number;
        self.renumber(message, number);
    }

    /// Gives an event of this board another number, with this start in its id.
    fn renumber(&self, message: &mut Message, number: u64) {
        if let Some((head, _, rest)) = split_at_number(&message.payload) {
            message.payload = format!("{head}{}{rest}", number_fields(&self.event_id(number), number));
        }
        message.number = number;
    }

    /// Whether `recorded` is the payload of this event with this number. Version 1.0 had no number of the start in its ids.
    pub fn is_recorded_as(&self, message: &Message, number: u64, recorded: &str) -> bool {
        let mut message = message.clone();
        self.renumber(&mut message, number);
        let old = number_fields(&format!("{}:{number}", self.journal), number);
        envelope::is_same_but_version(&message.payload, recorded)
            || split_at_number(recorded)
                .zip(split_at_number(&message.payload))
                .is_some_and(|((_, recorded_number, recorded), (_, _, rest))| recorded_number == old && recorded == rest)
    }

    pub(super) fn event_id(&self, number: u64) -> String {
        format!("{}:{}:{number}", self.journal, self.boot)
    }
}

fn number_fields(id: &str, number: u64) -> String {
    // JSON can represent every text, so this does not fail.
    let id = serde_json::to_string(id).unwrap_or_default();
    format!("\"id\":{id},\"no\":{number},")
}

/// Splits the payload of an event before and after the fields that contain its number; none for a state.
fn split_at_number(payload: &str) -> Option<(&str, &str, &str)> {
    // The first matches are in the envelope: in a text, a quotation mark has a backslash before it.
    let start = payload.find("\"id\":")?;
    let (head, rest) = payload.split_at(start);
    let (fields, rest) = rest.split_at(rest.find("\"game\":")?);
    Some((head, fields, rest))
}
