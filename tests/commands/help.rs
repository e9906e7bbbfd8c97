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
