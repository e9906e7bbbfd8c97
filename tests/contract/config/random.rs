//! Any file gives a configuration or an error with its line, and nothing panics.

use std::path::PathBuf;

use flagfall::config::{Place, keys, load};
use proptest::prelude::*;

use crate::config::support::Folder;

/// Pieces of TOML and of this configuration.
fn piece() -> impl Strategy<Value = String> {
    let keys: Vec<String> = keys().iter().map(|key| key.rsplit('.').next().unwrap_or_default().to_owned()).collect();
    prop_oneof![
        prop::sample::select(keys),
        prop::sample::select(vec![
            "[event]\n",
            "[mqtt]\n",
            "[[board]]\n",
            "[user.anna]\n",
            "[broker.user.x]\n",
            "board",
            "user",
            " = ",
            "=",
            ".",
            "\n",
            "\"",
            "'''",
            "[",
            "]",
            "{",
            "}",
            ",",
            "#",
            "\"b1\"",
            "true",
            "-1",
            "0x7f",
            "9e99",
            "1979-05-27",
            "\"300+5\"",
            "\u{e4}",
            "\u{0}",
            "\\u0000",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ]
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let folder = Folder::new();
    let file = folder.file("r.toml", bytes);
    let Err(errors) = load(std::slice::from_ref(&file), std::iter::empty()) else { return Ok(()) };
    prop_assert!(!errors.0.is_empty());
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    for problem in &errors.0 {
        let Place::Line { file: named, line, column } = &problem.place else {
            return Err(TestCaseError::fail(format!("no line: {problem}")));
        };
        prop_assert!(*named == file && (1..=lines).contains(line) && *column >= 1, "{}", problem);
        prop_assert!(!problem.message.is_empty() && !problem.to_string().contains(['\n', '\0']), "{:?}", problem);
    }
    Ok(())
}

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes)?;
    }

    #[test]
    fn random_toml(pieces in prop::collection::vec(piece(), 0..40)) {
        check(pieces.concat().as_bytes())?;
    }

    #[test]
    fn random_keys(lines in prop::collection::vec((piece(), piece()), 0..20)) {
        check(lines.iter().map(|(key, value)| format!("{key} = {value}\n")).collect::<String>().as_bytes())?;
    }

    #[test]
    fn random_variables(name in "[A-Z_]{0,20}", value in "\\PC{0,10}") {
        let name = format!("FLAGFALL__{name}");
        if let Err(errors) = load(&[] as &[PathBuf], std::iter::once((name.clone(), value))) {
            prop_assert_eq!(&errors.0[0].place, &Place::Variable(name));
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for text in ["[".repeat(100_000), format!("a = {}", "[".repeat(100_000)), format!("a = {}", "{a=".repeat(50_000))] {
        check(text.as_bytes()).expect("an error with its line");
    }
}
