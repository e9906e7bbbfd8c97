//! The part of TOML that the tests read: quoted texts. The files are the project's own; cargo and cargo-deny parse them completely.

use crate::files::ROOT;

/// `deny.toml`.
pub(crate) fn deny_toml() -> String {
    std::fs::read_to_string(format!("{ROOT}/deny.toml")).unwrap_or_else(|error| panic!("deny.toml: {error}"))
}

/// The quoted texts that follow `mark` directly, outside comments.
pub(crate) fn quoted_after(text: &str, mark: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let after = lines.flat_map(|line| line.split(mark).skip(1));
    after.filter_map(|rest| Some(rest.strip_prefix('"')?.split_once('"')?.0.to_string())).collect()
}

/// The quoted texts of the list `key = [...]`.
pub(crate) fn list(text: &str, key: &str) -> Vec<String> {
    body(text, key).split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// The text between the brackets of `key = [...]`, without comments.
pub(crate) fn body(text: &str, key: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let text = format!("\n{}", lines.join("\n"));
    let start = format!("\n{key} = [");
    let rest = text.split_once(&start).unwrap_or_else(|| panic!("no list `{key}`")).1;
    rest.split_once(']').unwrap_or_else(|| panic!("list `{key}` is open")).0.to_string()
}

#[test]
fn quoted_texts_of_toml_are_read() {
    let text = "# allow = [\"no\"]\nb = [\n  # \"no\"\n  \"x\", \"y\",\n]\nc = []\n  { path = \"a::b\" }\n# path = \"no\"";
    assert_eq!(list(text, "b"), ["x", "y"]);
    assert!(list(text, "c").is_empty());
    assert_eq!(quoted_after(text, "path = "), ["a::b"]);
}
