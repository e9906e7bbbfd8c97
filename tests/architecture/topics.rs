//! README.md has exactly the topics of `src/wire/topics.rs`.

use std::collections::BTreeSet;

use crate::assert_none;
use crate::drivers::text_of;

const README: &str = "README.md";
const TOPICS: &str = "src/wire/topics.rs";

/// The topics at the beginning of the functions' documentation: "/// `live/…/state`: ...".
fn documented(source: &str) -> BTreeSet<String> {
    let heads = source.lines().filter_map(|line| line.trim().strip_prefix("/// `")?.split_once("`: "));
    heads.map(|(topic, _)| topic.replace('…', "<board>")).collect()
}

/// The topics at the beginning of rows of a table.
fn topics_in_table(readme: &str) -> BTreeSet<String> {
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| `flagfall/1/")?.split_once('`'));
    rows.map(|(topic, _)| topic.to_owned()).collect()
}

fn differences(readme: &str, source: &str) -> Vec<String> {
    let (listed, documented) = (topics_in_table(readme), documented(source));
    let missing = documented.difference(&listed).map(|topic| format!("{README}: no row for | `flagfall/1/{topic}` |"));
    let unknown = listed.difference(&documented).map(|topic| format!("{TOPICS}: no function says /// `{topic}`: ..."));
    missing.chain(unknown).collect()
}

#[test]
fn every_topic_is_in_the_readme() {
    let (readme, source) = (text_of(README).unwrap_or_default(), text_of(TOPICS).unwrap_or_default());
    assert!(documented(source).len() > 10, "{TOPICS} was not understood");
    assert_none(&differences(readme, source));
}

#[test]
fn differing_topics_are_found() {
    let source = "    /// `live/…/state`: a.\n/// `node/<node>/status`: b.\n/// Takes `x`: no.";
    assert!(differences("| `flagfall/1/live/<board>/state` | x |\n| `flagfall/1/node/<node>/status` |", source).is_empty());
    assert_eq!(differences("| `flagfall/1/live/<board>/state` |", source).len(), 1);
    assert_eq!(
        differences("| `flagfall/1/live/<board>/state` |\n| `flagfall/1/a` |\n| `flagfall/1/node/<node>/status` |", source).len(),
        1
    );
}
