//! Reads the input of a station from a record of a journal or trace.

use anyhow::{Context, Result};
use flagfall_game::laws::winnable;
use flagfall_protocols::trace::Body;

use super::anchor::AnchorRecord;
use super::boot::BootRecord;
use super::station::{LinkState, StationInput};
use crate::wire::answer::Answer;
use crate::wire::command::Command;

/// Returns the input that a record holds; none for records of outputs and for records that concern only the daemon.
///
/// # Errors
/// A command or answer that cannot be read: with the reason.
pub fn read_input<'a>(body: &'a Body<'_>) -> Result<Option<StationInput<'a>>> {
    Ok(match body {
        Body::Rx { link, channel, bytes } => Some(StationInput::Bytes { link: *link, channel: *channel, bytes }),
        Body::Link { link, up, cause } => Some(StationInput::Link { link: *link, state: LinkState::from_record(*up, cause) }),
        Body::Cmd(json) => Some(command(json).context("command")?),
        Body::Answer(json) => Some(StationInput::Answer(answer(json).context("answer")?)),
        // Traces of other programs may say something else in these.
        Body::Boot(json) => BootRecord::read(json).map(|record| StationInput::Boot {
            boot: record.boot,
            restated: record.restated,
            bound: record.bound(),
            until_press: record.until_press(),
        }),
        Body::Anchor(json) => AnchorRecord::read(json).map(StationInput::Anchor),
        Body::Tx { .. } | Body::Out { .. } | Body::Ack { .. } | Body::Snap(_) => None,
    })
}

/// Reads a command with its admission, or the bare form of traces and older journals, which has its verb at the top level.
fn command(json: &str) -> Result<StationInput<'static>> {
    #[derive(serde::Deserialize)]
    struct Top {
        verb: Option<serde::de::IgnoredAny>,
    }
    let Top { verb } = serde_json::from_str(json)?;
    Ok(match verb {
        Some(_) => StationInput::Command(serde_json::from_str::<Command>(json)?.into()),
        None => StationInput::Submitted(Box::new(serde_json::from_str(json)?)),
    })
}

fn answer(json: &str) -> Result<winnable::Answer> {
    Ok(serde_json::from_str::<Answer>(json)?.into())
}
