//! Separates the code of a Rust file from its comments and from the contents of its string literals. It knows no other grammar.

/// A file without comments and contents of string literals, with every other character in its place; and the lines with an explanation
/// (a comment `//` or `/* */`, not documentation).
pub(crate) struct Split {
    pub(crate) code: String,
    pub(crate) commented: Vec<usize>,
}

enum State {
    Code,
    Line,
    Block(usize),
    Text { hashes: usize, raw: bool },
}

/// Splits `text`. Lines in `commented` count from 0.
pub(crate) fn split(text: &str) -> Split {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut code, mut commented) = (String::with_capacity(text.len()), Vec::new());
    let (mut state, mut line, mut i) = (State::Code, 0, 0);
    while i < chars.len() {
        // The number of characters that this step reads, and whether they are code.
        let (taken, is_code) = match state {
            State::Code => match (at(i), at(i + 1)) {
                ('/', '/') => {
                    let documents = at(i + 2) == '!' || (at(i + 2) == '/' && at(i + 3) != '/');
                    if !documents {
                        commented.push(line);
                    }
                    state = State::Line;
                    (2, false)
                }
                ('/', '*') => {
                    if !matches!(at(i + 2), '!' | '*') {
                        commented.push(line);
                    }
                    state = State::Block(1);
                    (2, false)
                }
                ('"', _) => {
                    let hashes = chars[..i].iter().rev().take_while(|&&c| c == '#').count();
                    let raw = i > hashes && chars[i - hashes - 1] == 'r';
                    state = State::Text { hashes: if raw { hashes } else { 0 }, raw };
                    (1, true)
                }
                ('\'', '\\') => (3 + chars[(i + 3).min(chars.len())..].iter().take_while(|&&c| c != '\'').count() + 1, false),
                ('\'', _) if at(i + 2) == '\'' => (3, false),
                _ => (1, true),
            },
            State::Line => {
                if at(i) == '\n' {
                    state = State::Code;
                }
                (1, false)
            }
            State::Block(depth) => match (at(i), at(i + 1)) {
                ('*', '/') => {
                    state = if depth == 1 { State::Code } else { State::Block(depth - 1) };
                    (2, false)
                }
                ('/', '*') => {
                    state = State::Block(depth + 1);
                    (2, false)
                }
                _ => (1, false),
            },
            State::Text { hashes, raw } => match at(i) {
                '\\' if !raw => (2, false),
                '"' if (1..=hashes).all(|n| at(i + n) == '#') => {
                    state = State::Code;
                    (1 + hashes, true)
                }
                _ => (1, false),
            },
        };
        for &c in &chars[i..(i + taken).min(chars.len())] {
            line += usize::from(c == '\n');
            code.push(if is_code || c == '\n' { c } else { ' ' });
        }
        i += taken;
    }
    Split { code, commented }
}

#[test]
fn comments_and_texts_are_removed() {
    for (text, code) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("f(\"x // y\") // z", "f(\"      \")     "),
        ("f(\"\\\"x\")y", "f(\"   \")y"),
        ("r\"\\\" z", "r\" \" z"),
        ("r#\"a\"b\"# z", "r#\"   \"# z"),
        ("'\"' x '\\'' y '\\u{41}' z", "    x      y          z"),
        ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ("\"a\nb\" c", "\" \n \" c"),
        ("\"open", "\"    "),
    ] {
        assert_eq!(split(text).code, code, "{text}");
    }
}

#[test]
fn explanations_differ_from_documentation() {
    assert_eq!(split("//! head\n/// doc\n// why\nx /* why */\n//// rule\n\"//\"").commented, [2, 3, 4]);
}
