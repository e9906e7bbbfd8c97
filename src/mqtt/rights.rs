//! Tries what a user of the broker may read and write. A broker may grant a subscription and then leave out what the user may not read,
//! so only messages that arrive show anything.

use std::collections::BTreeSet;
use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet, PubAckReason};
use rumqttc::v5::{AsyncClient, ConnectionError, Event, EventLoop};

use super::identity::Identity;
use super::retained::{connect, leave, publish};

/// The time limit for the welcome and the acknowledgement of the subscription, and for the acknowledgements of what is published.
const PATIENCE: Duration = Duration::from_secs(12);
/// The time limit for everything that arrives after them.
const BACK: Duration = Duration::from_secs(2);
/// The largest number of different topics that are noted.
const MOST: usize = 1000;

/// What is tried.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// What the user subscribes to.
    pub filters: Vec<String>,
    /// The topics on which the node publishes an empty message that is not retained, one after the other; the user may read the last.
    pub from_node: Vec<String>,
    /// The topics on which the user publishes one; at most three.
    pub from_user: Vec<String>,
}

/// What was possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// The topics of which the user received a message, whoever published it.
    pub received: BTreeSet<String>,
    /// Those of `from_user` that the broker took.
    pub written: Vec<String>,
    /// Whether the node could publish: if not, `received` shows retained messages only.
    pub node_published: bool,
}

/// Logs in as `user` and tries everything. `client` is the name of the connection; that of `node`, if there is one, is derived from it.
///
/// # Errors
/// The reason why there was no welcome for the user; none if the broker was silent.
pub async fn try_rights(
    user: &Identity,
    node: Option<&Identity>,
    client: &str,
    trial: &Trial,
) -> Result<Rights, Option<ConnectionError>> {
    let (requests, mut events) = connect(user, client);
    let mut rights = Rights::default();
    match tokio::time::timeout(PATIENCE, subscribe(&requests, &mut events, trial, &mut rights)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(Some(error)),
        Err(_) => return Err(None),
    }
    if let Some(node) = node {
        let messages: Vec<(String, String)> = trial.from_node.iter().map(|topic| (topic.clone(), String::new())).collect();
        rights.node_published = publish(node, &format!("{client}-node"), &messages, false).await.is_ok();
    }
    for topic in &trial.from_user {
        // The queue of requests has room for a few.
        _ = requests.try_publish(topic.clone(), QoS::AtLeastOnce, false, "");
    }
    let mut answered = 0;
    _ = tokio::time::timeout(PATIENCE, listen(&mut events, trial, &mut rights, &mut answered, true)).await;
    // The end of the time limit is the answer of a broker that leaves out what the user may not read.
    _ = tokio::time::timeout(BACK, listen(&mut events, trial, &mut rights, &mut answered, false)).await;
    leave(&requests, &mut events).await;
    Ok(rights)
}

async fn subscribe(
    requests: &AsyncClient,
    events: &mut EventLoop,
    trial: &Trial,
    rights: &mut Rights,
) -> Result<(), ConnectionError> {
    loop {
        match events.poll().await? {
            Event::Incoming(Packet::ConnAck(_)) => {
                let filters = trial.filters.iter().map(|filter| Filter::new(filter.clone(), QoS::AtLeastOnce));
                // The queue of requests is empty at the beginning.
                _ = requests.try_subscribe_many(filters);
            }
            Event::Incoming(Packet::SubAck(_)) => return Ok(()),
            event => rights.note(event),
        }
    }
}

/// Notes what arrives until everything has come that can, or, with `answers_only`, until the broker has answered for each message of the
/// user, or the broker ends the connection. `answered` counts the answers.
async fn listen(events: &mut EventLoop, trial: &Trial, rights: &mut Rights, answered: &mut usize, answers_only: bool) {
    loop {
        let last = trial.from_node.last();
        let has_come = || rights.node_published && last.is_none_or(|last| rights.received.contains(last));
        if *answered == trial.from_user.len() && (answers_only || has_come()) {
            return;
        }
        match events.poll().await {
            Ok(Event::Incoming(Packet::PubAck(answer))) => {
                let taken = matches!(answer.reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers);
                // Brokers answer in the order of the messages.
                rights.written.extend(trial.from_user.get(*answered).filter(|_| taken).cloned());
                *answered += 1;
            }
            Ok(event) => rights.note(event),
            Err(_) => return,
        }
    }
}

impl Rights {
    fn note(&mut self, event: Event) {
        if let Event::Incoming(Packet::Publish(publish)) = event
            && self.received.len() < MOST
        {
            self.received.insert(String::from_utf8_lossy(&publish.topic).into_owned());
        }
    }
}
