//! Every campaign has its row in `tests/soak`, and every row has its campaign; and the report of a run of seeds is right.

#[path = "../support/seeds.rs"]
mod seeds;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::assert_none;
use crate::files::ROOT;
use crate::source::{Source, all};
use seeds::Run;

/// The campaigns in a file: program, test and name, as in the rows. Those of unit tests are in the program of their package.
fn campaigns(source: &Source) -> Vec<String> {
    let of_units = || Some(("", format!("units-of-flagfall/{}", source.path.strip_prefix("src/")?)));
    let of_program = source.path.split_once("tests/").map(|(before, path)| (before, path.to_owned()));
    let Some((_, path)) = of_program.or_else(of_units) else { return Vec::new() };
    let mut parts = path.trim_end_matches(".rs").split('/');
    let program = parts.next().unwrap_or_default();
    let module = parts.collect::<Vec<_>>().join("::");
    let (mut test, mut marked, mut found) = (String::new(), false, Vec::new());
    for (index, line) in source.lines.iter().enumerate() {
        let code = line.code.trim_start();
        if let Some(name) = code.strip_prefix("fn ").filter(|_| marked) {
            test = name.split('(').next().unwrap_or_default().to_owned();
            marked = false;
        }
        marked |= code == "#[test]";
        let called = |call: &&&str| code.starts_with(**call) && !code.contains("fn ");
        if let Some(call) = ["campaign(", "side_by_side("].iter().find(called) {
            // rustfmt may put the name into the next line.
            let rest = [line, &source.lines[(index + 1).min(source.lines.len() - 1)]].map(|line| line.raw.trim()).concat();
            let name = rest[call.len()..].split('"').nth(1).unwrap_or("a name that is no text");
            found.push(format!("{program} {module}::{test} {name}"));
        }
    }
    found
}

/// The rows of `tests/soak` without weight and manner.
fn rows(script: &str) -> Vec<String> {
    let table = script.split("\ncampaigns() {").nth(1).and_then(|rest| rest.split("ROWS").nth(1)).unwrap_or_default();
    let row = |line: &str| line.splitn(3, ' ').nth(2).map(str::to_owned);
    table.lines().filter(|line| line.len() > 1).filter_map(row).collect()
}

fn differences(campaigns: &[String], rows: &[String]) -> Vec<String> {
    let mut count: BTreeMap<&String, [usize; 2]> = BTreeMap::new();
    campaigns.iter().for_each(|campaign| count.entry(campaign).or_default()[0] += 1);
    rows.iter().for_each(|row| count.entry(row).or_default()[1] += 1);
    let problem = |(line, times): (&String, [usize; 2])| match times {
        [1, 1] => None,
        [_, 0] => Some(format!("tests/soak: no row for the campaign, WEIGHT MANNER {line}")),
        [0, _] => Some(format!("tests/soak: no test plays a campaign of the row {line}")),
        _ => Some(format!("tests/soak: a test plays one campaign, and has one row: {line}")),
    };
    count.into_iter().filter_map(problem).collect()
}

#[test]
fn every_campaign_has_its_row() {
    let script = std::fs::read_to_string(format!("{ROOT}/tests/soak")).expect("tests/soak");
    let campaigns: Vec<String> = all().iter().flat_map(campaigns).collect();
    assert!(campaigns.len() > 50, "{campaigns:?}");
    assert_none(&differences(&campaigns, &rows(&script)));
}

#[test]
fn campaigns_without_rows_are_found() {
    let text = "#[test]\nfn a() {\n    campaign(\"x y\", 0..1, one);\n}\n#[test]\nfn b() {\n    side_by_side(\n        \"z\",\n        4,\n    );\n}";
    let found = campaigns(&Source::parse("protocols/tests/drivers/m/n.rs", text));
    assert_eq!(found, ["drivers m::n::a x y", "drivers m::n::b z"]);
    assert_eq!(campaigns(&Source::parse("src/m/n.rs", text))[0], "units-of-flagfall m::n::a x y");
    let script = "x\ncampaigns() {\n    cat <<'ROWS'\n2 quick drivers m::n::a x y\n1 long drivers m::c w\nROWS\n}\n";
    assert_eq!(rows(script), ["drivers m::n::a x y", "drivers m::c w"]);
    assert_eq!(differences(&found, &rows(script)).len(), 2);
}

/// A soak run plays at least one seed, continues after a seed that fails, and reports all of them.
#[test]
fn a_soak_run_reports_its_seeds() {
    let folder = tempfile::tempdir().expect("a folder");
    let played = |time, until: u64| {
        let report = folder.path().join(format!("{until}.report"));
        let mut run = Run::soak(1_000, time, &report);
        while let Some(seed) = run.next() {
            let now = std::fs::read_to_string(report.with_added_extension("now")).expect("which seed plays");
            assert_eq!(now.trim(), seed.to_string());
            run.ended(seed, catch_unwind(|| if seed % 10 == 3 { panic!("wrong") } else { 7 }));
            if seed == until {
                break;
            }
        }
        let failed = catch_unwind(AssertUnwindSafe(|| run.end("tried"))).is_err();
        (failed, std::fs::read_to_string(report).expect("a report"))
    };
    assert_eq!(played(Duration::ZERO, 2_000), (false, "tried\t1\t7\t0\t\n".to_owned()));
    assert_eq!(played(Duration::from_secs(3600), 1_020), (true, "tried\t21\t133\t2\t1003 1013\n".to_owned()));
    assert_eq!(played(Duration::from_secs(3600), 9_999).1.split('\t').nth(3), Some("50"));
}
