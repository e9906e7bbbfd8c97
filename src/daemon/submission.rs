//! A command that reached its station: read, admitted, and what is to be recorded of it.

use flagfall_protocols::time::Instant;

use super::outlet::Outlet;
use crate::arbiter::{self, Code, Fault, Reply, Stage};
use crate::config::Role;
use crate::publish::mqtt::Arrived;
use crate::publish::topics;
use crate::station::Station;

/// What is to be done with a command.
pub(super) enum Judged {
    /// Record this `cmd`, whatever was decided.
    Record(String),
    /// Answer, and leave no trace: a sender who sends too many must not fill the journal.
    Reply(Box<Reply>),
}

/// Judges a command that arrived at `at`; none if its topic is no command's, which the intake has told already.
pub(super) fn judge(
    arrived: &Arrived,
    role: Option<Role>,
    too_many: bool,
    at: Instant,
    outlet: &Outlet,
    station: &Station,
) -> Option<Judged> {
    let root = &station.messages().board().root;
    let topic = topics::parse_command(root, &arrived.topic).ok()?;
    let mut submission = arbiter::read(root, &topic, &arrived.payload, role, at, outlet.anchor());
    if let Some(response) = arrived.response_topic.as_ref().filter(|response| topics::may_reply(root, topic.user, response)) {
        submission.reply.topic = Some(response.clone());
    }
    if let Some(correlation) = &arrived.correlation {
        submission.reply.correlation = Some(correlation.iter().take(MAX_CORRELATION).map(|byte| format!("{byte:02x}")).collect());
    }
    let recorded = station.admit(submission);
    if too_many {
        let fault = Fault::new(Code::Busy, "more than five commands a second");
        return Some(Judged::Reply(Box::new(station.answer_to(&recorded.submission, Stage::Failed, &fault))));
    }
    Some(Judged::Record(recorded.to_json()))
}

/// Correlation data beyond this many bytes is cut off: nobody needs more to know an answer by.
const MAX_CORRELATION: usize = 256;
