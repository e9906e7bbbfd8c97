//! Decides whether the command of a user is carried out or refused.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocols::event::same_serial;
use serde_json::Value;

use super::explain::explain_body;
use super::memory::Memory;
use super::types::{Action, Fault, Submission, Verdict};
use super::verbs::{self, By, Lock, Until, Verb};
use crate::config::{Role, User};
use crate::wire::command::{Command, DaemonAction};
use crate::wire::finding::FindingKey;
use crate::wire::reply::Code;
use crate::wire::topics::{is_id, serial_of_device};

/// The largest age of a command. A command that is known to be older is refused.
pub const MAX_AGE: Duration = Duration::from_secs(10);
/// The message in the answer to a user without a role. Such a user gets no other message.
pub const NO_ROLE: &str = "this user may send no commands here";
/// The largest length of a text that names a device, in bytes.
const MAX_DEVICE: usize = 200;

/// The facts about a board that decide whether a command is admitted.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The game, as `expect.game` names it.
    pub game: String,
    /// The game that the live audience still sees while another one is on the board, with its number. Its result can be entered.
    pub earlier: Option<(String, u32)>,
    /// The number of the game.
    pub game_no: u32,
    /// The revision of the arbiters' state.
    pub rev: u32,
    /// Moves are being played.
    pub playing: bool,
    /// A flag has fallen in this game.
    pub flag_fell: bool,
    /// A flag fell before the end of the game, and no result is known.
    pub awaits_ruling: bool,
    /// The findings of the game, each in its last revision. The one that decides is first. Then the earlier revisions since which
    /// only the line to a mate has changed.
    pub findings: Vec<FindingKey>,
    /// Who decided what since the sender saw the game, in words; none if nobody did.
    pub decided_since: Option<String>,
    /// What the node's configuration says about devices.
    pub setup: &'a Setup,
    /// The earlier commands.
    pub memory: &'a Memory,
}

/// What a node's configuration says about devices. A board must not be bound to something that is no device, or to another
/// board's device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The configuration's checksum.
    pub configuration: String,
    /// The name of the board's driver.
    pub family: String,
    /// The board.
    pub board: String,
    /// The devices of all boards, this one too.
    pub configured: Arc<[Configured]>,
}

/// What the configuration says about the devices of one board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// The board.
    pub board: String,
    /// The serial number of its device.
    pub serial: Option<String>,
    /// Where its device is found: a port, a Bluetooth address or name.
    pub ports: Vec<String>,
    /// Where its separate clock is found.
    pub clock: Option<String>,
}

impl Setup {
    fn others(&self) -> impl Iterator<Item = &Configured> {
        self.configured.iter().filter(|configured| configured.board != self.board)
    }

    /// Serial numbers that other boards are configured with.
    fn serials(&self) -> impl Iterator<Item = &str> {
        self.others().filter_map(|other| other.serial.as_deref())
    }

    /// Ports of other boards and of all clocks.
    pub fn ports(&self) -> impl Iterator<Item = &str> {
        let own = self.configured.iter().filter(|configured| configured.board == self.board);
        let others = self.others().flat_map(|other| other.ports.iter().chain(&other.clock));
        others.chain(own.flat_map(|own| &own.clock)).map(String::as_str)
    }

    /// The serial number in a device's id.
    pub fn serial_of<'a>(&self, device: &'a str) -> Option<&'a str> {
        serial_of_device(device, &self.family)
    }
}

/// The role of a user on a board; none for a user who is not known, or not for this board.
pub fn role_of(users: &BTreeMap<String, User>, user: &str, board: &str) -> Option<Role> {
    let User { role, boards } = users.get(user)?;
    let theirs = *role == Role::Chief || boards.is_empty() || boards.iter().any(|own| own == board);
    theirs.then_some(*role)
}

/// Decides about a command that arrived.
pub fn admit(submission: &Submission, facts: &Facts<'_>) -> Verdict {
    if submission.role.is_none() {
        return Verdict::Refused(Fault::new(Code::Denied, NO_ROLE));
    }
    match facts.memory.find(submission) {
        Some(true) => return Verdict::Again,
        Some(false) => return Verdict::Refused(Fault::new(Code::Invalid, "this id was another command's")),
        None => {}
    }
    match find_action(submission, facts) {
        Ok(action) => Verdict::Admitted(action),
        Err(fault) => Verdict::Refused(fault),
    }
}

fn find_action(submission: &Submission, facts: &Facts<'_>) -> Result<Action, Fault> {
    let refuse = |code, message: &str| Err(Fault::new(code, message));
    let Some(role) = submission.role else { return refuse(Code::Denied, NO_ROLE) };
    let verb = verbs::find(&submission.verb);
    if let Some(verb) = verb {
        check_role(role, verb, facts)?;
    }
    if let Some(fault) = &submission.fault {
        return Err(fault.clone());
    }
    let Some(verb) = verb else { return refuse(Code::Unsupported, "there is no such command") };
    if submission.age_ms.is_some_and(|age| Duration::from_millis(age) > MAX_AGE) {
        return refuse(Code::Expired, "it was sent more than ten seconds ago");
    }
    check_lock(submission, verb, facts)?;
    match verb.by {
        By::Game => game_command(submission, facts),
        By::Daemon => daemon_action(submission, facts.setup),
    }
}

fn check_role(role: Role, verb: &Verb, facts: &Facts<'_>) -> Result<(), Fault> {
    let (enough, why) = match (role, verb.role, verb.until) {
        (Role::Operator, Role::Operator, Until::Playing) => (!facts.playing && !facts.awaits_ruling, "an arbiter is needed"),
        (Role::Operator, Role::Operator, Until::FlagFell) => (!facts.flag_fell, "an arbiter is needed"),
        (Role::Organiser, least, _) => (least == Role::Organiser, "an arbiter is needed"),
        (Role::Operator, least, _) => (least == Role::Operator, "an arbiter is needed"),
        (Role::Arbiter, least, _) => (least != Role::Chief, "a chief arbiter is needed"),
        (Role::Chief, ..) => (true, ""),
    };
    if enough { Ok(()) } else { Err(Fault::new(Code::Denied, why)) }
}

fn check_lock(submission: &Submission, verb: &Verb, facts: &Facts<'_>) -> Result<(), Fault> {
    let expect = &submission.expect;
    let missing = match verbs::required_lock(verb, &submission.body) {
        Lock::None => None,
        Lock::Game => expect.game.is_none().then_some("expect.game is needed"),
        Lock::Rev => (expect.game.is_none() || expect.rev.is_none()).then_some("expect.game and expect.rev are needed"),
        Lock::Finding => {
            (expect.game.is_none() || expect.finding.is_none()).then_some("expect.game and expect.finding are needed")
        }
    };
    if let Some(missing) = missing {
        return Err(Fault::new(Code::Invalid, missing));
    }
    // A value that was sent must be right, needed or not.
    let is_game = |game: &String| *game == facts.game || verb.name == "enter-result" && is_earlier(game, facts);
    let right = expect.game.as_ref().is_none_or(is_game) && expect.rev.is_none_or(|rev| rev == facts.rev);
    if !right {
        return Err(stale(submission, facts, &format!("the game is {}, its revision {}", facts.game, facts.rev)));
    }
    // A user who may not decide does not learn which finding there is.
    match expect.finding.filter(|key| verb.lock == Lock::Finding && !facts.findings.contains(key)) {
        Some(key) => Err(stale(submission, facts, &describe_finding(current_finding(key, &facts.findings)))),
        None => Ok(()),
    }
}

fn is_earlier(game: &String, facts: &Facts<'_>) -> bool {
    facts.earlier.as_ref().is_some_and(|(earlier, _)| earlier == game)
}

/// The answer to a lock that is out of date: who decided what meanwhile, and what is `present`. An operator does not learn of
/// decisions.
fn stale(submission: &Submission, facts: &Facts<'_>, present: &str) -> Fault {
    match &facts.decided_since {
        Some(decided) if submission.role != Some(Role::Operator) => Fault::new(Code::Stale, &format!("{decided}; {present}")),
        _ => Fault::new(Code::Stale, present),
    }
}

/// The current state of a finding: its last revision, or the finding that decides now.
pub fn current_finding(key: FindingKey, findings: &[FindingKey]) -> Option<FindingKey> {
    findings.iter().find(|other| other.id == key.id).or(findings.first()).copied()
}

fn describe_finding(finding: Option<FindingKey>) -> String {
    match finding {
        Some(FindingKey { id, revision }) => format!("the finding is {id}, its revision {revision}"),
        None => "there is no finding".to_owned(),
    }
}

/// The body with the verb in it, as the enums need it.
fn with_verb(submission: &Submission) -> Result<serde_json::Map<String, Value>, Fault> {
    let Value::Object(body) = &submission.body else { return Err(Fault::new(Code::Invalid, "the body is not an object")) };
    let mut body = body.clone();
    match body.insert("verb".to_owned(), Value::from(submission.verb.as_str())) {
        None => Ok(body),
        Some(_) => Err(Fault::new(Code::Invalid, "the body must not contain verb, because it stands in the topic")),
    }
}

fn game_command(submission: &Submission, facts: &Facts<'_>) -> Result<Action, Fault> {
    let mut body = with_verb(submission)?;
    let beside = |field| Err(Fault::new(Code::Invalid, &format!("{field} must stand beside the body, not in it")));
    match submission.verb.as_str() {
        "claim" if body.contains_key("observed_at") => return beside("observed_at"),
        "claim" if body.contains_key("ground") => {
            body.insert("verb".to_owned(), Value::from("claim-on"));
        }
        "claim" if !body.contains_key("flag") => {
            return Err(Fault::new(Code::Invalid, "the body needs flag, or side, ground and standing"));
        }
        "claim" => {
            if let Some(observed) = submission.observed_us {
                body.insert("observed_at".to_owned(), Value::from(observed));
            }
        }
        "enter-result" if body.contains_key("game_no") || body.contains_key("by_organiser") => return beside("expect.game"),
        "enter-result" => {
            let earlier = facts.earlier.as_ref().filter(|(name, _)| submission.expect.game.as_ref() == Some(name));
            let number = earlier.map_or(facts.game_no, |(_, number)| *number);
            body.insert("game_no".to_owned(), Value::from(number));
            body.insert("by_organiser".to_owned(), Value::from(submission.role == Some(Role::Organiser)));
        }
        "confirm" | "reject" if body.contains_key("finding") => return beside("expect.finding"),
        "confirm" | "reject" => {
            if submission.verb == "reject" && submission.reason.as_deref().is_none_or(|reason| reason.trim().is_empty()) {
                return Err(Fault::new(Code::Invalid, "a rejection needs a reason"));
            }
            if let Some(FindingKey { id, revision }) = submission.expect.finding {
                body.insert("finding".to_owned(), serde_json::json!({"id": id, "revision": revision}));
            }
        }
        _ => {}
    }
    let malformed = |_| Fault::new(Code::Invalid, &explain_body::<Command>(&body));
    serde_json::from_value(Value::Object(body.clone())).map(Action::Game).map_err(malformed)
}

fn daemon_action(submission: &Submission, setup: &Setup) -> Result<Action, Fault> {
    let body = with_verb(submission)?;
    let malformed = |_| Fault::new(Code::Invalid, &explain_body::<DaemonAction>(&body));
    let action = serde_json::from_value(Value::Object(body.clone())).map_err(malformed)?;
    let problem = match &action {
        DaemonAction::BindDevice { device, serial, port } => {
            let named: Vec<&String> = [device, serial, port].into_iter().flatten().collect();
            let is_valid = |text: &str| (1..=MAX_DEVICE).contains(&text.len()) && !text.chars().any(char::is_control);
            match named.as_slice() {
                [name] if is_valid(name) && device.as_ref().is_none_or(|id| is_id(id)) => why_unavailable(setup, &action),
                [_] => Some("this does not name a device"),
                _ => Some("the body needs exactly one of device, serial and port"),
            }
        }
        DaemonAction::Resync { from: 0, .. } => Some("from must be at least 1, because numbers begin with 1"),
        DaemonAction::Resync { .. } | DaemonAction::SetRoundGame { .. } => None,
    };
    problem.map_or(Ok(Action::Daemon(action)), |problem| Err(Fault::new(Code::Invalid, problem)))
}

/// Why this device cannot be bound.
fn why_unavailable(setup: &Setup, action: &DaemonAction) -> Option<&'static str> {
    let DaemonAction::BindDevice { device, serial, port } = action else { return None };
    let serial = match device.as_deref().map(|id| setup.serial_of(id)) {
        Some(None) => return Some("this id contains no serial number: send serial or port"),
        named => named.flatten().or(serial.as_deref()),
    };
    let serial_taken = serial.is_some_and(|serial| setup.serials().any(|theirs| same_serial(theirs, serial)));
    let port_taken = port.as_ref().is_some_and(|port| setup.ports().any(|theirs| port_key(theirs) == port_key(port)));
    (serial_taken || port_taken).then_some("this is another board's device")
}

/// A text that identifies a port. Addresses and names of Bluetooth devices are compared in small letters, addresses also without
/// colons.
fn port_key(port: &str) -> String {
    if port.contains('/') {
        return port.to_owned();
    }
    let digits = port.replace(':', "");
    let is_address = digits.len() == 12 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_address { digits } else { port.to_owned() }.to_ascii_lowercase()
}
