//! Runs `flagfall schema`: prints the JSON Schema of a message, or lists all messages.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::publish::schema;

/// Show the JSON Schema of a kind of message, or list them.
///
/// Example: flagfall schema board.state.live
#[derive(Args)]
pub(super) struct Schema {
    /// The message, as in the list, or `asyncapi`: all topics and how they are used.
    r#type: Option<String>,
    /// Show TypeScript types of all messages instead, for pages that receive them.
    #[arg(long, conflicts_with = "type")]
    typescript: bool,
}

impl Schema {
    pub(super) fn run(self) -> Result<ExitCode> {
        let text = match &self.r#type {
            None if self.typescript => schema::typescript(),
            None => schema::names().chain([schema::ASYNCAPI]).map(|name| format!("{name}\n")).collect(),
            Some(name) => match schema::file_text(name) {
                Some(text) => text,
                None => bail!("no message is called `{name}`; `flagfall schema` lists all"),
            },
        };
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}
