//! `flagfall schema` prints the schemas of the files.

use std::process::{Command, Output};

use flagfall::publish::schema;

fn flagfall(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flagfall")).arg("schema").args(words).output().expect("it runs")
}

#[test]
fn all_are_listed_and_each_is_shown() {
    let listed = flagfall(&[]);
    assert!(listed.status.success());
    let text = String::from_utf8(listed.stdout).expect("a text");
    let expected: Vec<&str> = schema::names().chain([schema::ASYNCAPI]).collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    for name in ["board.state.live", "cmd.claim", schema::ASYNCAPI] {
        let shown = flagfall(&[name]);
        assert!(shown.status.success());
        assert_eq!(Some(shown.stdout), schema::file_text(name).map(String::into_bytes), "{name}");
    }
}

#[test]
fn an_unknown_name_is_refused() {
    let shown = flagfall(&["board.stat"]);
    assert_eq!((shown.status.code(), shown.stdout.len()), (Some(1), 0));
    let problem = String::from_utf8(shown.stderr).expect("a text");
    assert!(problem.contains("`board.stat`") && problem.contains("lists all"), "{problem}");
}
