//! Reads a command that reached its station, decides about it, makes its record, and publishes the answer.

use flagfall_protocols::bytes;
use flagfall_protocols::time::Instant;

use super::output_router::OutputRouter;
use super::shared::Shared;
use crate::arbiter::{self, Recorded, Reply, Setup, Submission};
use crate::config::Role;
use crate::mqtt::Arrived;
use crate::mqtt::outbox::Ephemeral;
use crate::session::station::Station;
use crate::wire::envelope::{self, Stamp};
use crate::wire::time::Anchor;
use crate::wire::topics::{self, CommandTopic};

/// The largest number of bytes of correlation data (by which an MQTT client recognises the answer) that are kept.
const MAX_CORRELATION: usize = 256;
/// The time for which the broker keeps an answer (`wire/README.md#3`).
const REPLY_EXPIRY: std::time::Duration = std::time::Duration::from_secs(60);

/// Decides about a command that arrived at `at`. The result is recorded, whatever it is. Returns none if the topic is not a
/// command's; the command receiver has counted that already.
pub(super) fn judge(
    arrived: &Arrived,
    role: Option<Role>,
    at: Instant,
    router: &OutputRouter,
    station: &Station,
    setup: &Setup,
) -> Option<Recorded> {
    let root = &station.messages().board().root;
    let topic = topics::parse_command(root, &arrived.topic).ok()?;
    Some(station.admit(read(root, &topic, arrived, role, at, router.anchor()), setup))
}

/// Reads a command, with the topic and the correlation data that MQTT gives for its answer.
pub(super) fn read(
    root: &str,
    topic: &CommandTopic<'_>,
    arrived: &Arrived,
    role: Option<Role>,
    at: Instant,
    anchor: &Anchor,
) -> Submission {
    let mut submission = arbiter::read(root, topic, &arrived.payload, role, at, anchor);
    if let Some(response) = arrived.response_topic.as_ref().filter(|response| topics::may_reply(root, topic.user, response)) {
        submission.reply.topic = Some(response.clone());
    }
    if let Some(correlation) = &arrived.correlation {
        submission.reply.correlation = Some(bytes::hex(&correlation[..correlation.len().min(MAX_CORRELATION)]));
    }
    submission
}

/// Publishes the answer to a command on the topic that its sender named.
pub(super) fn reply(shared: &Shared, root: &str, stamp: &Stamp, reply: &Reply) {
    let at = stamp.anchor.instant_at(crate::system_clock::utc());
    let payload = envelope::make_message("cmd.reply", Some(&reply.id), stamp, Some(at), reply);
    let topic = reply.to.topic.clone().unwrap_or_else(|| topics::reply(root, &reply.actor, "all"));
    let correlation = reply.to.correlation.as_deref().and_then(bytes::unhex);
    shared.outbox.publish_ephemeral(Ephemeral { topic, payload, correlation, expiry: REPLY_EXPIRY });
}
