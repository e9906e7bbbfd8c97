//! Words and calls that sources may not contain.

use crate::assert_none;
use crate::files::ROOT;
use crate::lists::quoted_after;
use crate::rules::{BANS, Ban, Excuse, MAY_CALL};
use crate::source::{Source, all, has_word};

fn banned_words(source: &Source, bans: &[Ban]) -> Vec<String> {
    let path = source.path.as_str();
    let holds = |ban: &&Ban| {
        ban.within.iter().any(|start| path.starts_with(start))
            && (ban.named.is_empty() || ban.named.iter().any(|end| path.ends_with(end)))
            && !ban.except.iter().any(|except| is_excepted(path, except))
    };
    let mut problems = Vec::new();
    for ban in bans.iter().filter(holds) {
        for (number, line) in source.live() {
            if let Some(word) = ban.words.iter().find(|word| has_word(&line.code, word)) {
                problems.push(source.problem(number, &format!("`{word}`: {}", ban.reason)));
            }
        }
    }
    problems
}

/// `*/name.rs` excepts every file of that name; any other path excepts a file, or all files below a folder.
fn is_excepted(path: &str, except: &str) -> bool {
    except.strip_prefix('*').map_or_else(|| path.starts_with(except), |end| path.ends_with(end))
}

/// The calls of clippy.toml as sources write them: the last two names, `Instant::now`.
fn disallowed_calls() -> Vec<String> {
    let text = std::fs::read_to_string(format!("{ROOT}/clippy.toml")).unwrap_or_else(|error| panic!("clippy.toml: {error}"));
    let methods = text.split("disallowed-types").next().unwrap_or_default();
    let last_two =
        |path: String| path.rsplitn(3, "::").take(2).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("::");
    // Tokio's channel of the same name takes its capacity; the unbounded channel is recognised by its empty brackets.
    let told_apart = |call: String| if call == "mpsc::channel" { "mpsc::channel()".to_owned() } else { call };
    quoted_after(methods, "path = ").into_iter().map(last_two).map(told_apart).collect()
}

fn calls_without_excuse(source: &Source, calls: &[String], excused: &[Excuse]) -> Vec<String> {
    if excused.iter().any(|excuse| excuse.file == source.path) {
        return Vec::new();
    }
    let found = source.live().filter_map(|(number, line)| Some((number, calls.iter().find(|call| has_word(&line.code, call))?)));
    found.map(|(number, call)| source.problem(number, &format!("`{call}` is disallowed by clippy.toml"))).collect()
}

/// Uses of `#[allow(clippy::disallowed_...)]` outside tests and excused files, or without a reason.
fn loose_allows(source: &Source, excused: &[Excuse]) -> Vec<String> {
    let excused = excused.iter().any(|excuse| excuse.file == source.path && !excuse.reason.is_empty());
    let mut problems = Vec::new();
    for (index, line) in source.lines.iter().enumerate().filter(|(_, line)| line.code.contains("clippy::disallowed_")) {
        if !line.test && !excused {
            problems.push(source.problem(index + 1, "switches off a rule of clippy.toml in a file that is not excused"));
        }
        let rest = source.lines[index..].iter().map(|line| line.code.as_str());
        let attribute: Vec<&str> =
            rest.scan(false, |done, code| (!std::mem::replace(done, code.contains(")]"))).then_some(code)).collect();
        if !attribute.concat().contains("reason = \"") {
            problems.push(source.problem(index + 1, "switches off a rule of clippy.toml without `reason = \"...\"`"));
        }
    }
    problems
}

#[test]
fn banned_words_stay_out() {
    assert_none(&all().iter().flat_map(|source| banned_words(source, BANS)).collect::<Vec<_>>());
}

#[test]
fn disallowed_calls_stay_in_excused_files() {
    let calls = disallowed_calls();
    assert!(calls.len() > 8 && calls.iter().any(|call| call == "Instant::now"), "{calls:?}");
    assert_none(&all().iter().flat_map(|source| calls_without_excuse(source, &calls, MAY_CALL)).collect::<Vec<_>>());
}

#[test]
fn lints_are_switched_off_in_excused_files_only() {
    assert_none(&all().iter().flat_map(|source| loose_allows(source, MAY_CALL)).collect::<Vec<_>>());
}

#[test]
fn every_ban_can_fail() {
    for ban in BANS {
        for word in ban.words {
            let folder = ban.within.first().expect("a ban holds somewhere");
            let name = ban.named.first().map_or("x.rs", |end| end.trim_start_matches('/'));
            let path = if name.starts_with(folder) { name.to_string() } else { format!("{folder}{name}") };
            let only = std::slice::from_ref(ban);
            let found = |path: &str, text: String| banned_words(&Source::parse(path, &text), only).len();
            assert_eq!(found(&path, format!("fn f() {{\n    {word}\n}}")), 1, "{path}: {word}");
            assert_eq!(found(&path, format!("// {word}\n#[cfg(test)]\nmod tests {{\n    {word}\n}}")), 0, "{path}: {word}");
            assert_eq!(found("protocols/tests/x.rs", word.to_string()), 0, "{word}");
            for excused in ban.except {
                let path = excused.strip_prefix('*').map_or(format!("{excused}x.rs"), |end| format!("{folder}x{end}"));
                assert_eq!(found(&path, word.to_string()), 0, "{path}: {word}");
            }
        }
    }
}

#[test]
fn bad_calls_are_found() {
    let source = |path, text| Source::parse(path, text);
    let (calls, excused) = (["Instant::now".to_string()], [Excuse { file: "src/system_clock.rs", reason: "time" }]);
    let found = |path, text| calls_without_excuse(&source(path, text), &calls, &excused);
    assert_eq!(
        found("src/a.rs", "\nlet t = std::time::Instant::now();"),
        ["src/a.rs:2: `Instant::now` is disallowed by clippy.toml"]
    );
    assert!(found("src/system_clock.rs", "Instant::now()").is_empty() && found("tests/a.rs", "Instant::now()").is_empty());

    let bare = "#[allow(clippy::disallowed_methods)]\nfn f() {}";
    let reasoned = "#[allow(\n    clippy::disallowed_methods,\n    reason = \"r\"\n)]\nfn f() {}";
    for (path, text, problems) in [
        ("src/a.rs", bare, 2),
        ("src/a.rs", reasoned, 1),
        ("src/system_clock.rs", bare, 1),
        ("src/system_clock.rs", reasoned, 0),
        ("tests/a.rs", bare, 1),
        ("tests/a.rs", reasoned, 0),
    ] {
        assert_eq!(loose_allows(&source(path, text), &excused).len(), problems, "{path}: {text}");
    }
}
