//! Removes what the broker retains of this node's boards and nobody owns any more: alerts and rulings of an earlier journal, and
//! everything of boards that this node serves no more.
//!
//! The retained messages are read at the beginning of a connection. They are judged when the claims of other nodes are known: what
//! belongs to another node is left alone.

use bytes::{Bytes, BytesMut};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Publish};
use serde_json::Value;
use tracing::warn;

use super::Session;
use crate::log_limit;
use crate::mqtt::outbox::{Quality, Retained};
use crate::mqtt::packets;
use crate::mqtt::types::Settings;
use crate::wire::envelope;

/// The largest number of retained messages that are kept until the claims of other nodes are known.
const KEPT: usize = 1024;

/// A message that the broker retains below one of our boards, or of a board that this node served before.
pub(super) struct Found {
    topic: String,
    payload: Bytes,
}

/// The topics to read. Our own messages are not sent back to us.
pub(super) fn filters(settings: &Settings) -> Vec<Filter> {
    let Settings { root, event, round, boards, former, .. } = settings;
    let mut topics = Vec::new();
    for board in boards {
        topics.push(format!("arbiter/{event}/+/{board}/alert/+"));
        topics.push(format!("arbiter/{event}/{round}/{board}/ruling"));
    }
    for board in former {
        topics.push(format!("arbiter/{event}/+/{board}/alert/+"));
        topics.push(format!("arbiter/{event}/+/{board}/ruling"));
        topics.extend(["arbiter", "live", "public"].map(|audience| format!("{audience}/{event}/{round}/{board}/state")));
    }
    let filter = |topic| Filter { nolocal: true, ..Filter::new(format!("{root}/1/{topic}"), QoS::AtLeastOnce) };
    topics.into_iter().map(filter).collect()
}

impl Session {
    /// Asks the broker for the retained messages. It sends them again if it is asked again.
    pub(super) fn request_retained(&mut self, out: &mut BytesMut) {
        let filters = filters(&self.settings);
        let Some(link) = self.link.as_mut().filter(|_| !filters.is_empty()) else { return };
        link.reads_again = false;
        let id = link.ids.next();
        match packets::subscribe(id, filters.clone(), out) {
            Ok(()) => drop(link.ids.subscriptions.insert(id, filters)),
            Err(error) => warn!(%error, "what the broker retains of our boards cannot be read: old alerts stay there"),
        }
    }

    /// Handles a message of one of our boards. Only what was retained before is of interest.
    pub(super) fn handle_retained(&mut self, topic: &str, publish: &Publish) {
        if !publish.retain || publish.payload.is_empty() {
            return;
        }
        let found = Found { topic: topic.to_owned(), payload: publish.payload.clone() };
        if !self.is_open() {
            // Beyond the bound, old messages stay until the next connection.
            if self.found.len() < KEPT {
                self.found.push(found);
            }
            return;
        }
        self.remove_if_stale(&found);
    }

    /// Judges what was found before the claims of other nodes were known.
    pub(super) fn judge_retained(&mut self) {
        for found in std::mem::take(&mut self.found) {
            self.remove_if_stale(&found);
        }
    }

    fn remove_if_stale(&self, Found { topic, payload }: &Found) {
        let Settings { root, node, event, round, boards, .. } = &self.settings;
        let below = topic.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix("/1/"));
        let mut levels = below.unwrap_or_default().splitn(5, '/');
        let mut level = || levels.next().unwrap_or_default();
        let (audience, of_event, of_round, board, leaf) = (level(), level(), level(), level(), level());
        if of_event != event {
            return;
        }
        let (served, present) = (boards.iter().any(|ours| ours == board), of_round == round);
        let ours = || serde_json::from_slice::<Value>(payload).is_ok_and(|message| message["node"] == node.as_str());
        let remove = |payload: String| {
            log_limit::warn("what the broker has retained is out of date", topic);
            let retained = Retained { topic: topic.clone(), payload, quality: Quality::AtLeastOnce, expiry: None };
            self.outbox.publish_once(None, retained);
        };
        match leaf {
            _ if audience == "arbiter" && (leaf == "ruling" || leaf.starts_with("alert/")) => {
                if served && present {
                    (self.hooks.retained)(board, topic);
                } else if ours() {
                    remove(String::new());
                }
            }
            "state" if !served && present && ours() && !self.claims.is_listed(of_round, board) => {
                if let Some(payload) = str::from_utf8(payload).ok().and_then(envelope::withdraw) {
                    remove(payload);
                }
            }
            _ => {}
        }
    }
}
