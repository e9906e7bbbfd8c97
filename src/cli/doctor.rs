//! Runs `flagfall doctor`: checks boards, broker, clock, disk and service, and says what to do about each problem.

mod boards;
mod broker;
mod certificates;
mod listener;
mod machine;
mod public_user;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::config;
use crate::daemon::judge;
use crate::system_clock;

/// Checks boards and ports, the broker, the clock, the disk and the service, and says what to do.
///
/// Exit code 0 if there is no problem, also with warnings; 1 if there is one; 78 if the configuration is wrong.
///
/// Example: flagfall doctor --config hall.toml
#[derive(Args)]
pub(super) struct Doctor {
    /// A configuration file; a later one lies over the earlier ones. Without any: /etc/flagfall/flagfall.toml, then
    /// /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Print one JSON object: `ok`, and `findings` with `about`, `state`, `found`, `advice`.
    #[arg(long)]
    json: bool,
}

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// Games can be played, something is missing.
    Warning,
    /// Games cannot be played.
    Problem,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    about: String,
    state: State,
    found: String,
    /// What to do, one sentence; none if nothing needs to be done.
    advice: Option<String>,
}

impl Finding {
    fn ok(about: impl Into<String>, found: impl Into<String>) -> Finding {
        Finding { about: about.into(), state: State::Ok, found: found.into(), advice: None }
    }

    fn warning(about: impl Into<String>, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { about: about.into(), state: State::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    fn problem(about: impl Into<String>, found: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { state: State::Problem, ..Finding::warning(about, found, advice) }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    ok: bool,
    findings: &'a [Finding],
}

impl Doctor {
    pub(super) fn run(self) -> Result<ExitCode> {
        let loaded = config::load_default(&self.config)?;
        let stations = judge(&loaded)?;
        let mut findings: Vec<Finding> = Vec::new();
        findings.extend(config::warnings(&loaded.config).into_iter().map(|text| {
            // A warning says what to do after its colon, or is advice as a whole.
            let (found, advice) = text.split_once(": ").unwrap_or((&text, &text));
            Finding::warning("configuration", found, advice)
        }));
        if findings.is_empty() {
            findings.push(Finding::ok("configuration", "is right"));
        }
        findings.extend(boards::check(&loaded.config, &stations));
        findings.extend(broker::check(&loaded.config));
        findings.extend(certificates::check(&loaded.config, system_clock::utc()));
        findings.extend(public_user::check(&loaded.config));
        findings.extend(machine::check(&loaded.config));
        let ok = findings.iter().all(|finding| finding.state != State::Problem);
        let mut out = std::io::stdout().lock();
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string(&Report { ok, findings: &findings })?)?,
            false => print(&findings, &mut out)?,
        }
        Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn print(findings: &[Finding], out: &mut dyn Write) -> Result<()> {
    for finding in findings {
        let mark = match finding.state {
            State::Ok => "ok     ",
            State::Warning => "warning",
            State::Problem => "PROBLEM",
        };
        writeln!(out, "{mark}  {}: {}", finding.about, finding.found)?;
        if let Some(advice) = &finding.advice {
            writeln!(out, "         -> {advice}")?;
        }
    }
    Ok(())
}
