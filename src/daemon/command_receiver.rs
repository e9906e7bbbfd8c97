//! Checks the commands that the network delivers: the board, the role of the sender, and how many there are. A command that is
//! refused here reaches no queue.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use super::message::ToStation;
use super::node::Node;
use super::shared::StationHandle;
use super::submission;
use crate::arbiter::{Code, Fault, MAX_PAYLOAD, NO_ROLE, RateLimit, Stage, role_of};
use crate::config::{Config, Role, User};
use crate::log_limit;
use crate::mqtt::Arrived;
use crate::system_clock::{self, MonotonicTime};
use crate::wire::topics::{self, CommandTopic};

/// The largest number of commands a second from one user (`wire/README.md#3`).
const PER_SECOND: u32 = 5;
/// The shortest time between two answers to refused commands of the same user.
const ANSWER_EVERY: Duration = Duration::from_secs(1);
/// The largest number of commands of users without a role that are recorded for one board in [`STRANGERS_WITHIN`]. Such users
/// must not fill a journal.
const STRANGERS: u32 = 3;
/// The time to which [`STRANGERS`] applies.
const STRANGERS_WITHIN: Duration = Duration::from_secs(60);

/// The users that may send commands. They can be replaced while commands arrive.
pub(super) struct Users(RwLock<BTreeMap<String, User>>);

impl Users {
    pub(super) fn new(users: BTreeMap<String, User>) -> Users {
        Users(RwLock::new(users))
    }

    pub(super) fn replace(&self, users: BTreeMap<String, User>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = users;
    }

    /// The role of a user for this board, and whether the configuration names the user.
    fn role(&self, user: &str, board: &str) -> (Option<Role>, bool) {
        let users = self.0.read().unwrap_or_else(PoisonError::into_inner);
        (role_of(&users, user, board), users.contains_key(user))
    }
}

/// Delivers commands to the stations of this node.
pub(super) struct CommandReceiver {
    root: String,
    event: String,
    round: String,
    users: Arc<Users>,
    handles: Vec<Arc<StationHandle>>,
    gate: Mutex<Gate>,
}

/// Limits how many commands pass.
struct Gate {
    /// By user. All users that the configuration does not name share one entry, so that made-up names use no memory.
    commands: RateLimit,
    /// Answers to refused commands, by user in the same way.
    answers: RateLimit,
    /// By board.
    strangers: RateLimit,
}

/// What happens to a command.
#[derive(Debug, PartialEq, Eq)]
enum Passage {
    /// It goes to its station.
    Admit,
    /// It is refused with this answer.
    Answer(Fault),
    /// It is refused without an answer.
    Drop,
}

impl Gate {
    fn new() -> Gate {
        Gate {
            commands: RateLimit::new(PER_SECOND, Duration::from_secs(1)),
            answers: RateLimit::new(1, ANSWER_EVERY),
            strangers: RateLimit::new(STRANGERS, STRANGERS_WITHIN),
        }
    }

    /// Decides about a command of `length` bytes. `who` is none for a user that the configuration does not name.
    fn check(&mut self, who: Option<&str>, board: &str, role: Option<Role>, length: usize, now: MonotonicTime) -> Passage {
        // No user has an empty name.
        let who = who.unwrap_or_default();
        let fault = if !self.commands.allow(who, now) {
            Fault::new(Code::Busy, "more than five commands a second")
        } else if role.is_none() && (length > MAX_PAYLOAD || !self.strangers.allow(board, now)) {
            Fault::new(Code::Denied, NO_ROLE)
        } else if length > MAX_PAYLOAD {
            Fault::new(Code::Invalid, "the payload is longer than 64 KiB")
        } else {
            return Passage::Admit;
        };
        if self.answers.allow(who, now) { Passage::Answer(fault) } else { Passage::Drop }
    }
}

impl CommandReceiver {
    /// Makes a receiver for these boards of the configured event and round.
    pub(super) fn new(config: &Config, users: Arc<Users>, handles: Vec<Arc<StationHandle>>) -> CommandReceiver {
        CommandReceiver {
            root: config.mqtt.root.clone(),
            event: config.event.id.clone(),
            round: config.event.round.clone(),
            users,
            handles,
            gate: Mutex::new(Gate::new()),
        }
    }

    /// Handles one command. Never blocks.
    pub(super) fn receive(&self, node: &Node, arrived: Arrived) {
        let now = system_clock::monotonic();
        let Ok(topic) = topics::parse_command(&self.root, &arrived.topic) else {
            return log_limit::warn("a command was dropped: its topic is not valid", &arrived.topic);
        };
        if (topic.event, topic.round) != (self.event.as_str(), self.round.as_str()) {
            return;
        }
        // Other boards of the round belong to other nodes.
        let Some(handle) = self.handles.iter().find(|handle| handle.board == topic.board) else { return };
        if handle.is_withheld() {
            // The node that serves the board answers; two answers would contradict each other.
            return log_limit::warn("a command was dropped: another node serves the board", &arrived.topic);
        }
        let (role, is_known) = self.users.role(topic.user, topic.board);
        let who = is_known.then_some(topic.user);
        match self.gate(|gate| gate.check(who, topic.board, role, arrived.payload.len(), now)) {
            Passage::Drop => log_limit::warn("a command was dropped: there are too many", &arrived.topic),
            Passage::Answer(fault) => self.answer(node, &topic, &arrived, role, &fault),
            Passage::Admit => self.pass_on(node, handle, &topic, &arrived, role),
        }
    }

    fn pass_on(&self, node: &Node, handle: &StationHandle, topic: &CommandTopic<'_>, arrived: &Arrived, role: Option<Role>) {
        if handle.inbox.offer(ToStation::Command { at: system_clock::monotonic(), arrived: Box::new(arrived.clone()), role }) {
            return;
        }
        let whose = format_args!("board {}, user {}", handle.board, topic.user);
        log_limit::warn("a command was dropped: the station does not read its inbox", &whose);
        if role.is_some() {
            self.answer(node, topic, arrived, role, &Fault::new(Code::Busy, "the board's station does not keep up"));
        }
    }

    fn answer(&self, node: &Node, topic: &CommandTopic<'_>, arrived: &Arrived, role: Option<Role>, fault: &Fault) {
        let stamp = node.stamp();
        let submission =
            submission::read(&self.root, topic, arrived, role, stamp.anchor.instant_at(system_clock::utc()), &stamp.anchor);
        let reply = submission.answer(Stage::Failed, fault.code, &fault.message, None);
        submission::reply(node.shared(), &self.root, &stamp, &reply);
    }

    fn gate<T>(&self, act: impl FnOnce(&mut Gate) -> T) -> T {
        act(&mut self.gate.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;
