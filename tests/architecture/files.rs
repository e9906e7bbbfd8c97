//! The text files of the workspace: white space, marks of unfinished work, length.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use crate::assert_none;
use crate::rules::{Excuse, LONG_FILES, LONGEST, SKIPPED, TEXT, UNFINISHED};
use crate::source::has_word;

/// One file.
pub(crate) struct File {
    /// The path from the root of the workspace, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The root of the workspace.
pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Every text file in the order of the paths; the files are read once.
pub(crate) fn all() -> &'static [File] {
    static ALL: OnceLock<Vec<File>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut found = Vec::new();
        collect(Path::new(ROOT), "", &mut found);
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    })
}

fn collect(root: &Path, folder: &str, found: &mut Vec<File>) {
    let entries = fs::read_dir(root.join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    for entry in entries.map(|entry| entry.unwrap_or_else(|error| panic!("{folder}: {error}"))) {
        let name = entry.file_name().into_string().unwrap_or_else(|name| panic!("{folder}: {name:?} is not UTF-8"));
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if SKIPPED.contains(&path.as_str()) {
            continue;
        }
        if entry.path().is_dir() {
            collect(root, &path, found);
        } else if TEXT.iter().any(|end| path.ends_with(end)) {
            let text = fs::read_to_string(entry.path()).unwrap_or_else(|error| panic!("{path}: {error}"));
            found.push(File { path, text });
        }
    }
}

fn bad_white_space(path: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.contains('\r') {
            problems.push(format!("{path}:{number}: carriage return"));
        } else if line.ends_with([' ', '\t']) {
            problems.push(format!("{path}:{number}: white space at the end of the line"));
        }
        if line.contains('\t') {
            problems.push(format!("{path}:{number}: tab"));
        }
    }
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        problems.push(format!("{path}:{}: a file ends with one newline", text.lines().count()));
    }
    problems
}

fn unfinished(path: &str, text: &str) -> Vec<String> {
    let marks = |line: &str| UNFINISHED.iter().any(|mark| has_word(line, mark));
    let lines = (1..).zip(text.lines()).filter(|(_, line)| marks(line));
    lines.map(|(number, line)| format!("{path}:{number}: unfinished work: {}", line.trim())).collect()
}

fn too_long(path: &str, text: &str, excused: &[Excuse]) -> Vec<String> {
    let length = text.lines().count();
    match excused.iter().find(|excuse| excuse.file == path) {
        None if length > LONGEST => {
            vec![format!("{path}:{length}: over {LONGEST} lines: split it, or give a reason in LONG_FILES")]
        }
        Some(_) if length <= LONGEST => {
            vec![format!("{path}:{length}: no longer over {LONGEST} lines: take it out of LONG_FILES")]
        }
        Some(excuse) if excuse.reason.is_empty() => vec![format!("{path}: LONG_FILES gives no reason")],
        _ => Vec::new(),
    }
}

fn assert_all(check: fn(&str, &str) -> Vec<String>) {
    assert!(all().len() > 20, "the files of the workspace are found");
    assert_none(&all().iter().flat_map(|file| check(&file.path, &file.text)).collect::<Vec<_>>());
}

#[test]
fn white_space_is_plain() {
    assert_all(bad_white_space);
}

#[test]
fn nothing_is_marked_unfinished() {
    assert_all(unfinished);
}

#[test]
fn no_source_is_too_long() {
    let rust = || all().iter().filter(|file| file.path.ends_with(".rs"));
    let mut problems: Vec<String> = rust().flat_map(|file| too_long(&file.path, &file.text, LONG_FILES)).collect();
    let gone = LONG_FILES.iter().filter(|excuse| !rust().any(|file| file.path == excuse.file));
    problems.extend(gone.map(|excuse| format!("{}: in LONG_FILES, but there is no such file", excuse.file)));
    assert_none(&problems);
}

#[test]
fn bad_files_are_found() {
    assert!(bad_white_space("f", "a\n\n  b\n").is_empty() && bad_white_space("f", "").is_empty());
    for bad in ["a \n", "a\t\n", "\ta\n", "a\r\n", "a", "a\n\n"] {
        assert_ne!(bad_white_space("f", bad).len(), 0, "{bad:?}");
    }
    assert_eq!(unfinished("f", &format!("a\n// {}: b\n", UNFINISHED[0])).len(), 1);
    assert!(unfinished("f", &format!("{}s", UNFINISHED[0])).is_empty());

    let (short, long) = ("\n".repeat(LONGEST), "\n".repeat(LONGEST + 1));
    let listed = |reason| [Excuse { file: "f", reason }];
    assert!(too_long("f", &short, &[]).is_empty() && too_long("f", &long, &listed("a table")).is_empty());
    assert_eq!(too_long("f", &long, &[]).len(), 1);
    assert_eq!(too_long("f", &short, &listed("a table")).len(), 1);
    assert_eq!(too_long("f", &long, &listed("")).len(), 1);
}
