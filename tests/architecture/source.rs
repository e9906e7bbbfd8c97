//! Rust sources for the rules: lines with their code, their comments, and whether they are compiled for tests only.

use std::sync::OnceLock;

use crate::files;
use crate::lexer::split;

/// One line.
pub(crate) struct Line {
    /// The line as it is written.
    pub(crate) raw: String,
    /// The line without comments and contents of string literals.
    pub(crate) code: String,
    /// Whether it has a comment that is not documentation.
    pub(crate) commented: bool,
    /// Whether it is compiled for tests only.
    pub(crate) test: bool,
}

/// One file.
pub(crate) struct Source {
    /// The path from the root of the workspace, with `/`.
    pub(crate) path: String,
    pub(crate) lines: Vec<Line>,
    /// Modules in other files that are compiled for tests only.
    test_modules: Vec<String>,
}

impl Source {
    pub(crate) fn parse(path: &str, text: &str) -> Source {
        let parts = split(text);
        let (spans, test_modules) = test_parts(&parts.code);
        let whole = path_is_test(path);
        let lines = text.lines().zip(parts.code.lines()).enumerate().map(|(number, (raw, code))| Line {
            raw: raw.to_string(),
            code: code.to_string(),
            commented: parts.commented.contains(&number),
            test: whole || spans.iter().any(|&(from, to)| (from..=to).contains(&number)),
        });
        Source { path: path.to_string(), lines: lines.collect(), test_modules }
    }

    /// The lines that are compiled outside tests, with their numbers from 1.
    pub(crate) fn live(&self) -> impl Iterator<Item = (usize, &Line)> {
        (1..).zip(&self.lines).filter(|(_, line)| !line.test)
    }

    pub(crate) fn problem(&self, number: usize, what: &str) -> String {
        format!("{}:{number}: {what}", self.path)
    }

    /// The beginnings of the paths at which the module of a line `#[cfg(test)] mod name;` may lie.
    fn test_files(&self) -> impl Iterator<Item = String> {
        let stem = self.path.trim_end_matches(".rs");
        let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
        let inner = if matches!(name, "mod" | "lib" | "main") { folder } else { stem };
        self.test_modules.iter().flat_map(move |module| [format!("{inner}/{module}.rs"), format!("{inner}/{module}/")])
    }
}

fn path_is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.split('/').any(|folder| matches!(folder, "tests" | "benches"))
}

/// The ranges of lines (from 0) under `#[cfg(test)]`, and the names of modules in other files under it.
fn test_parts(code: &str) -> (Vec<(usize, usize)>, Vec<String>) {
    let (mut spans, mut modules) = (Vec::new(), Vec::new());
    let line_of = |at: usize| code[..at].matches('\n').count();
    for start in ["#[cfg(test)]", "#[cfg(all(test"].iter().flat_map(|mark| code.match_indices(mark)).map(|(at, _)| at) {
        let (mut braces, mut others, mut end) = (0, 0, code.len());
        for (at, c) in code[start..].char_indices() {
            match c {
                '(' | '[' => others += 1,
                ')' | ']' => others -= 1,
                '{' => braces += 1,
                '}' => braces -= 1,
                _ => {}
            }
            if others == 0 && braces == 0 && matches!(c, ';' | '}') {
                end = start + at;
                break;
            }
        }
        spans.push((line_of(start), line_of(end)));
        if let Some((_, name)) = code[start..end].rsplit_once("mod ")
            && !name.contains('{')
        {
            modules.push(name.trim().to_string());
        }
    }
    (spans, modules)
}

/// Every Rust file of the workspace, read once.
pub(crate) fn all() -> &'static [Source] {
    static ALL: OnceLock<Vec<Source>> = OnceLock::new();
    ALL.get_or_init(|| {
        let rust = files::all().iter().filter(|file| file.path.ends_with(".rs"));
        let mut sources: Vec<Source> = rust.map(|file| Source::parse(&file.path, &file.text)).collect();
        mark_test_files(&mut sources);
        sources
    })
}

fn mark_test_files(sources: &mut [Source]) {
    let tests: Vec<String> = sources.iter().flat_map(Source::test_files).collect();
    for source in sources {
        if tests.iter().any(|test| source.path.starts_with(test.as_str())) {
            source.lines.iter_mut().for_each(|line| line.test = true);
        }
    }
}

/// Whether `code` contains `word` as a whole, not only as a part of a longer name.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back().is_some_and(in_name);
        let after = code[at + word.len()..].chars().next().is_some_and(in_name);
        !(before && word.starts_with(in_name) || after && word.ends_with(in_name))
    })
}

#[test]
fn code_under_cfg_test_is_found() {
    let live = |path, text: &str| Source::parse(path, text).live().map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(live("a/src/b.rs", "x\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\ny"), [1, 6]);
    assert_eq!(live("a/src/b.rs", "#[cfg(test)]\nfn f(x: [u8; 3]) {\n}\ny"), [4]);
    assert_eq!(live("a/src/b.rs", "#[cfg(any(test, feature = \"x\"))]\ny"), [1, 2]);
    assert_eq!(live("a/src/b.rs", "// #[cfg(test)]\ny {}"), [1, 2]);
    assert!(live("a/tests/b.rs", "x").is_empty() && live("a/src/b/tests.rs", "x").is_empty());

    let mut sources = [
        Source::parse("a/src/b.rs", "#[cfg(test)]\nmod tried;\nmod used;"),
        Source::parse("a/src/b/tried.rs", "x"),
        Source::parse("a/src/b/tried/more.rs", "x"),
        Source::parse("a/src/b/used.rs", "x"),
    ];
    mark_test_files(&mut sources);
    assert_eq!(sources.each_ref().map(|source| source.live().count()), [1, 0, 0, 1]);
}

#[test]
fn a_word_is_not_a_part_of_a_name() {
    assert!(has_word("use std::fmt;", "std::") && has_word("x.println!()", "println!") && has_word("(Ab)", "Ab"));
    assert!(!has_word("use mystd::fmt;", "std::") && !has_word("eprintln!()", "println!") && !has_word("Abc", "Ab"));
}
