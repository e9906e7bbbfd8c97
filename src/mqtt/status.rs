//! Reads the state and the run from the status of a node.

use serde_json::Value;

/// The random value that the daemon made at its start; none before version 1.1.
pub(super) fn run_of(payload: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(payload).ok()?;
    Some(message["body"]["run"].as_str()?.to_owned())
}

/// The state in the status.
pub(super) fn state_of(payload: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(payload).ok()?;
    Some(message["body"]["state"].as_str()?.to_owned())
}
