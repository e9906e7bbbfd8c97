//! Commands as the network brings them: whose board, which role, not too many.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::message::ToStation;
use super::shared::Face;
use crate::arbiter::{RateLimit, role_of};
use crate::config::{Config, User};
use crate::publish::mqtt::Arrived;
use crate::publish::topics;
use crate::wall;

/// Commands a second that one user may send (`mqtt.md` section 3).
const PER_SECOND: u32 = 5;

/// Passes commands on to the stations.
pub(super) struct Intake {
    root: String,
    event: String,
    round: String,
    users: BTreeMap<String, User>,
    faces: Vec<Arc<Face>>,
    limit: Mutex<RateLimit>,
}

impl Intake {
    /// For these boards of this event and round.
    pub(super) fn new(config: &Config, faces: Vec<Arc<Face>>) -> Intake {
        Intake {
            root: config.mqtt.root.clone(),
            event: config.event.id.clone(),
            round: config.event.round.clone(),
            users: config.user.clone(),
            faces,
            limit: Mutex::new(RateLimit::new(PER_SECOND)),
        }
    }

    /// Takes one command. Never blocks.
    pub(super) fn take(&self, arrived: Arrived) {
        let topic = match topics::parse_command(&self.root, &arrived.topic) {
            Ok(topic) => topic,
            Err(error) => {
                tracing::warn!("a command on a topic that is none: {error}");
                return;
            }
        };
        if (topic.event, topic.round) != (self.event.as_str(), self.round.as_str()) {
            return;
        }
        // Other nodes serve other boards of the round.
        let Some(face) = self.faces.iter().find(|face| face.board == topic.board) else { return };
        let role = role_of(&self.users, topic.user, topic.board);
        let allowed = self.limit.lock().unwrap_or_else(PoisonError::into_inner).allow(topic.user, wall::mono());
        let user = topic.user.to_owned();
        let command = ToStation::Command { arrived: Box::new(arrived), role, too_many: !allowed };
        if !face.inbox.offer(command) {
            // Nobody is left who could answer.
            tracing::error!("board {}: a command of {user} was dropped: its station does not read its inbox", face.board);
        }
    }
}
