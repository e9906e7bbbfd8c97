//! Rings: files of the game that import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, all};

const ROOT: &str = "src/game/";
/// The longest ring that is allowed: a folder's head and two files of it.
const LONGEST: usize = 3;

/// The module of a file, `laws::facts`; none for the crate's head.
fn module(path: &str) -> Option<String> {
    let inner = path.strip_prefix(ROOT)?.trim_end_matches(".rs").trim_end_matches("/mod");
    (inner != "lib").then(|| inner.replace('/', "::"))
}

/// The paths that a use names, one for each leaf of its tree.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let inner = rest.trim_end().trim_end_matches('}');
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for c in inner.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    parts.push(part);
    let named = parts.iter().filter(|part| !part.trim().is_empty());
    named.flat_map(|part| leaves(part)).map(|leaf| format!("{head}{leaf}")).collect()
}

/// The paths in a file's code, from the crate's root: those in its `use` lines and those in other lines.
fn paths(source: &Source, own: &str) -> Vec<String> {
    let code: String = source.live().map(|(_, line)| format!("{}\n", line.code)).collect();
    let mut found = Vec::new();
    for item in code.split(';') {
        let item = item.rsplit(['}', '\n']).find(|line| line.contains("use ")).map_or("", |_| item);
        if let Some(at) = item.find("use ").filter(|at| !item[..*at].trim_end().ends_with("pub")) {
            found.extend(leaves(&item[at + 4..]));
        }
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    for start in ["crate::", "super::"] {
        found.extend(code.match_indices(start).map(|(at, _)| code[at..].chars().take_while(|c| word(*c)).collect::<String>()));
    }
    found.iter().filter_map(|path| absolute(path.trim(), own)).collect()
}

fn absolute(path: &str, own: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix("crate::") {
        return Some(rest.to_owned());
    }
    let mut base: Vec<&str> = own.split("::").collect();
    let mut rest = path;
    while let Some(after) = rest.strip_prefix("super::") {
        base.pop()?;
        rest = after;
    }
    (rest != path).then(|| base.into_iter().chain([rest]).collect::<Vec<_>>().join("::"))
}

/// The module of a path: the longest module with which the path begins.
fn target<'a>(path: &str, modules: &'a BTreeSet<String>) -> Option<&'a String> {
    let mut part = path;
    loop {
        if let Some(module) = modules.get(part) {
            return Some(module);
        }
        part = part.rsplit_once("::")?.0;
    }
}

/// Every ring, as the names of its modules.
fn rings(sources: &[&Source]) -> Vec<BTreeSet<String>> {
    let files: Vec<(String, &Source)> = sources.iter().filter_map(|source| Some((module(&source.path)?, *source))).collect();
    let modules: BTreeSet<String> = files.iter().map(|(module, _)| module.clone()).collect();
    let mut arrows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (own, source) in &files {
        let named = paths(source, own);
        let others = named.iter().filter_map(|path| target(path, &modules)).map(String::as_str).filter(|other| other != own);
        arrows.insert(own, others.collect());
    }
    let reached = |from: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(module) = next.pop() {
            for other in arrows.get(module.as_str()).into_iter().flatten() {
                if seen.insert((*other).to_owned()) {
                    next.push((*other).to_owned());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<String>> = arrows.keys().map(|module| (*module, reached(module))).collect();
    let ring = |module: &str| -> BTreeSet<String> {
        let back = |other: &&String| reach.get(other.as_str()).is_some_and(|theirs| theirs.contains(module));
        reach[module].iter().filter(back).cloned().collect()
    };
    let rings: BTreeSet<BTreeSet<String>> = reach.keys().map(|module| ring(module)).filter(|ring| ring.len() > 1).collect();
    rings.into_iter().collect()
}

#[test]
fn no_ring_of_the_game_is_long() {
    let sources: Vec<&Source> = all().iter().collect();
    let rings = rings(&sources);
    assert!(!rings.is_empty(), "the stages of the solver are found");
    let long: Vec<_> = rings.iter().filter(|ring| ring.len() > LONGEST).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn a_long_ring_is_found() {
    let file = |name: &str, next: &str| {
        let text = format!("use alloc::vec::Vec;\nuse crate::{{other::{{A, B}}, {next}}};\nfn f() {{ crate::{next}::g() }}\n");
        Source::parse(&format!("src/game/{name}.rs"), &text)
    };
    let files = [file("a", "b"), file("b", "c"), file("c", "d"), file("d", "a"), file("e", "a")];
    let found = rings(&files.iter().collect::<Vec<_>>());
    assert_eq!(found, [["a", "b", "c", "d"].map(str::to_owned).into()]);
}
