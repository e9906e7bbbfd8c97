//! The crates of the workspace: the direction of their dependencies, the heads of their sources, and their manifests.

use std::path::Path;

use crate::assert_none;
use crate::files::ROOT;
use crate::metadata::{self, Dependency, Package};
use crate::rules::{CRATES, CrateRule};
use crate::source::{Source, all};

impl CrateRule {
    fn manifest_path(&self) -> String {
        if self.folder.is_empty() { "Cargo.toml".to_string() } else { format!("{}/Cargo.toml", self.folder) }
    }

    fn manifest(&self) -> String {
        let path = self.manifest_path();
        std::fs::read_to_string(format!("{ROOT}/{path}")).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

/// Dependencies in the wrong direction, each with its line in the manifest.
fn wrong_edges(rule: &CrateRule, package: &Package, manifest: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for Dependency { name, dev, .. } in &package.dependencies {
        let line = line_of(manifest, name);
        let place = format!("{}:{line}: {}", rule.manifest_path(), rule.name);
        if rule.never.contains(&name.as_str()) {
            problems.push(format!("{place} must never depend on {name}"));
        } else if !dev && rule.only.is_some_and(|only| !only.contains(&name.as_str())) {
            problems.push(format!("{place} may not depend on {name}, only on {:?}", rule.only.unwrap_or_default()));
        }
    }
    problems
}

fn wrong_licence(rule: &CrateRule, package: &Package, manifest: &str) -> Vec<String> {
    let found = package.licence.as_deref().unwrap_or("nothing");
    let line = line_of(manifest, "license");
    if found == rule.licence {
        vec![]
    } else {
        vec![format!("{}:{line}: licence is {}, not {found}", rule.manifest_path(), rule.licence)]
    }
}

/// The number of the first line that begins with `start`; 0 if there is none.
fn line_of(manifest: &str, start: &str) -> usize {
    manifest.lines().position(|line| line.starts_with(start)).map_or(0, |index| index + 1)
}

fn lints_not_shared(path: &str, manifest: &str) -> Vec<String> {
    let mut lines =
        manifest.lines().skip_while(|line| line.trim() != "[lints]").skip(1).take_while(|line| !line.starts_with('['));
    let shared = lines.any(|line| line.trim() == "workspace = true");
    if shared { vec![] } else { vec![format!("{path}: `[lints]` with `workspace = true` is missing")] }
}

/// The attributes that the head of a library of the deterministic part lacks.
fn head_missing(source: &Source) -> Vec<String> {
    let heads = ["#![no_std]", "#![forbid(unsafe_code)]"];
    let missing = heads.iter().filter(|head| !source.lines.iter().any(|line| line.code.trim() == **head));
    missing.map(|head| source.problem(1, &format!("`{head}` is missing"))).collect()
}

fn packages() -> impl Iterator<Item = (&'static CrateRule, &'static Package)> {
    let find = |name| metadata::all().iter().find(|package| package.name == name && package.source.is_none());
    CRATES.iter().map(move |rule| (rule, find(rule.name).unwrap_or_else(|| panic!("no crate {} in the workspace", rule.name))))
}

#[test]
fn every_crate_has_its_rule() {
    let own = metadata::all().iter().filter(|package| package.source.is_none());
    let strange = own.filter(|package| !CRATES.iter().any(|rule| rule.name == package.name));
    assert_none(&strange.map(|package| format!("{}: not in CRATES", package.name)).collect::<Vec<_>>());
}

#[test]
fn crates_depend_one_way() {
    assert_none(&packages().flat_map(|(rule, package)| wrong_edges(rule, package, &rule.manifest())).collect::<Vec<_>>());
}

#[test]
fn crates_carry_their_licence() {
    let mut problems: Vec<String> =
        packages().flat_map(|(rule, package)| wrong_licence(rule, package, &rule.manifest())).collect();
    for rule in CRATES {
        let missing = rule.licence_files.iter().filter(|file| !Path::new(ROOT).join(rule.folder).join(file).is_file());
        problems.extend(missing.map(|file| format!("{}: no {file} beside it", rule.manifest_path())));
    }
    assert_none(&problems);
}

#[test]
fn crates_share_their_lints() {
    assert_none(&CRATES.iter().flat_map(|rule| lints_not_shared(&rule.manifest_path(), &rule.manifest())).collect::<Vec<_>>());
}

#[test]
fn the_deterministic_part_has_no_standard_library() {
    let heads = ["protocols/src/lib.rs", "src/game/lib.rs"];
    assert_eq!(CRATES.iter().filter(|rule| rule.no_std).count(), heads.len());
    let found: Vec<&Source> = all().iter().filter(|source| heads.contains(&source.path.as_str())).collect();
    assert_eq!(found.len(), heads.len(), "the heads of the crates are found");
    assert_none(&found.into_iter().flat_map(head_missing).collect::<Vec<_>>());
}

#[test]
fn bad_crates_are_found() {
    let [protocols, game, hardware, ..] = CRATES else { panic!("order of CRATES") };
    let on = |name: &str, dev| Package {
        dependencies: vec![Dependency { name: name.into(), dev, ..Dependency::default() }],
        ..Package::default()
    };
    for (rule, name, dev, wrong) in [
        (protocols, "serde", false, true),
        (protocols, "serde_json", true, false),
        (protocols, "flagfall-game", true, true),
        (game, "shakmaty", false, false),
        (game, "rand", false, true),
        (game, "rand", true, false),
        (game, "flagfall-hardware", true, true),
        (hardware, "nix", false, false),
        (hardware, "flagfall-game", false, true),
        (hardware, "flagfall", true, true),
    ] {
        assert_eq!(wrong_edges(rule, &on(name, dev), "").is_empty(), !wrong, "{} -> {name}", rule.name);
    }
    let problems = wrong_edges(protocols, &on("rand", false), "[dependencies]\nrand = \"1\"");
    assert!(problems[0].starts_with("protocols/Cargo.toml:2: "), "{problems:?}");

    let licensed = |licence: Option<&str>| Package { licence: licence.map(str::to_string), ..Package::default() };
    assert!(wrong_licence(game, &licensed(Some("GPL-3.0-or-later")), "").is_empty());
    assert_eq!(wrong_licence(game, &licensed(Some("MIT")), "").len() + wrong_licence(game, &licensed(None), "").len(), 2);

    assert!(lints_not_shared("f", "[lints]\nworkspace = true\n").is_empty());
    assert_eq!(lints_not_shared("f", "[lints]\n[package]\nworkspace = true\n").len(), 1);

    let missing = |text| head_missing(&Source::parse("protocols/src/lib.rs", text)).len();
    assert_eq!(missing("//! doc\n#![no_std]\n#![forbid(unsafe_code)]"), 0);
    assert_eq!(missing("// #![no_std]\n#![cfg_attr(not(test), no_std)]\n#![deny(unsafe_code)]"), 2);
}
