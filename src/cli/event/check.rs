//! Runs the commands that look at what nodes and collectors have published: `ready` and `status`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use super::broker::Login;
use super::file::Chosen;
use crate::cli::time_control;
use crate::event::problems::problems_of;
use crate::event::ready::{self, BoardReport, Report};
use crate::wire::meta::{self, MetaEvent};
use crate::wire::output::{OutputState, OutputStatus};

/// Show whether every board of the current round is ready: device, battery, clock, players, nodes and alarms.
///
/// Example: flagfall event ready
///
/// Exit code 0 only if everything is right, 1 if not. Alarms are seen only if the login may read arbiter/.
#[derive(Args)]
pub(in crate::cli) struct Ready {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    login: Login,
}

impl Ready {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (file, _) = self.chosen.read()?;
        let round = file.current().context("the current round has no number")?;
        let broker = self.login.broker()?;
        let messages = broker.read(&ready::filters(&broker.root, &file.id, round))?;
        let report = ready::judge(&file, &broker.root, &messages).map_err(anyhow::Error::msg)?;
        let mut out = std::io::stdout().lock();
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&report)?)?,
            false => {
                time_control::print(&file.id, &file.event, &mut out)?;
                print(&report, &mut out)?;
            }
        }
        Ok(if report.ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn print(report: &Report, out: &mut dyn Write) -> Result<()> {
    for problem in &report.problems {
        writeln!(out, "NOT READY  round {}: {}", report.round, plain(problem))?;
    }
    for note in &report.notes {
        writeln!(out, "note       round {}: {}", report.round, plain(note))?;
    }
    for board in &report.boards {
        let mark = if board.problems.is_empty() { "ready    " } else { "NOT READY" };
        writeln!(out, "{mark}  {}", plain(&line(board)))?;
        for problem in &board.problems {
            writeln!(out, "           -> {}", plain(problem))?;
        }
    }
    Ok(())
}

/// A text of the network without characters that would control the terminal.
pub(in crate::cli) fn plain(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '?' } else { char }).collect()
}

fn line(board: &BoardReport) -> String {
    let text = |value: Option<&str>| value.unwrap_or("-").to_owned();
    let battery = board.battery.map_or_else(|| "-".to_owned(), |battery| format!("{battery} %"));
    let players = board.players.each_ref().map(|player| text(player.as_deref()));
    let clock = board.clock_ms.map(|time| match time {
        Some(time) => format!("{}:{:02}:{:02}", time / 3_600_000, time / 60_000 % 60, time / 1000 % 60),
        None => "-".to_owned(),
    });
    let (device, node) = (text(board.device.as_deref()), text(board.node.as_deref()));
    format!(
        "board {:>4}  {device}  node {node}  battery {battery}  clock {} {}  {} - {}",
        board.board, clock[0], clock[1], players[0], players[1]
    )
}

/// Show what the outputs of all collectors do, and which of the organiser's messages nodes and collectors cannot use.
///
/// Example: flagfall event status
///
/// Exit code 0 if every output works and every message is used, 1 if not.
#[derive(Args)]
pub(in crate::cli) struct Status {
    #[command(flatten)]
    login: Login,
}

/// A message of an output; its other fields are not needed.
#[derive(Deserialize)]
struct Message {
    body: OutputStatus,
}

impl Status {
    pub(super) fn run(self) -> Result<ExitCode> {
        let broker = self.login.broker()?;
        let prefix = format!("{}/1/node/", broker.root);
        let meta = format!("{}/1/meta/", broker.root);
        let mut messages = broker.read(&[format!("{prefix}+/output/+"), format!("{prefix}+/info"), format!("{meta}+")])?;
        messages.retain(|(_, payload)| !payload.is_empty());
        messages.sort();
        let (events, messages): (Vec<_>, Vec<_>) = messages.into_iter().partition(|(topic, _)| topic.starts_with(&meta));
        let (infos, messages): (Vec<_>, Vec<_>) = messages.into_iter().partition(|(topic, _)| topic.ends_with("/info"));
        let mut out = std::io::stdout().lock();
        if messages.is_empty() {
            writeln!(out, "No collector has an output.")?;
        }
        for (topic, payload) in &events {
            if let (Some(id), Ok(event)) = (topic.strip_prefix(&meta), meta::read::<MetaEvent>(payload, "meta.event")) {
                time_control::print(&plain(id), &event.body, &mut out)?;
            }
        }
        let mut works = true;
        for (topic, payload) in &infos {
            let node = topic.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix("/info")).unwrap_or(topic);
            for problem in problems_of(payload) {
                works = false;
                writeln!(out, "{:<9} {}", "not used", plain(&format!("{node}  {problem}")))?;
            }
        }
        for (topic, payload) in &messages {
            let place = topic.strip_prefix(&prefix).unwrap_or(topic);
            let Message { body } = serde_json::from_slice(payload).with_context(|| topic.clone())?;
            works &= matches!(body.state, OutputState::Ok | OutputState::Waiting | OutputState::Off);
            let state = match body.state {
                OutputState::Ok => "ok",
                OutputState::Waiting => "waiting",
                OutputState::Retrying => "retrying",
                OutputState::Refused => "refused",
                OutputState::Off => "off",
            };
            let sent = body.sent.as_deref().unwrap_or("never");
            let times = format!("since {}  last sent {sent}  {} plies", body.since, body.plies);
            writeln!(out, "{state:<9} {}", plain(&format!("{place}  {times}  {}", body.message)))?;
            for board in &body.boards {
                writeln!(out, "          -> board {}", plain(&format!("{}: {}", board.board, board.message)))?;
            }
        }
        Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
