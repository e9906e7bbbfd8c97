//! `config/flagfall.toml` has every configuration key with a comment, and no other key; and the keys that are checked are the keys that
//! are read.

use std::collections::BTreeSet;

use flagfall::config::{Config, keys};

use crate::assert_none;
use crate::files::ROOT;

/// The keys of a commented file, set or behind `# `, with names and boards as `*`; and the keys without a comment above.
fn keys_in_file(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut table, mut found, mut bare) = (String::new(), Vec::new(), Vec::new());
    let mut commented = false;
    for line in text.lines() {
        let code = line.strip_prefix("# ").unwrap_or(line);
        let word =
            |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_');
        let key = code.split_once(" = ").map(|(key, _)| key).filter(|key| word(key));
        if let Some(header) = code.strip_prefix('[').and_then(|header| header.strip_suffix(']')) {
            let inner = header.trim_matches(['[', ']']);
            table = match inner.split('.').collect::<Vec<_>>().as_slice() {
                ["broker", "user", _] => "broker.user.*".to_owned(),
                ["user", _] => "user.*".to_owned(),
                ["fleet", table @ ("node" | "user"), _] => format!("fleet.{table}.*"),
                ["board"] => "board.*".to_owned(),
                ["output"] => "output.*".to_owned(),
                ["board", inner] => format!("board.*.{inner}"),
                _ => inner.to_owned(),
            };
            commented = false;
        } else if let Some(key) = key {
            found.push(format!("{table}.{key}"));
            if !commented {
                bare.push(format!("{table}.{key}"));
            }
            commented = false;
        } else {
            commented = line.starts_with("# ") && line.len() > 10;
        }
    }
    (found, bare)
}

fn differences(text: &str, keys: &[String]) -> Vec<String> {
    let (found, bare) = keys_in_file(text);
    let mut problems: Vec<String> = bare.iter().map(|key| format!("{key}: no comment above it")).collect();
    problems.extend(keys.iter().filter(|key| !found.contains(key)).map(|key| format!("{key}: is not in the file")));
    problems.extend(found.iter().filter(|key| !keys.contains(key)).map(|key| format!("{key}: there is no such key")));
    let mut seen = BTreeSet::new();
    problems.extend(found.iter().filter(|key| !seen.insert(key.as_str())).map(|key| format!("{key}: is there twice")));
    problems
}

#[test]
fn every_key_is_explained_in_the_commented_file() {
    let text = std::fs::read_to_string(format!("{ROOT}/config/flagfall.toml")).expect("config/flagfall.toml");
    assert!(keys().len() > 30, "the keys are found");
    assert_none(&differences(&text, &keys()));
}

#[test]
fn missing_and_strange_keys_are_found() {
    let keys = ["a.b".to_owned(), "user.*.c".to_owned()];
    assert!(differences("[a]\n# What it is.\nb = 1\n# [user.x]\n# What it is.\n# c = 2\n", &keys).is_empty());
    for bad in [
        "[a]\nb = 1\n# [user.x]\n# What it is.\n# c = 2\n",
        "[a]\n# What it is.\nb = 1\n",
        "[a]\n# What it is.\nb = 1\n# What it is.\nd = 1\n# [user.x]\n# What it is.\n# c = 2\n",
        "[a]\n# What it is.\nb = 1\n# What it is.\nb = 1\n# [user.x]\n# What it is.\n# c = 2\n",
    ] {
        assert_eq!(differences(bad, &keys).len(), 1, "{bad}");
    }
}

/// The keys that the types read in a table; the error about an unknown key lists them.
fn keys_of_types(table: &str) -> BTreeSet<String> {
    let error = toml::from_str::<Config>(&format!("{table}\nno_such_key = 1\n")).expect_err("an unknown key").to_string();
    let names = error.split("expected").nth(1).unwrap_or_default();
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_keys_that_are_checked_are_those_that_are_read() {
    for (table, prefix) in [
        ("[node]", "node"),
        ("[event]", "event"),
        ("[mqtt]", "mqtt"),
        ("[broker]", "broker"),
        ("[broker.user.x]", "broker.user.*"),
        ("[livechess]", "livechess"),
        ("[http]", "http"),
        ("[journal]", "journal"),
        ("[discovery]", "discovery"),
        ("[log]", "log"),
        ("[collect]", "collect"),
        ("[[output]]", "output.*"),
        ("[user.x]", "user.*"),
        ("[fleet]", "fleet"),
        ("[fleet.broker]", "fleet.broker"),
        ("[fleet.valid]", "fleet.valid"),
        ("[fleet.node.x]", "fleet.node.*"),
        ("[fleet.user.x]", "fleet.user.*"),
        ("[[board]]", "board.*"),
        ("[[board]]\n[board.clock]", "board.*.clock"),
        ("", ""),
    ] {
        let start = if prefix.is_empty() { String::new() } else { format!("{prefix}.") };
        let below = |key: String| Some(key.strip_prefix(&start)?.split('.').next()?.to_owned());
        let checked: BTreeSet<String> = keys().into_iter().filter_map(below).collect();
        assert_eq!(checked, keys_of_types(table), "[{prefix}]");
    }
}
