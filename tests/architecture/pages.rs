//! Comments and pages cite pages and sections that exist, and pages name sources that exist.
//!
//! A citation is the end of a path that only one file of the tree has, and perhaps the number of a section: `laws/README.md#2.3`. A path
//! is relative to the folder of the citing file if it begins with a dot, or if a file lies there.

use crate::assert_none;
use crate::files::{File, all};

/// A citation of a page.
#[derive(Debug, PartialEq)]
struct Citation<'a> {
    line: usize,
    path: &'a str,
    section: Option<&'a str>,
}

const PAGE: &str = ".md";
const SOURCE: &str = ".rs";
/// This page may name sources that are gone.
const HISTORY: &str = "CHANGELOG.md";

/// All paths in a text with this ending.
fn citations<'a>(text: &'a str, end: &str) -> Vec<Citation<'a>> {
    (1..).zip(text.lines()).flat_map(|(number, line)| in_line(number, line, end)).collect()
}

fn in_line<'a>(number: usize, line: &'a str, end: &str) -> Vec<Citation<'a>> {
    let of_path = |char: char| char.is_ascii_alphanumeric() || "_-./$<>*".contains(char);
    let of_section = |char: char| char.is_ascii_alphanumeric() || ".-".contains(char);
    let mut found = Vec::new();
    for (at, _) in line.match_indices(end) {
        let (before, after) = (&line[..at], &line[at + end.len()..]);
        let name = before.rsplit(|char| !of_path(char)).next().unwrap_or_default();
        if name.is_empty()
            || name.ends_with('/')
            || name.starts_with('$')
            || after.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_')
        {
            continue;
        }
        let path = &line[at - name.len()..at + end.len()];
        let section = after.strip_prefix('#').map(|rest| {
            let length = rest.find(|char| !of_section(char)).unwrap_or(rest.len());
            rest[..length].trim_end_matches('.')
        });
        found.push(Citation { line: number, path, section });
    }
    found
}

/// The one page that a file in `folder` cites as `cited`.
fn page<'a>(files: &'a [File], folder: &str, cited: &str) -> Result<&'a File, String> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    if let Some(file) = joined(folder, cited).and_then(|path| find(&path)) {
        return Ok(file);
    }
    if cited.starts_with('.') {
        return Err(format!("{cited}: there is no such page from here"));
    }
    if !cited.contains('/') {
        return find(cited).ok_or_else(|| format!("{cited}: there is no such page, here or at the root"));
    }
    let mut ends = files.iter().filter(|file| file.path == cited || file.path.ends_with(&format!("/{cited}")));
    match (ends.next(), ends.next()) {
        (Some(file), None) => Ok(file),
        (None, _) => Err(format!("{cited}: there is no such page")),
        (Some(one), Some(other)) => Err(format!("{cited}: may be {} or {}", one.path, other.path)),
    }
}

/// Whether `cited` names a source: it is a path from `folder`, or the end of a path.
fn source(files: &[File], folder: &str, cited: &str) -> bool {
    let here = joined(folder, cited);
    files.iter().any(|file| here.as_ref() == Some(&file.path) || file.path == cited || file.path.ends_with(&format!("/{cited}")))
}

/// The path `cited` relative to `folder`; none if it leads out of the tree.
fn joined(folder: &str, cited: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in cited.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The numbers of a page's sections: of `### 3.6 Gaps` it is `3.6`, of `## 3. Evidence` it is `3`.
fn sections(text: &str) -> Vec<&str> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .filter_map(|line| line.trim_start_matches('#').split_whitespace().next())
        .map(|word| word.trim_end_matches('.'))
        .collect()
}

/// "section 3.6" and "sections 3 and 4" of a page's own text: the numbers that follow the word.
fn own_sections(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for mark in ["section ", "Section ", "sections ", "Sections "] {
        for (at, _) in line.match_indices(mark) {
            let words = line[at + mark.len()..].split([' ', ',']).filter(|word| !word.is_empty());
            let numbers = words
                .take_while(|word| word.starts_with(|char: char| char.is_ascii_digit()) || matches!(*word, "and" | "to" | "or"));
            found.extend(numbers.filter(|word| word.starts_with(|char: char| char.is_ascii_digit())));
        }
    }
    let of_number = |char: char| char.is_ascii_digit() || char == '.';
    let cut = |word: &'_ str| word.find(|char| !of_number(char)).unwrap_or(word.len());
    found.into_iter().map(|word| word[..cut(word)].trim_end_matches('.')).collect()
}

fn problems(files: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for Citation { line, path, section } in citations(&file.text, PAGE) {
            match (page(files, folder, path), section) {
                (Err(problem), _) => problems.push(format!("{}:{line}: {problem}", file.path)),
                (Ok(page), Some(section)) if !sections(&page.text).contains(&section) => {
                    problems.push(format!("{}:{line}: {path} has no section {section}", file.path));
                }
                _ => {}
            }
        }
        let names = if file.path.ends_with(PAGE) && file.path != HISTORY { citations(&file.text, SOURCE) } else { Vec::new() };
        let absent = names.iter().filter(|named| !named.path.contains(['<', '*']) && !source(files, folder, named.path));
        problems.extend(absent.map(|named| format!("{}:{}: {}: there is no such source", file.path, named.line, named.path)));
        let own = if file.path.ends_with(PAGE) { sections(&file.text) } else { Vec::new() };
        // Only pages with numbered sections may cite a section by its number alone.
        for (number, line) in (1..).zip(file.text.lines()) {
            let strange = own_sections(line).into_iter().filter(|section| !own.contains(section));
            problems.extend(strange.map(|section| format!("{}:{number}: section {section} of which page?", file.path)));
        }
    }
    problems
}

#[test]
fn every_page_and_section_that_is_cited_exists() {
    assert!(all().iter().map(|file| citations(&file.text, PAGE).len()).sum::<usize>() > 150, "citations are found");
    // This file has bad examples on purpose.
    let others = |file: &&File| !file.path.ends_with("architecture/pages.rs");
    let files: Vec<File> =
        all().iter().filter(others).map(|file| File { path: file.path.clone(), text: file.text.clone() }).collect();
    assert_none(&problems(&files));
}

#[test]
fn absent_pages_and_sections_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let tree = |comment: &str| {
        let laws = "# Laws\n\n## 2. Table\n\n### 2.3 Rows\n\nSee section 2.3.\n";
        [
            file("src/a.rs", comment),
            file("src/laws/README.md", laws),
            file("src/mate/README.md", "## 1. Question\n"),
            file("README.md", ""),
        ]
    };
    let good =
        ["// `laws/README.md#2.3`.", "// laws/README.md#2, README.md", "// (`../src/mate/README.md`)", "// mate/README.md#1."];
    for comment in good {
        assert_eq!(problems(&tree(comment)), [""; 0], "{comment}");
    }
    let bad =
        ["// laws.md", "// laws/README.md#3", "// src/README.md", "// `../laws/README.md`", "// as section 2 says", "// ./x.md"];
    for comment in bad {
        assert_eq!(problems(&tree(comment)).len(), 1, "{comment}");
    }
    assert_eq!(
        problems(&[file("a.md", "`b/<name>.rs`, `c.rs` and `d.rs`\n"), file("b/d.rs", "")]),
        ["a.md:1: c.rs: there is no such source"]
    );
    let two = [file("a/x/README.md", ""), file("b/x/README.md", "See x/README.md\n")];
    assert_eq!(problems(&two), ["b/x/README.md:1: x/README.md: may be a/x/README.md or b/x/README.md"]);
    assert_eq!(problems(&[file("a.md", "## 1. A\nsections 1 and 2\n")]), ["a.md:2: section 2 of which page?"]);
    assert_eq!(in_line(1, "a.mdx, b.md_, $here/a.md and /.md", PAGE), [], "no pages");
}
