//! The help of every command has an example and fits a page, however wide the terminal is.

use std::process::Command;

fn help(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    let output = command.args(words).arg("--help").env("COLUMNS", "300").output().expect("it starts");
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_command_has_an_example_and_no_line_is_longer_than_a_hundred_letters() {
    let all = help(&[]);
    let (_, commands) = all.split_once("Commands:\n").expect("the list");
    let names =
        commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut count = 0;
    for name in names.filter(|name| !name.is_empty() && *name != "help") {
        let text = help(&[name]);
        // Those of an event and of a fleet have theirs one level below.
        assert!(
            ["event", "fleet"].contains(&name) || text.contains("Example") && text.contains(&format!("flagfall {name}")),
            "{name}: {text}"
        );
        let long: Vec<String> = text.lines().filter(|line| line.chars().count() > 100).map(str::to_owned).collect();
        assert!(long.is_empty(), "{name}: {long:#?}");
        count += 1;
    }
    assert!(count > 10, "{all}");
}

/// The names of the commands below this one.
fn below(group: &str) -> Vec<String> {
    let all = help(&[group]);
    let (_, commands) = all.split_once("Commands:\n").expect("the list");
    let names =
        commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn every_command_of_a_group_has_an_example() {
    for (group, least) in [
        ("event", 11),
        #[cfg(feature = "tools")]
        ("fleet", 2),
    ] {
        let names = below(group);
        assert!(names.len() >= least, "{names:?}");
        for name in names {
            let text = help(&[group, &name]);
            assert!(text.contains(&format!("Example: flagfall {group} {name}")), "{name}: {text}");
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 100).collect();
            assert!(long.is_empty(), "{name}: {long:#?}");
        }
    }
}

/// The commands that a help shows, each as one line of a shell.
fn examples(about: &str) -> Vec<String> {
    let about = about.replace("\\\n", " ");
    let lines = about.lines().map(|line| line.trim().trim_start_matches("Example: "));
    let shown = lines.filter_map(|line| match line.strip_prefix('`') {
        Some(quoted) => quoted.split('`').next(),
        None => Some(line),
    });
    shown.filter(|line| line.starts_with("flagfall ")).map(str::to_owned).collect()
}

/// The words of a line of a shell, without where its output goes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.split(" > ").next().unwrap_or_default().chars() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.push(String::new()),
            (c, _) => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_example_is_a_command_line() {
    fn check(command: &clap::Command, count: &mut usize) {
        let about = command.get_long_about().map(ToString::to_string).unwrap_or_default();
        for line in examples(&about) {
            let read = flagfall::cli::command().try_get_matches_from(words(&line));
            assert!(read.is_ok(), "{line}: {}", read.err().map(|error| error.to_string()).unwrap_or_default());
            *count += 1;
        }
        command.get_subcommands().for_each(|inner| check(inner, count));
    }
    let mut count = 0;
    check(&flagfall::cli::command(), &mut count);
    assert!(count > 40, "{count} examples");
}

#[test]
fn the_examples_of_replay_run_as_they_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces/dgt/game.trace");
    std::fs::copy(trace, folder.path().join("game.trace")).expect("a trace");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_flagfall"));
    let run = |line: &str| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", line]).current_dir(folder.path()).env("PATH", program.parent().expect("a folder"));
        let output = shell.output().expect("a shell");
        assert!(output.status.success() && !output.stdout.is_empty(), "{line}: {output:?}");
    };
    run("flagfall replay game.trace --journal made");
    let made = std::fs::read_dir(folder.path().join("made")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let journal = made.into_iter().find(|path| path.extension().is_some_and(|end| end == "journal")).expect("a journal");
    std::fs::copy(journal, folder.path().join("00000001-open26-r5-b12.journal")).expect("a journal");
    let shown = help(&["replay"]);
    let lines = examples(&shown);
    assert!(lines.len() >= 5, "{shown}");
    lines.iter().for_each(|line| run(line));
}
