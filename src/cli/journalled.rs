//! Runs `flagfall replay --journal`: feeds a trace (a recording) to a station with a journal, as the daemon does, and continues
//! where the journal ends.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Trace;

use super::replay::print_json;
use crate::journal::{self, Disk, Limits};
use crate::session::recorder::Recorder;
use crate::session::replay::SETTLE;
use crate::session::restore::RestoreReport;
use crate::session::setting::Setting;
use crate::session::station::StationOutput;

/// Feeds the part of the trace that is not yet in the journal in `dir`. Messages go to `out`, each flushed; the report of a
/// restart goes to `notes`.
pub(super) fn run(trace: &Trace<'_>, setting: &Setting, dir: &Path, out: &mut dyn Write, notes: &mut dyn Write) -> Result<()> {
    let session = session_name(&setting.name);
    if dir.is_dir() {
        let found = journal::read(&mut Disk::reading(dir))?;
        if let Some(other) = found.session().filter(|other| **other != session) {
            bail!("{} is the journal of `{other}`, not of `{session}`", dir.display());
        }
    }
    let mut sink = |output| match output {
        StationOutput::Message(message) => {
            print_json(&message, out)?;
            Ok(out.flush()?)
        }
        _ => Ok(()),
    };
    let disk = Box::new(Disk::open(dir)?);
    let (mut recorder, report) = Recorder::open(disk, Limits::default(), setting, &session, &mut sink)?;
    print_report(&report, notes)?;
    let mut known = report.inputs;
    let mut last = Instant::ZERO;
    for record in trace.records() {
        let (line, record) = record?;
        last = record.at;
        if record.body.is_input() && known > 0 {
            known -= 1;
        } else if record.body.is_input() {
            recorder.feed(record.at, &record.body, &mut sink).with_context(|| format!("line {line}"))?;
        }
    }
    if known > 0 {
        bail!("{} holds {known} inputs more than the trace", dir.display());
    }
    let end = last.after(SETTLE);
    recorder.advance(end, &mut sink)?;
    recorder.flush(end).with_context(|| dir.display().to_string())?;
    if recorder.unrecorded() > 0 {
        bail!("{}: {} records could not be written", dir.display(), recorder.unrecorded());
    }
    Ok(())
}

fn print_report(report: &RestoreReport, notes: &mut dyn Write) -> Result<()> {
    for damage in &report.damage.described {
        writeln!(notes, "{damage}")?;
    }
    for difference in &report.verified.differences {
        writeln!(notes, "{difference}")?;
    }
    if report.inputs > 0 {
        let (inputs, verified) = (report.inputs, &report.verified);
        let (compared, differing, unsent) = (verified.compared, verified.differing, report.unsent.len());
        writeln!(notes, "restart after {inputs} inputs: {compared} outputs compared, {differing} differ, {unsent} unsent")?;
    }
    Ok(())
}

/// The name in the letters that a session's name may have.
fn session_name(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(fit).take(journal::MAX_SESSION).collect()
}
