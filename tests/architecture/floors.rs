//! Floors: a top-level module of `src` names only modules on lower floors.

use std::collections::BTreeSet;

use crate::assert_none;
use crate::rules::FLOORS;
use crate::source::{Source, all};

/// The top-level module of `src` to which a source belongs; none for the library's head, the program and the game's crate.
fn top_module(path: &str) -> Option<&str> {
    let inner = path.strip_prefix("src/")?;
    let name = inner.split('/').next()?.trim_end_matches(".rs");
    (!["lib", "main", "game"].contains(&name)).then_some(name)
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// The top-level modules that a line names.
fn named(code: &str) -> impl Iterator<Item = &str> {
    let name = |rest: &'_ str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    code.match_indices("crate::").map(move |(at, mark)| {
        let rest = &code[at + mark.len()..];
        &rest[..name(rest)]
    })
}

/// Lines that name a module that is not below their own.
fn upward(source: &Source) -> Vec<String> {
    let Some(own) = top_module(&source.path) else { return Vec::new() };
    let lies_below = |other: &str| floor(other) < floor(own);
    let problems = source.live().flat_map(|(number, line)| {
        let wrong = named(&line.code).filter(move |other| *other != own && floor(other).is_some() && !lies_below(other));
        wrong.map(move |other| source.problem(number, &format!("`{own}` names `{other}`, which does not lie below it")))
    });
    problems.collect()
}

#[test]
fn every_module_names_only_modules_below_it() {
    assert_none(&all().iter().flat_map(upward).collect::<Vec<_>>());
}

#[test]
fn every_module_has_its_floor() {
    let modules: BTreeSet<&str> = all().iter().filter_map(|source| top_module(&source.path)).collect();
    let listed: BTreeSet<&str> = FLOORS.iter().flat_map(|modules| modules.iter().copied()).collect();
    assert_eq!(modules, listed);
}

#[test]
fn an_upward_use_is_found() {
    let planted = |path: &str, text: &str| upward(&Source::parse(path, text)).len();
    assert_eq!(planted("src/arbiter/read.rs", "use crate::publish::Message;\n"), 1);
    assert_eq!(planted("src/wire/time.rs", "fn f(at: crate::session::anchor::AnchorRecord) {}\n"), 1);
    assert_eq!(planted("src/session/station.rs", "use crate::publish::Message;\n"), 0);
    assert_eq!(planted("src/wire/time.rs", "#[cfg(test)]\nmod tests {\n    use crate::session::anchor;\n}\n"), 0);
}
