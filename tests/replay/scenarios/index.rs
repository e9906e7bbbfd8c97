//! Every scenario of the catalogue has a test with its number: `sNNN_` and a description.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SCENARIOS: u16 = 116;

/// Scenarios whose tests have no hands at a board: number, file, test.
const ELSEWHERE: [(u16, &str, &str); 1] =
    [(94, "src/game/tests/game/advice.rs", "arbiters_are_reminded_of_the_player_who_is_late")];

/// Names of the tests in all Rust files below `folder`.
fn tests(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            tests(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let mut lines = text.lines().map(str::trim);
            while let Some(line) = lines.next() {
                let name = || lines.next()?.strip_prefix("fn ")?.split('(').next();
                names.extend((line == "#[test]").then(name).flatten().map(str::to_owned));
            }
        }
    }
}

#[test]
fn every_scenario_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    tests(&root.join("tests"), &mut names);
    tests(&root.join("src/game"), &mut names);
    let numbered = |number: u16| names.iter().any(|name| name.starts_with(&format!("s{number:03}_")));
    for (number, file, test) in ELSEWHERE {
        let text = fs::read_to_string(root.join(file)).expect(file);
        assert!(text.contains(&format!("fn {test}(")), "{file} has no {test}");
        assert!(!numbered(number), "scenario {number} has a test of its number and is listed too");
    }
    let elsewhere = |number: u16| ELSEWHERE.iter().any(|(listed, ..)| *listed == number);
    let missing: Vec<u16> = (1..=SCENARIOS).filter(|&number| !numbered(number) && !elsewhere(number)).collect();
    assert!(missing.is_empty(), "no test for the scenarios {missing:?}");
}
