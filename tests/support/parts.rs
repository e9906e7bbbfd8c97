//! Joins states with the parts that have their earlier moves.

use std::collections::BTreeMap;

use flagfall::outputs::moves_parts::whole_state;

/// The last payload on each topic with a part of a game's moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts(BTreeMap<String, Vec<u8>>);

impl Parts {
    /// Keeps a part. Returns a state with all its moves, as far as its parts have come, and any other message as it is.
    pub(crate) fn joined(&mut self, topic: &str, payload: &[u8]) -> Vec<u8> {
        if topic.contains("/moves/") {
            self.0.insert(topic.to_owned(), payload.to_vec());
        }
        match topic.strip_suffix("/state") {
            Some(below) => whole_state(payload, |part| self.0.get(&format!("{below}/moves/{part}")).map(Vec::as_slice)),
            None => payload.to_vec(),
        }
    }
}
