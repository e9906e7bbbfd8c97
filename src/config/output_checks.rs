//! Checks the outputs of the collector.

use std::path::Path;

use nix::errno::Errno;
use nix::unistd::{AccessFlags, access};

use super::checks::{Check, Starts};
use super::output::{Collect, Output, OutputAudience, OutputKind};
use super::secrets;
use super::types::{Config, Journal};

/// The largest number of outputs: each has a thread.
const MOST_OUTPUTS: usize = 16;

/// Every output must be whole, with no key that does nothing, and no two outputs may write the same files.
pub(super) fn outputs(config: &Config, starts: Starts, check: &mut Check<'_>) {
    let (journals, collected) = (&config.journal.dir, &config.collect.dir);
    if are_nested(journals, collected) {
        check.problem("collect.dir", "is not apart from journal.dir: choose another folder");
    }
    folder("journal.dir", journals, starts.node, check);
    folder("collect.dir", collected, starts.collector, check);
    if cfg!(not(feature = "outputs")) && config.collect.enabled {
        check.problem("collect.enabled", "this program was built without its collector");
    }
    if let Some(first) = config.output.get(MOST_OUTPUTS) {
        check.problem(&format!("output.{}", first.name), format!("there are more than {MOST_OUTPUTS} outputs"));
    }
    for (index, output) in config.output.iter().enumerate() {
        one(output, check);
        let key = format!("output.{}.dir", output.name);
        if output.kind == OutputKind::Lichess {
            if starts.collector && output.token_file.is_absolute() {
                let read = secrets::password(&output.token_file).map_err(|why| why.replace("the password", "the token"));
                check.result(&format!("output.{}.token_file", output.name), &output.token_file, read.map(drop));
            }
            continue;
        }
        if output.dir.is_absolute() {
            folder(&key, &output.dir, starts.collector, check);
        }
        if let Some(other) = config.output[..index].iter().find(|other| same(&other.dir, &output.dir)) {
            let place = check.origins.place(&format!("output.{}.dir", other.name));
            check.problem(&key, format!("is that of output \"{}\" too, at {place}", other.name));
        }
        // Beside the folders of events, collect.dir may have those of outputs.
        for (of, private) in [("collect.dir", &collected.join(&config.event.id)), ("journal.dir", journals)] {
            if output.dir.is_absolute() && are_nested(private, &output.dir) {
                check.problem(&key, format!("is not apart from {of}, whose files others must not read: choose another folder"));
            }
        }
    }
}

fn one(output: &Output, check: &mut Check<'_>) {
    let key = |name: &str| format!("output.{}.{name}", output.name);
    if output.name == Output::PAGES {
        check.problem(&key("name"), "is the name of the pages that http.listen serves: choose another one");
    }
    let writes_files = output.kind != OutputKind::Lichess;
    if writes_files && output.dir.as_os_str().is_empty() {
        check.problem(&key("dir"), "is missing: the folder for the files");
    } else if writes_files && !output.dir.is_absolute() {
        check.problem(&key("dir"), format!("{}: must begin with /", output.dir.display()));
    }
    let of_lichess = [
        ("url", output.url != Output::LICHESS),
        ("token_file", !output.token_file.as_os_str().is_empty()),
        ("round", !output.round.is_empty()),
    ];
    for (name, _) in of_lichess.iter().filter(|(_, is_set)| *is_set && writes_files) {
        check.problem(&key(name), "is for kind = \"lichess\" only");
    }
    match output.kind {
        OutputKind::Files => {
            let others = [
                ("command", !output.command.is_empty()),
                ("every", output.every.is_some()),
                ("timeout", output.timeout.is_some()),
                ("heartbeat", output.heartbeat.is_some()),
                ("receiver_delays", output.receiver_delays),
            ];
            for (name, _) in others.iter().filter(|(_, is_set)| *is_set) {
                check.problem(&key(name), "does nothing for kind = \"files\"");
            }
        }
        OutputKind::Command => {
            match output.command.first() {
                None => check.problem(&key("command"), "is missing: the program and its arguments"),
                Some(program) if !program.starts_with('/') => {
                    check.problem(&key("command"), format!("{program:?}: the path of the program must begin with /"));
                }
                Some(_) => {}
            }
            delays(output, check);
        }
        OutputKind::Pages => {}
        OutputKind::Lichess => {
            if !output.token_file.is_absolute() {
                check.problem(&key("token_file"), "is missing: the file with the token of the account, with its whole path");
            }
            let others = [
                ("dir", !output.dir.as_os_str().is_empty()),
                ("split", !output.split),
                ("command", !output.command.is_empty()),
                ("timeout", output.timeout.is_some()),
                ("heartbeat", output.heartbeat.is_some()),
            ];
            for (name, _) in others.iter().filter(|(_, is_set)| *is_set) {
                check.problem(&key(name), "does nothing for kind = \"lichess\"");
            }
            delays(output, check);
        }
    }
}

/// What leaves the machine must be delayed once.
fn delays(output: &Output, check: &mut Check<'_>) {
    let key = |name: &str| format!("output.{}.{name}", output.name);
    if output.audience == OutputAudience::Live && !output.receiver_delays {
        let why = "sends what is not delayed: only if its receiver delays it, with receiver_delays = true";
        check.problem(&key("audience"), why);
    }
    if output.audience == OutputAudience::Public && output.receiver_delays {
        check.problem(&key("receiver_delays"), "is for audience = \"live\": the delays would add up");
    }
}

/// A folder that the program will use must be there, or what is above it must allow to make it. Nothing is made. Those of the defaults
/// are made by the package, for the user of the service.
fn folder(key: &str, dir: &Path, is_used: bool, check: &mut Check<'_>) {
    if !is_used || [Journal::default().dir, Collect::default().dir].iter().any(|default| default == dir) {
        return;
    }
    let there = dir.ancestors().find(|part| part.symlink_metadata().is_ok()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        check.problem(key, format!("{} is not a folder: choose another one", there.display()));
    } else if there != dir && access(there, AccessFlags::W_OK | AccessFlags::X_OK) == Err(Errno::EACCES) {
        check.problem(key, format!("cannot be made: this user may not write to {}", there.display()));
    }
}

/// Whether one of two folders is the other one or inside it, as they are written.
fn are_nested(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Whether two folders are the same, as they are written.
fn same(one: &Path, other: &Path) -> bool {
    one.components().eq(other.components())
}
