//! Reads the state, the run and the number of the start from the status of a node.

use serde_json::Value;

/// The random value that the daemon made at its start; none before version 1.1.
pub(super) fn run_of(payload: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(payload).ok()?;
    Some(message["body"]["run"].as_str()?.to_owned())
}

/// The number of the start.
pub(super) fn boot_of(payload: &[u8]) -> Option<u64> {
    let message: Value = serde_json::from_slice(payload).ok()?;
    message["boot"].as_u64()
}

/// The state in the status.
pub(super) fn state_of(payload: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(payload).ok()?;
    Some(message["body"]["state"].as_str()?.to_owned())
}
