//! Publishes the alarms that the daemon raises about itself: a board is given up, a journal cannot be written, the broker does not
//! take a message, a second daemon uses the name of this node. They are in no journal and are made from the state of the daemon, so
//! they work when nothing else of a board does.

use std::collections::BTreeMap;

use flagfall_protocols::time::Instant;

use super::node::Node;
use super::shared::{Condition, StationHandle};
use crate::mqtt::outbox::{Quality, Retained};
use crate::publish::Messages;
use crate::system_clock;
use crate::wire::alarm::ProgramAlarm;
use crate::wire::envelope;
use crate::wire::topics::Board;

/// The alerts of all boards.
#[derive(Default)]
pub(super) struct Alerts {
    /// What was published last, by the board's topic and the alarm; none = a deletion.
    published: BTreeMap<(String, ProgramAlarm), Option<Published>>,
}

#[derive(Clone, Debug)]
struct Published {
    sentence: String,
    opened: Instant,
}

impl Alerts {
    /// Publishes what has changed on a board since the last call.
    pub(super) fn update(&mut self, node: &Node, board: &Board, handle: &StationHandle) {
        for alarm in ProgramAlarm::ALL {
            let sentence = sentence(alarm, node, handle);
            let key = (board.board.clone(), alarm);
            let before = self.published.get(&key);
            let said = |before: &Option<Published>| before.as_ref().map(|before| before.sentence.clone());
            // While a board is opened, it deletes the alerts of an earlier run.
            if before.and_then(said) == sentence || handle.condition() == Condition::Opening {
                continue;
            }
            let stamp = handle.stamp().map_or_else(|| node.stamp(), |stamp| (*stamp).clone());
            let now = stamp.anchor.instant_at(system_clock::utc());
            let opened = before.and_then(Option::as_ref).map_or(now, |before| before.opened);
            let body = sentence.clone().map(|sentence| alarm.body(opened, sentence));
            let mut made = Vec::new();
            // The name of the journal is for numbered messages.
            Messages::new(board.clone(), "").add_program_alert(opened, handle.game(), (alarm, body.as_ref()), &mut made);
            for message in made {
                let payload = envelope::add_stamp(&message.payload, &stamp);
                retain(node, handle, Retained { topic: message.topic, payload, quality: Quality::AtLeastOnce, expiry: None });
            }
            self.published.insert(key, sentence.map(|sentence| Published { sentence, opened }));
        }
    }
}

fn retain(node: &Node, handle: &StationHandle, retained: Retained) {
    let outbox = &node.shared().outbox;
    match handle.number() {
        Some(number) => outbox.publish_board_state(number, retained),
        // A board that was never served has no number in the outbox.
        None if handle.is_withheld() => {}
        None => outbox.publish_retained(retained),
    }
}

/// What is wrong and what to do; none if nothing is wrong.
fn sentence(alarm: ProgramAlarm, node: &Node, handle: &StationHandle) -> Option<String> {
    match alarm {
        ProgramAlarm::BoardFailed => (handle.condition() == Condition::Parked).then(|| {
            "The program failed twice at this board and gives it up. Its bytes are still recorded. Write the score by hand, and \
             restart the program when the round allows it."
                .to_owned()
        }),
        ProgramAlarm::NotRecorded => handle.journal_problem().map(|problem| {
            format!(
                "Nothing of this board is recorded any more: {problem}. Make room on the disk, or repair it. What is published \
                 goes on, but a restart of the program would lose it."
            )
        }),
        ProgramAlarm::PublishRefused => node.refusal(&handle.board).map(|(topic, cause)| {
            format!(
                "The broker does not take every message of this board: {topic}: {cause}. Raise the limit of the broker, or give this \
                 node the right to write the topic."
            )
        }),
        ProgramAlarm::NameTaken => node.is_name_taken().then(|| {
            format!(
                "A second daemon publishes under the name {}. Give each daemon its own node.name and restart one of them.",
                node.shared().node
            )
        }),
    }
}
