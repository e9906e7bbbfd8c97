//! A command that reached its station: read, admitted, and what is to be recorded of it. And how it is answered.

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

/// Correlation data beyond this many bytes is cut off: nobody needs more to know an answer by.
const MAX_CORRELATION: usize = 256;
/// Nobody waits for an answer longer than this (`wire/README.md#3`).
const REPLY_EXPIRY: std::time::Duration = std::time::Duration::from_secs(60);

/// Judges a command that arrived at `at`; to be recorded, whatever was decided. None if its topic is no command's, which the
/// intake has told already.
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

/// Reads a command with what MQTT says of its answer.
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
        submission.reply.correlation = Some(correlation.iter().take(MAX_CORRELATION).map(|byte| format!("{byte:02x}")).collect());
    }
    submission
}

/// Answers a command where its sender wanted the answer.
pub(super) fn reply(shared: &Shared, root: &str, stamp: &Stamp, reply: &Reply) {
    let at = stamp.anchor.at(crate::system_clock::utc());
    let payload = envelope::message("cmd.reply", Some(&reply.id), stamp, Some(at), reply);
    let topic = reply.to.topic.clone().unwrap_or_else(|| topics::reply(root, &reply.actor, "all"));
    let correlation = reply.to.correlation.as_deref().and_then(unhex);
    shared.outbox.publish_ephemeral(Ephemeral { topic, payload, correlation, expiry: REPLY_EXPIRY });
}

/// Bytes of lower-case hex; none if it is none.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    if digits.len().is_multiple_of(2) { pairs.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::unhex;

    #[test]
    fn hex_reads_back() {
        assert_eq!(unhex("00ff7a"), Some(vec![0, 255, 0x7a]));
        assert_eq!((unhex("0"), unhex("zz"), unhex("")), (None, None, Some(Vec::new())));
    }
}
