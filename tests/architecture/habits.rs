//! Rules for single lines: a proof beside every `unwrap`, a reason beside every ignored test.

use crate::assert_none;
use crate::source::{Source, all};

/// Whether this line has `unwrap()` or `expect("...")`; a method of our own, `expect(token)` or `expect("word")?`, is neither.
fn may_panic(code: &str) -> bool {
    let expects = |(at, call): (usize, &str)| {
        let argument = code[at + call.len()..].trim_start();
        let fallible = argument.split_once(')').is_some_and(|(_, rest)| rest.starts_with('?'));
        argument.is_empty() || !fallible && (argument.starts_with(['"', '&']) || argument.starts_with("r\""))
    };
    code.contains(".unwrap()") || code.match_indices(".expect(").any(expects)
}

fn unproved_panics(source: &Source) -> Vec<String> {
    let proved = |number: usize| source.lines[number.saturating_sub(3)..number].iter().any(|line| line.commented);
    let found = source.live().filter(|(number, line)| may_panic(&line.code) && !proved(*number));
    found
        .map(|(number, _)| source.problem(number, "unwrap or expect without a comment that proves it (this line or two above)"))
        .collect()
}

fn ignored_without_reason(source: &Source) -> Vec<String> {
    let bare = |code: &str, raw: &str| {
        code.match_indices("#[ignore").any(|(at, mark)| !code[at + mark.len()..].starts_with(" = \""))
            || raw.contains("#[ignore = \"\"]")
    };
    let lines = (1..).zip(&source.lines).filter(|(_, line)| line.code.contains("#[ignore") && bare(&line.code, &line.raw));
    lines.map(|(number, _)| source.problem(number, "an ignored test needs a reason: #[ignore = \"...\"]")).collect()
}

#[test]
fn every_unwrap_is_proved() {
    assert_none(&all().iter().flat_map(unproved_panics).collect::<Vec<_>>());
}

#[test]
fn every_ignored_test_has_a_reason() {
    assert_none(&all().iter().flat_map(ignored_without_reason).collect::<Vec<_>>());
}

#[test]
fn bad_lines_are_found() {
    let found = |text| unproved_panics(&Source::parse("src/a.rs", text)).len();
    for bad in ["a.unwrap();", "a.expect(\"b\");", "a.expect(\n    \"b\",\n)", "/// doc\na.unwrap();", "// far\n\n\na.unwrap();"]
    {
        assert_eq!(found(bad), 1, "{bad}");
    }
    for good in [
        "a.unwrap(); // proof",
        "// proof\na.unwrap();",
        "// proof\na\n    .unwrap();",
        "a.unwrap_or(1)",
        "p.expect(Token::Comma)?",
        "p.expect(\"left\")?;",
        "#[cfg(test)]\nmod tests {\n    fn f() { a.unwrap() }\n}",
    ] {
        assert_eq!(found(good), 0, "{good}");
    }

    let found = |text| ignored_without_reason(&Source::parse("tests/a.rs", text)).len();
    assert_eq!(
        [found("#[ignore]"), found("#[ignore = \"\"]"), found("#[ignore = \"needs a board\"]"), found("// #[ignore]")],
        [1, 1, 0, 0]
    );
}
