//! The dependencies: their licences, their sources, and no crate twice. These are the checks of `cargo deny check licenses bans
//! sources` with the same `deny.toml`, but without an installation.

use crate::assert_none;
use crate::lists::{body, deny_toml, list, quoted_after};
use crate::metadata::{Package, all};
use crate::spdx::permits;

fn wrong_licences(packages: &[Package], allowed: &[String]) -> Vec<String> {
    let licence = |package: &Package| package.licence.clone().unwrap_or_else(|| "none named".to_string());
    let wrong = packages.iter().filter(|package| !permits(&licence(package), allowed));
    wrong
        .map(|package| format!("{} {}: licence `{}` is not in deny.toml", package.name, package.version, licence(package)))
        .collect()
}

/// Dependencies from another place than the default registry, and those without a version.
fn wrong_sources(packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        if package.source.as_ref().is_some_and(|source| !source.starts_with("registry+")) {
            problems.push(format!("{} {}: not from a registry", package.name, package.version));
        }
        for dependency in package.dependencies.iter().filter(|_| package.source.is_none()) {
            let place = format!("{}: dependency {}", package.name, dependency.name);
            if dependency.registry.is_some() || dependency.source.as_ref().is_some_and(|source| !source.starts_with("registry+"))
            {
                problems.push(format!("{place} is not from the default registry"));
            }
            if dependency.requirement == "*" {
                problems.push(format!("{place} names no version"));
            }
        }
    }
    problems
}

/// Crates in two versions without an entry in `skip`, and entries without such a crate.
fn duplicates(packages: &[Package], skipped: &[String]) -> Vec<String> {
    let twice = |package: &Package| packages.iter().filter(|other| other.name == package.name).count() > 1;
    let names = |package: &Package| [package.name.clone(), format!("{}@{}", package.name, package.version)];
    let excused = |package: &Package| names(package).iter().any(|name| skipped.contains(name));
    let mut problems = Vec::new();
    for package in packages.iter().filter(|package| twice(package)) {
        let others = packages.iter().filter(|other| other.name == package.name && !excused(other)).count();
        // One version needs no entry: it is the one that will replace the others.
        if others > 1 && !excused(package) {
            let line = format!("{{ crate = \"{}@{}\", reason = \"...\" }}", package.name, package.version);
            problems.push(format!("deny.toml: {} is there in several versions; update, or add to skip: {line}", package.name));
        }
    }
    for skip in skipped {
        if !packages.iter().any(|package| twice(package) && names(package).contains(skip)) {
            problems.push(format!("deny.toml: skip names {skip}, which is not there twice"));
        }
    }
    problems
}

#[test]
fn licences_are_compatible() {
    assert!(all().len() > 20, "the dependencies are found");
    assert_none(&wrong_licences(all(), &list(&deny_toml(), "allow")));
}

#[test]
fn sources_are_the_default_registry() {
    assert_none(&wrong_sources(all()));
}

#[test]
fn no_crate_is_there_twice_without_a_reason() {
    let skip = body(&deny_toml(), "skip");
    let (named, reasons) = (quoted_after(&skip, "crate = "), quoted_after(&skip, "reason = "));
    assert_eq!(named.len(), reasons.iter().filter(|reason| !reason.is_empty()).count(), "deny.toml: every skip has its reason");
    assert_none(&duplicates(all(), &named));
}

/// Advisories that are ignored although their crate, which their reason begins with, is not there.
fn stale_advisories(packages: &[Package], reasons: &[String]) -> Vec<String> {
    let is_there = |reason: &&String| {
        let about = reason.split_once(": ").map_or("", |(about, _)| about);
        packages.iter().any(|package| format!("{}@{}", package.name, package.version) == about)
    };
    let stale = reasons.iter().filter(|reason| !is_there(reason));
    stale.map(|reason| format!("deny.toml: no crate is there as in the reason {reason:?}")).collect()
}

/// Whether there are more advisories is on the network: `.ci/run` and `tests/soak` look.
#[test]
fn advisories_are_ignored_for_a_reason_and_for_crates_that_are_there() {
    let ignored = body(&deny_toml(), "ignore");
    let (ids, reasons) = (quoted_after(&ignored, "id = "), quoted_after(&ignored, "reason = "));
    assert_eq!(ids.len(), reasons.len(), "deny.toml: every ignored advisory has its reason");
    assert_none(&stale_advisories(all(), &reasons));
}

#[test]
fn bad_dependencies_are_found() {
    let package = |name: &str, version: &str| Package { name: name.into(), version: version.into(), ..Package::default() };
    let allowed = ["MIT".to_string()];
    let licensed = |licence: Option<&str>| [Package { licence: licence.map(str::to_string), ..package("a", "1.0.0") }];
    assert!(wrong_licences(&licensed(Some("MIT")), &allowed).is_empty());
    assert_eq!(
        wrong_licences(&licensed(Some("Proprietary")), &allowed).len() + wrong_licences(&licensed(None), &allowed).len(),
        2
    );

    let from = |source: &str| [Package { source: Some(source.to_string()), ..package("a", "1.0.0") }];
    assert!(wrong_sources(&from("registry+r")).is_empty());
    assert_eq!(wrong_sources(&from("git+r")).len(), 1);
    let on = |requirement: &str, source: Option<&str>, registry: Option<&str>| {
        let mut package = package("a", "1.0.0");
        package.dependencies.push(crate::metadata::Dependency {
            requirement: requirement.to_string(),
            source: source.map(str::to_string),
            registry: registry.map(str::to_string),
            ..Default::default()
        });
        wrong_sources(&[package]).len()
    };
    assert_eq!([on("^1", Some("registry+r"), None), on("*", Some("registry+r"), None), on("^1", Some("git+r"), None)], [0, 1, 1]);
    assert_eq!(on("^1", Some("registry+r"), Some("other")), 1);

    let reasons = ["a@1.0.0: r", "a@2.0.0: r", "b"].map(str::to_string);
    assert_eq!(stale_advisories(&[package("a", "1.0.0")], &reasons).len(), 2);

    let two = [package("a", "1.0.0"), package("a", "2.0.0"), package("b", "1.0.0")];
    let skip = |names: &[&str]| duplicates(&two, &names.iter().map(|name| name.to_string()).collect::<Vec<_>>()).len();
    assert_eq!([skip(&[]), skip(&["a@1.0.0"]), skip(&["a"]), skip(&["a@1.0.0", "b"]), skip(&["a@3.0.0"])], [2, 0, 0, 1, 3]);
}
