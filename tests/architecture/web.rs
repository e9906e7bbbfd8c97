//! The pages of `src/screens/web`: what their scripts may import and name, and nothing that their policy forbids.

use std::fs;
use std::path::Path;

use crate::assert_none;
use crate::files::{File, ROOT};
use crate::rules::{Excuse, LONG_PAGES};

const FOLDER: &str = "src/screens/web";
/// Files of others, and types that are made from the schemas.
const NOT_OURS: [&str; 2] = ["vendor/", "messages.d.ts"];
/// A longer file has more than one subject.
const LONGEST: usize = 200;
/// What would run or style text that came with a message; the policy of the pages blocks most of it.
const MARKUP: [&str; 8] =
    ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", " style=", "javascript:"];
/// Modules that the tests run without a page.
const NO_DOM: [&str; 5] =
    ["js/staff/model.js", "js/staff/live.js", "js/staff/command.js", "js/staff/underway.js", "js/common/clock.js"];
const DOM: [&str; 7] = ["document", "window", "navigator", "localStorage", "sessionStorage", "querySelector", "HTMLElement"];

/// Every file of the pages that is ours, with its path below [`FOLDER`].
fn all() -> Vec<File> {
    let mut found = Vec::new();
    collect(&Path::new(ROOT).join(FOLDER), "", &mut found);
    found
}

fn collect(folder: &Path, below: &str, found: &mut Vec<File>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let entry = entry.expect("an entry");
        let path = format!("{below}{}", entry.file_name().display());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), found);
        } else if !NOT_OURS.iter().any(|start| path.starts_with(start)) {
            let text = fs::read_to_string(entry.path()).unwrap_or_else(|error| panic!("{path}: {error}"));
            found.push(File { path, text });
        }
    }
}

/// Lines with their numbers, without comments.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !["//", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark)))
}

fn too_long(files: &[File], excused: &[Excuse]) -> Vec<String> {
    let long = |file: &&File| file.text.lines().count() > LONGEST;
    let is_excused = |file: &File| excused.iter().any(|excuse| excuse.file == file.path && !excuse.reason.is_empty());
    let mut problems: Vec<String> = files
        .iter()
        .filter(long)
        .filter(|file| !is_excused(file))
        .map(|file| format!("{FOLDER}/{}: over {LONGEST} lines: split it", file.path))
        .collect();
    let gone = excused.iter().filter(|excuse| !files.iter().filter(long).any(|file| file.path == excuse.file));
    problems.extend(gone.map(|excuse| format!("{}: in LONG_PAGES, but it is not too long", excuse.file)));
    problems
}

/// An attribute such as `onclick="`.
fn has_handler(line: &str) -> bool {
    line.match_indices(" on").any(|(at, _)| {
        let name = line[at + 3..].trim_start_matches(|char: char| char.is_ascii_lowercase());
        name.len() < line.len() - at - 3 && ["=\"", "='", "=$"].iter().any(|mark| name.starts_with(mark))
    })
}

fn markup(file: &File) -> Vec<String> {
    let bad = |line: &str| MARKUP.iter().any(|word| line.contains(word)) || has_handler(line);
    let script = |line: &str| file.path.ends_with(".html") && line.contains("<script") && !line.contains(" src=");
    code(&file.text)
        .filter(|(_, line)| bad(line) || script(line))
        .map(|(number, line)| format!("{FOLDER}/{}:{number}: text of a message could run or style: {}", file.path, line.trim()))
        .collect()
}

/// The modules that a line imports.
fn imported(line: &str) -> impl Iterator<Item = &str> {
    ["from '", "import '", "import('"].into_iter().filter_map(|mark| line.split_once(mark)?.1.split('\'').next())
}

fn imports(file: &File) -> Vec<String> {
    let mut problems = Vec::new();
    for (number, line) in code(&file.text) {
        for name in imported(line) {
            let place = format!("{FOLDER}/{}:{number}: imports {name}", file.path);
            let staff = name.contains("staff/") || (file.path.starts_with("js/common/") && name.contains("air/"));
            if staff && !file.path.starts_with("js/staff/") {
                problems.push(format!("{place}: a page for players loads nothing of the staff's"));
            }
            if name.contains("air/") && file.path.starts_with("js/staff/") {
                problems.push(format!("{place}: only js/common is shared"));
            }
            if name.contains("mqtt") && file.path != "js/common/link.js" {
                problems.push(format!("{place}: only link.js knows the protocol"));
            }
        }
    }
    problems
}

fn touches_dom(file: &File) -> Vec<String> {
    let names = |line: &str| DOM.iter().any(|word| crate::source::has_word(line, word));
    code(&file.text)
        .filter(|(_, line)| NO_DOM.contains(&file.path.as_str()) && names(line))
        .map(|(number, line)| format!("{FOLDER}/{}:{number}: this module runs without a page: {}", file.path, line.trim()))
        .collect()
}

/// Files of the pages for players, which do not even name arbiters.
fn names_arbiters(file: &File) -> Vec<String> {
    let air = ["js/air/", "js/common/", "wall/", "board/", "overlay/", "css/base.css", "css/broadcast.css"];
    let named = air.iter().any(|start| file.path.starts_with(start));
    let lines = (1..).zip(file.text.lines()).filter(|(_, line)| named && line.to_lowercase().contains("arbiter"));
    lines.map(|(number, _)| format!("{FOLDER}/{}:{number}: a page for players names arbiters", file.path)).collect()
}

#[test]
fn the_pages_keep_to_their_rules() {
    let files = all();
    assert!(files.len() > 40, "the pages are found");
    assert!(NO_DOM.iter().all(|path| files.iter().any(|file| file.path == *path)), "the modules without a page are there");
    let mut problems = too_long(&files, LONG_PAGES);
    for check in [markup, imports, touches_dom, names_arbiters] {
        problems.extend(files.iter().flat_map(check));
    }
    assert_none(&problems);
}

#[test]
fn bad_pages_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    for (path, line) in [
        ("js/air/a.js", "one.innerHTML = name;"),
        ("js/staff/a.js", "html`<p onclick=${go}></p>`"),
        ("index.html", "<p style='color: red'>"),
        ("index.html", "<a href=\"javascript:go()\">"),
        ("index.html", "<script>go()</script>"),
        ("js/staff/a.js", "setTimeout(eval(text))"),
    ] {
        assert_eq!(markup(&file(path, line)).len(), 1, "{line}");
    }
    for line in
        ["// innerHTML", "html`<p @click=${go}></p>`", "const onState = \"a\";", "<script src=\"a.js\" type=\"module\"></script>"]
    {
        assert_eq!(markup(&file("index.html", line)), [""; 0], "{line}");
    }
    for (path, line) in [
        ("js/air/a.js", "import { a } from '../staff/a.js';"),
        ("js/common/a.js", "import('../air/a.js')"),
        ("js/staff/a.js", "import { a } from '../air/a.js';"),
        ("js/staff/a.js", "import { connect } from '../../vendor/mqtt.js';"),
    ] {
        assert_eq!(imports(&file(path, line)).len(), 1, "{line}");
    }
    assert_eq!(imports(&file("js/common/link.js", "import { connect } from '../../vendor/mqtt.js';")), [""; 0]);
    assert_eq!(touches_dom(&file(NO_DOM[0], "document.title = '';")).len(), 1);
    assert_eq!(touches_dom(&file("js/staff/a.js", "document.title = '';")), [""; 0]);
    assert_eq!(names_arbiters(&file("js/air/a.js", "// for Arbiters")).len(), 1);
    let long = [file("a.js", &"\n".repeat(LONGEST + 1))];
    let excused = |reason| [Excuse { file: "a.js", reason }];
    assert_eq!(
        (too_long(&long, &[]).len(), too_long(&long, &excused("why")).len(), too_long(&long, &excused("")).len()),
        (1, 0, 1)
    );
    assert_eq!(too_long(&[file("a.js", "")], &excused("why")).len(), 1);
}
