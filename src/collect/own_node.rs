//! Publishes what the collector says about itself: it is a node of its own (`wire/README.md#4`).

use std::collections::BTreeMap;
use std::io;

use flagfall_protocols::time::Instant;

use super::intake::Link;
use crate::health;
use crate::mqtt::packets;
use crate::random;
use crate::system_clock::{self, monotonic};
use crate::wire::envelope::{self, Stamp};
use crate::wire::node::{NodeInfo, NodeState, NodeStatus};
use crate::wire::output::OutputStatus;
use crate::wire::time::Anchor;
use crate::wire::topics;

/// The node of a collector.
pub(crate) struct OwnNode {
    root: String,
    name: String,
    boot: u64,
    /// The random value of this start.
    run: String,
    /// What is published last on each topic of ours.
    retained: BTreeMap<String, Retained>,
    state: NodeState,
}

/// A message that the broker keeps.
struct Retained {
    /// The time in a header differs each time, so the body alone tells whether something is new.
    body: String,
    payload: String,
    /// The broker was given it on this connection.
    given: bool,
}

impl OwnNode {
    /// `boot` is how often it was started.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub(crate) fn new(root: &str, name: &str, boot: u64) -> io::Result<OwnNode> {
        Ok(OwnNode {
            root: root.to_owned(),
            name: name.to_owned(),
            boot,
            run: random::hex(random::UNGUESSABLE)?,
            retained: BTreeMap::new(),
            state: NodeState::Lost,
        })
    }

    /// Topic and payload of the will.
    pub(crate) fn will(&self) -> (String, String) {
        (topics::node_status(&self.root, &self.name), self.message("node.status", false, &self.status(NodeState::Lost)))
    }

    /// A connection began: everything is published again.
    pub(crate) fn connected(&mut self) {
        self.retained.values_mut().for_each(|retained| retained.given = false);
        self.set_state(NodeState::Init);
    }

    /// Where the collector is in its life.
    pub(crate) fn state(&self) -> NodeState {
        self.state
    }

    /// Changes the status.
    pub(crate) fn set_state(&mut self, state: NodeState) {
        self.state = state;
        self.keep(topics::node_status(&self.root, &self.name), "node.status", &self.status(state));
    }

    fn status(&self, state: NodeState) -> NodeStatus {
        NodeStatus { state, run: Some(self.run.clone()) }
    }

    /// Changes the info; `collects` is the round that it sends, `<event>/<round>`, and `problems` is what people should know.
    pub(crate) fn set_info(&mut self, collects: Option<String>, problems: Vec<String>) {
        let info = NodeInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            capabilities: vec!["collect".to_owned()],
            collects: collects.into_iter().collect(),
            problems,
            ..NodeInfo::default()
        };
        self.keep(topics::node_info(&self.root, &self.name), "node.info", &info);
    }

    /// Changes the status of an output.
    pub(crate) fn set_output(&mut self, output: &str, status: &OutputStatus) {
        self.keep(topics::output_status(&self.root, &self.name, output), "node.output", status);
    }

    /// Deletes the status of an output.
    pub(crate) fn delete_output(&mut self, output: &str) {
        let deleted = Retained { body: String::new(), payload: String::new(), given: false };
        self.retained.insert(topics::output_status(&self.root, &self.name, output), deleted);
    }

    /// Keeps a message for the broker if its body differs from the one before.
    fn keep(&mut self, topic: String, kind: &str, body: &impl serde::Serialize) {
        // The structs have numbers, texts and lists only, which JSON can represent.
        let text = serde_json::to_string(body).unwrap_or_default();
        if self.retained.get(&topic).is_none_or(|before| before.body != text) {
            let payload = self.message(kind, true, body);
            self.retained.insert(topic, Retained { body: text, payload, given: false });
        }
    }

    /// Gives the broker what it has not got. Until everything that is retained there has been read (`all` is false), that is the status
    /// only.
    pub(crate) fn give(&mut self, link: &Link, all: bool) {
        let status = topics::node_status(&self.root, &self.name);
        for (topic, retained) in self.retained.iter_mut().filter(|(_, retained)| !retained.given) {
            if all || *topic == status {
                retained.given = link.retain(topic, packets::JSON, retained.payload.clone());
            }
        }
    }

    /// A message of this node; a will has no time.
    fn message(&self, kind: &str, with_time: bool, body: &impl serde::Serialize) -> String {
        let clock = health::clock_now();
        let at = Instant(monotonic().0);
        let anchor = Anchor { at, utc: system_clock::utc(), sync: clock.source, err_ms: clock.err_ms };
        let stamp = Stamp { node: self.name.clone(), boot: self.boot, anchor };
        envelope::make_message(kind, None, &stamp, with_time.then_some(at), body)
    }
}
