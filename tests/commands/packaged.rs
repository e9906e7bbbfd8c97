//! The man pages and completions in `packaging` are those of the command line, for each package.
//!
//! `FLAGFALL_BLESS=1 cargo test --test commands packaged::` writes them again, for review.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;

/// The packages, and the commands that each lacks because it is built without their features.
const PACKAGES: [(&str, &[&str]); 2] =
    [("flagfall", &[]), ("flagfall-node", &["demo", "emulate", "event", "fleet", "screens", "simulate"])];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging")
}

/// Arguments that such a package lacks.
const ABSENT_ARGUMENTS: [(&str, &str); 2] = [("winnable", "batch"), ("winnable", "jobs")];

/// The command line of a package.
fn command_line(absent: &[&str]) -> Command {
    let full = flagfall::cli::command();
    assert!(absent.iter().all(|name| full.find_subcommand(name).is_some()), "{absent:?}: there is no such command");
    let about = full.get_about().expect("a description").clone();
    let commands: Vec<Command> =
        full.get_subcommands().filter(|command| !absent.contains(&command.get_name())).cloned().collect();
    let line = Command::new("flagfall")
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .disable_help_subcommand(true)
        .subcommands(commands);
    let arguments = ABSENT_ARGUMENTS.iter().filter(|_| !absent.is_empty());
    arguments.fold(line, |line, (command, name)| {
        line.mut_subcommand(command, |command| command.mut_arg(name, |argument| argument.hide(true)))
    })
}

/// Adds the page of a command and those of its commands.
fn pages(command: &Command, found: &mut BTreeMap<String, Vec<u8>>) {
    command.get_subcommands().for_each(|inner| pages(inner, found));
    let page = clap_mangen::Man::new(command.clone()).manual("flagfall");
    let name = page.get_filename();
    let mut text = Vec::new();
    page.source("flagfall").render(&mut text).expect("written to memory");
    found.insert(name, text);
}

/// Every file of a package that is made from its command line, below `packaging`.
fn files(package: &str, absent: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut line = command_line(absent);
    line.build();
    let mut manual = BTreeMap::new();
    pages(&line, &mut manual);
    let mut found: BTreeMap<PathBuf, Vec<u8>> =
        manual.into_iter().map(|(name, text)| (Path::new("man").join(package).join(name), text)).collect();
    for (shell, name) in [(Shell::Bash, "flagfall.bash"), (Shell::Fish, "flagfall.fish"), (Shell::Zsh, "_flagfall")] {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command_line(absent), "flagfall", &mut text);
        found.insert(Path::new("completions").join(package).join(name), text);
    }
    found
}

/// The files that are there.
fn kept(package: &str) -> Vec<PathBuf> {
    let folders = ["man", "completions"].map(|kind| Path::new(kind).join(package));
    let entries = folders.iter().flat_map(|inner| std::fs::read_dir(folder().join(inner)).into_iter().flatten());
    entries.map(|entry| entry.expect("an entry").path().strip_prefix(folder()).expect("inside").to_owned()).collect()
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the one switch of the golden tests")]
fn man_pages_and_completions_are_those_of_the_command_line() {
    let bless = std::env::var_os("FLAGFALL_BLESS").is_some();
    for (package, absent) in PACKAGES {
        let made = files(package, absent);
        assert!(made.len() > 15, "{package}: {:?}", made.keys());
        for (path, text) in &made {
            let file = folder().join(path);
            if bless {
                std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                std::fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            }
            let same = std::fs::read(&file).is_ok_and(|kept| kept == *text);
            assert!(same, "{}: FLAGFALL_BLESS=1 cargo test --test commands packaged:: writes it anew", file.display());
        }
        for path in kept(package) {
            assert!(made.contains_key(&path), "{}: there is no such command", path.display());
        }
    }
}

#[test]
fn the_version_of_the_packages_is_that_of_the_program() {
    let text = std::fs::read_to_string(folder().join("debian/changelog")).expect("the changelog");
    let expected = format!("flagfall ({}-", env!("CARGO_PKG_VERSION"));
    assert!(text.starts_with(&expected), "{:?} does not begin with {expected}", text.lines().next());
}
