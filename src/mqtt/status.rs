//! Reads the state and the number of starts from the status of a node.

use serde_json::Value;

/// How often the node was started; 0 if the status does not say.
pub(super) fn boot_of(payload: &[u8]) -> u64 {
    serde_json::from_slice::<Value>(payload).ok().and_then(|message| message["boot"].as_u64()).unwrap_or(0)
}

/// The state in the status.
pub(super) fn state_of(payload: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(payload).ok()?;
    Some(message["body"]["state"].as_str()?.to_owned())
}
