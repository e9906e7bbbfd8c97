//! Notes which nodes are alive, which boards they serve, and what they collect.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::orphans::Delay;
use crate::wire::node::Presence;
use crate::wire::topics::is_collector;

/// The largest number of nodes that are remembered. One event does not have more.
const NODES: usize = 256;
/// The largest number of boards and rounds of one node that are remembered.
const LISTED: usize = 1024;

/// What nodes said about themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes(BTreeMap<String, Node>);

#[derive(Clone, Debug, Default)]
struct Node {
    boot: u64,
    state: Presence,
    /// The boards that it lists, `<event>/<round>/<board>`; none before it has said so.
    boards: Option<BTreeSet<String>>,
    /// The rounds that it collects, `<event>/<round>`.
    collects: BTreeSet<String>,
    /// The delay of the public that it announced.
    delay: Option<Delay>,
}

impl Nodes {
    /// Notes a status; an empty payload deletes it.
    pub(crate) fn note_status(&mut self, name: &str, payload: &[u8]) {
        let Some(node) = self.node(name) else { return };
        let message = serde_json::from_slice::<Value>(payload).unwrap_or_default();
        let boot = message["boot"].as_u64().unwrap_or_default();
        let state = Presence::of(&message["body"]);
        // A will of an earlier start may come late (`wire/README.md#4`).
        if state == Presence::Away && !payload.is_empty() && boot < node.boot {
            return;
        }
        (node.boot, node.state) = (boot, state);
    }

    /// Notes an info; an empty payload deletes it.
    pub(crate) fn note_info(&mut self, name: &str, payload: &[u8]) {
        let Some(node) = self.node(name) else { return };
        let message = serde_json::from_slice::<Value>(payload).unwrap_or_default();
        let list = |key: &str| {
            let list = message["body"][key].as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(Value::as_str).take(LISTED).map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let number = |key: &str| message["body"][key].as_u64().and_then(|number| u32::try_from(number).ok());
        let delay = number("delay").zip(number("delay_moves"));
        // What waits for its press in public/ only is a move that the public gets when the next one is made, or the game ends.
        let waits = list("until_press") == BTreeSet::from(["public".to_owned()]);
        node.delay = delay.map(|(seconds, plies)| Delay { seconds, plies: plies.max(u32::from(waits)) });
        node.boards = message["body"]["boards"].is_array().then(|| list("boards"));
        // A machine with boards is no collector, whatever it says.
        node.collects = if is_collector(name) { list("collects") } else { BTreeSet::new() };
    }

    fn node(&mut self, name: &str) -> Option<&mut Node> {
        if self.0.len() >= NODES && !self.0.contains_key(name) {
            return None;
        }
        Some(self.0.entry(name.to_owned()).or_default())
    }

    /// Whether a node is alive and serves a board, `<event>/<round>/<board>`.
    pub(crate) fn serves(&self, name: &str, board: &str) -> bool {
        let alive = self.0.get(name).filter(|node| node.state != Presence::Away);
        alive.is_some_and(|node| node.boards.as_ref().is_none_or(|boards| boards.contains(board)))
    }

    /// The delay of the public that a node announced.
    pub(crate) fn delay(&self, name: &str) -> Option<Delay> {
        self.0.get(name)?.delay
    }

    /// Whether a node has said anything.
    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether a node is known to be away.
    pub(crate) fn is_away(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|node| node.state == Presence::Away)
    }

    /// The living nodes but `own` that collect a round of the event.
    pub(crate) fn collectors<'a>(&'a self, event: &'a str, own: &'a str) -> impl Iterator<Item = (&'a str, Presence)> {
        let collects =
            move |node: &Node| node.collects.iter().any(|round| round.split_once('/').is_some_and(|(of, _)| of == event));
        let others = self.0.iter().filter(move |(name, node)| *name != own && node.state != Presence::Away && collects(node));
        others.map(|(name, node)| (name.as_str(), node.state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(state: &str, boot: u64) -> String {
        format!(r#"{{"boot":{boot},"body":{{"state":"{state}"}}}}"#)
    }

    #[test]
    fn a_node_serves_what_it_lists_while_it_is_alive() {
        let mut nodes = Nodes::default();
        assert!(!nodes.serves("a", "e/1/1") && !nodes.is_away("a"));
        nodes.note_status("a", status("ready", 2).as_bytes());
        assert!(nodes.serves("a", "e/1/1"), "it has not said which boards");
        nodes.note_info("a", br#"{"body":{"boards":["e/1/2"]}}"#);
        assert!(nodes.serves("a", "e/1/2") && !nodes.serves("a", "e/1/1"));
        nodes.note_status("a", status("lost", 1).as_bytes());
        assert!(nodes.serves("a", "e/1/2"), "the will of an earlier start");
        nodes.note_status("a", status("lost", 2).as_bytes());
        assert!(!nodes.serves("a", "e/1/2") && nodes.is_away("a"));
    }

    #[test]
    fn hostile_messages_say_nothing() {
        let mut nodes = Nodes::default();
        for payload in ["", "[]", "\u{0}", r#"{"body":7}"#, r#"{"boot":-1,"body":{"state":5,"boards":{},"collects":[1,null]}}"#] {
            nodes.note_status("a", payload.as_bytes());
            nodes.note_info("a", payload.as_bytes());
            assert!(!nodes.serves("a", "e/1/1") && nodes.collectors("e", "b").count() == 0, "{payload}");
        }
        for number in 0..2 * NODES {
            nodes.note_status(&number.to_string(), b"");
        }
        assert_eq!(nodes.0.len(), NODES);
    }
}
