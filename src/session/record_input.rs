//! What a record of a journal or trace says to a station.

use anyhow::{Context, Result};
use flagfall_protocols::trace::Body;

use super::station::{LinkState, StationInput};

/// The input of a station that a record holds; none for what was sent out, and for what only the daemon wants to know.
///
/// # Errors
/// A command or answer that is not one of ours: with what is wrong in it.
pub fn read_input<'a>(body: &'a Body<'_>) -> Result<Option<StationInput<'a>>> {
    Ok(match body {
        Body::Rx { link, channel, bytes } => Some(StationInput::Bytes { link: *link, channel: *channel, bytes }),
        Body::Link { link, up, cause } => Some(StationInput::Link { link: *link, state: LinkState::from_record(*up, cause) }),
        Body::Cmd(json) => Some(command(json).context("command")?),
        Body::Answer(json) => Some(StationInput::Answer(serde_json::from_str(json).context("answer")?)),
        Body::Anchor(_) | Body::Boot(_) | Body::Tx { .. } | Body::Out { .. } | Body::Ack { .. } | Body::Snap(_) => None,
    })
}

/// A command with its admission, or the bare form of traces and older journals, which has its verb at the top.
fn command(json: &str) -> Result<StationInput<'static>> {
    #[derive(serde::Deserialize)]
    struct Top {
        verb: Option<serde::de::IgnoredAny>,
    }
    let Top { verb } = serde_json::from_str(json)?;
    Ok(match verb {
        Some(_) => StationInput::Command(serde_json::from_str(json)?),
        None => StationInput::Submitted(Box::new(serde_json::from_str(json)?)),
    })
}
