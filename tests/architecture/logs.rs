//! The log lines that strangers can cause: each goes through the one rate limiter, or has a reason why it needs none.

use crate::assert_none;
use crate::rules::{MAY_LOG, MayLog, STRANGERS};
use crate::source::{Source, all, has_word};

/// The macros that write into the log of a service with its usual level.
const MACROS: [&str; 3] = ["warn!", "info!", "error!"];

/// Lines that write into the log without a limit, with their numbers from 1.
fn log_lines(source: &Source) -> impl Iterator<Item = usize> {
    source.live().filter(|(_, line)| MACROS.iter().any(|name| has_word(&line.code, name))).map(|(number, _)| number)
}

fn excuses(source: &Source, number: usize, file: &str, words: &str) -> bool {
    file == source.path && source.lines[number - 1..].iter().take(3).any(|line| line.raw.contains(words))
}

fn all_words(excused: &[MayLog]) -> impl Iterator<Item = (&MayLog, &str)> {
    excused.iter().flat_map(|excuse| excuse.words.iter().map(move |words| (excuse, *words)))
}

fn unlimited(source: &Source, excused: &[MayLog]) -> Vec<String> {
    if !STRANGERS.iter().any(|start| source.path.starts_with(start)) {
        return Vec::new();
    }
    let is_excused = |number| all_words(excused).any(|(excuse, words)| excuses(source, number, excuse.file, words));
    let loose = log_lines(source).filter(|number| !is_excused(*number));
    let wrong = "a stranger may cause this log line: use `log_limit::warn`, or give a reason in MAY_LOG";
    loose.map(|number| source.problem(number, wrong)).collect()
}

#[test]
fn strangers_cannot_fill_a_log() {
    assert_none(&all().iter().flat_map(|source| unlimited(source, MAY_LOG)).collect::<Vec<_>>());
}

#[test]
fn every_exception_is_of_a_line_and_has_a_reason() {
    let is_used = |(excuse, words): &(&MayLog, &str)| {
        let has_line = |source: &Source| log_lines(source).any(|number| excuses(source, number, excuse.file, words));
        all().iter().any(has_line) && !excuse.reason.is_empty()
    };
    let stale = all_words(MAY_LOG).filter(|one| !is_used(one));
    assert_none(&stale.map(|(excuse, words)| format!("MAY_LOG: {} has no line with {words:?}", excuse.file)).collect::<Vec<_>>());
}

#[test]
fn bad_log_lines_are_found() {
    let excused = [MayLog { file: "src/mqtt/a.rs", words: &["once"], reason: "r" }];
    for (path, text, problems) in [
        ("src/mqtt/a.rs", "tracing::warn!(\"a packet\");", 1),
        ("src/mqtt/a.rs", "warn!(\n    %topic,\n    \"once\"\n);", 0),
        ("src/mqtt/a.rs", "info!(\"a\");\nerror!(\"b\");", 2),
        ("src/mqtt/a.rs", "log_limit::warn(\"a packet\", &topic);\ndebug!(\"c\");", 0),
        ("src/mqtt/a.rs", "#[cfg(test)]\nmod tests {\n    fn f() { warn!(\"a\") }\n}", 0),
        ("src/mqtt/b.rs", "warn!(\"once\");", 1),
        ("src/cli/record.rs", "warn!(\"a\");", 0),
    ] {
        assert_eq!(unlimited(&Source::parse(path, text), &excused).len(), problems, "{path}: {text}");
    }
}
