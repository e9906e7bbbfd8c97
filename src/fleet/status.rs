//! Compares what the machines publish with the event's file: which machine is missing, which board is offline, whose clock is wrong.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::rights::COUNTERS;
use crate::config::{Config, FleetRole};
use crate::system_clock::Utc;
use crate::wire::topics;

/// Free disk space for journals below which a machine is red, MiB.
const LITTLE: u64 = 256;
/// How old a health may be at most: it expires after two minutes at the broker. Seconds.
const OLDEST: i64 = 150;
/// The largest number of boards in a sentence.
const NAMED: usize = 8;
/// How far ahead of ours a clock may be, seconds.
const AHEAD: i64 = 10;

/// The state of the hall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether everything is as the event's file says.
    pub ok: bool,
    /// The machines, in the order of their names.
    pub nodes: Vec<Node>,
    /// The broker.
    pub broker: Broker,
    /// Machines that publish but are not in the event's file.
    pub strangers: Vec<String>,
}

/// One machine of the event's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its name.
    pub node: String,
    /// Its last status; none if it was never there.
    pub state: Option<String>,
    /// The version of its program.
    pub version: Option<String>,
    /// The ids of its boards.
    pub boards: Vec<String>,
    /// What is wrong, a sentence each.
    pub problems: Vec<String>,
}

/// What the broker says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Broker {
    /// Messages that it dropped since its start; none if we may not know.
    pub dropped: Option<u64>,
    /// Clients that are connected now.
    pub clients: Option<u64>,
    /// What is wrong, a sentence each.
    pub problems: Vec<String>,
}

/// The topics that [`judge`] needs.
pub fn filters(root: &str) -> Vec<String> {
    let ours = ["node/+/status", "node/+/info", "node/+/health", "device/+/status"];
    ours.iter().map(|topic| format!("{root}/1/{topic}")).chain(COUNTERS.map(str::to_owned)).collect()
}

/// Judges the retained messages on [`filters`], topic and payload. `now` is our time, and `version` that of this program.
pub fn judge(config: &Config, messages: &[(String, Vec<u8>)], now: Utc, version: &str) -> Report {
    let prefix = format!("{}/1/", config.mqtt.root);
    let mut of_nodes: BTreeMap<&str, Found> = BTreeMap::new();
    let (mut devices, mut broker) = (Vec::new(), Broker::default());
    for (topic, payload) in messages.iter().filter(|(_, payload)| !payload.is_empty()) {
        let Some(rest) = topic.strip_prefix(&prefix) else {
            count(&mut broker, topic, payload);
            continue;
        };
        let message: Value = serde_json::from_slice(payload).unwrap_or_default();
        match rest.split('/').collect::<Vec<_>>().as_slice() {
            ["node", node, "status"] => of_nodes.entry(node).or_default().status = Some(message),
            ["node", node, "info"] => of_nodes.entry(node).or_default().info = Some(message),
            ["node", node, "health"] => of_nodes.entry(node).or_default().health = Some(message),
            ["device", _, "status"] => devices.push(message),
            _ => {}
        }
    }
    if let Some(dropped) = broker.dropped.filter(|dropped| *dropped > 0) {
        let advice = "some client reads too slowly, or a bridge was away too long (max_queued_messages)";
        broker.problems.push(format!("has dropped {dropped} messages since its start: {advice}"));
    }
    let none = Found::default();
    let nodes = config.fleet.node.iter().map(|(name, node)| {
        let found = of_nodes.get(name.as_str()).unwrap_or(&none);
        let problems = found.problems(&config.event.id, name, &node.boards, &devices, now, version);
        Node { node: name.clone(), state: found.state(), version: found.version(), boards: node.boards.clone(), problems }
    });
    let nodes: Vec<Node> = nodes.collect();
    let collectors = config.fleet.user.iter().filter(|(_, user)| user.role == FleetRole::Collector);
    let collectors: Vec<String> = collectors.map(|(name, _)| topics::collector(name)).collect();
    let known = |name: &str| config.fleet.node.contains_key(name) || collectors.iter().any(|collector| collector == name);
    let strangers = of_nodes.iter().filter(|(name, found)| !known(name) && found.state().as_deref() == Some("ready"));
    let strangers = strangers.map(|(name, _)| (*name).to_owned()).collect();
    let ok = broker.problems.is_empty() && nodes.iter().all(|node| node.problems.is_empty());
    Report { ok, nodes, broker, strangers }
}

/// Takes one of the broker's own counters.
fn count(broker: &mut Broker, topic: &str, payload: &[u8]) {
    let number = std::str::from_utf8(payload).ok().and_then(|text| text.trim().parse().ok());
    match COUNTERS.iter().position(|counter| *counter == topic) {
        Some(0) => broker.dropped = number,
        Some(_) => broker.clients = number,
        None => {}
    }
}

/// What one machine has published.
#[derive(Default)]
struct Found {
    status: Option<Value>,
    info: Option<Value>,
    health: Option<Value>,
}

impl Found {
    fn state(&self) -> Option<String> {
        Some(self.status.as_ref()?["body"]["state"].as_str()?.to_owned())
    }

    fn version(&self) -> Option<String> {
        Some(self.info.as_ref()?["body"]["version"].as_str()?.to_owned())
    }

    fn problems(&self, event: &str, name: &str, boards: &[String], devices: &[Value], now: Utc, version: &str) -> Vec<String> {
        match self.state().as_deref() {
            Some("ready") => {}
            // What is retained of a machine that is away says nothing about now.
            None => return vec!["was never there: is it on, and does its card belong to this event?".to_owned()],
            Some("init") => return vec!["is starting".to_owned()],
            Some("stopped") => return vec!["was stopped".to_owned()],
            Some("lost") => return vec!["is lost: look at its power and its network".to_owned()],
            Some(other) => return vec![format!("has the unknown state {other}")],
        }
        let mut problems = Vec::new();
        match self.version() {
            None => problems.push("has published no info".to_owned()),
            Some(theirs) if theirs != version => problems.push(format!("has version {theirs}, and this program is {version}")),
            Some(_) => {}
        }
        match &self.health {
            None => problems.push("has published no health for two minutes".to_owned()),
            Some(health) => problems.extend(health_problems(health, now)),
        }
        let info = self.info.as_ref().map_or(&Value::Null, |info| &info["body"]);
        let sentences = info["problems"].as_array().into_iter().flatten().filter_map(Value::as_str);
        problems.extend(sentences.map(|sentence| format!("cannot use the organiser's messages: {sentence}")));
        for board in boards {
            let serves = info["boards"].as_array().into_iter().flatten().any(|place| is_board(place, event, board));
            if serves {
                problems.extend(device_problems(event, name, board, devices));
            } else {
                problems.push(format!("does not serve board {board}"));
            }
        }
        problems.extend(foreign_claim(info, event, name, boards));
        problems
    }
}

/// What a machine says to be its own and this file gives to others. Nobody believes it, but its card may be in wrong hands.
fn foreign_claim(info: &Value, event: &str, name: &str, own: &[String]) -> Option<String> {
    let places = info["boards"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let boards = places.filter_map(|place| place.strip_prefix(event)?.strip_prefix('/')?.split_once('/').map(|(_, board)| board));
    let foreign = boards.filter(|board| topics::is_id(board) && !own.iter().any(|own| own == board));
    let mut claimed: Vec<String> = foreign.take(NAMED).map(|board| format!("board {board}")).collect();
    if info["collects"].as_array().is_some_and(|rounds| !rounds.is_empty()) {
        claimed.push("the broadcast".to_owned());
    }
    (!claimed.is_empty()).then(|| {
        let claimed = claimed.join(", ");
        format!("claims {claimed}, which is not its own by this file: give it its files again, or, if its card is stolen, --rotate {name}")
    })
}

/// Whether `<event>/<round>/<board>` names this board, in any round.
fn is_board(place: &Value, event: &str, board: &str) -> bool {
    let levels: Vec<&str> = place.as_str().unwrap_or_default().split('/').collect();
    matches!(levels.as_slice(), [of, _, id] if *of == event && *id == board)
}

fn device_problems(event: &str, name: &str, board: &str, devices: &[Value]) -> Vec<String> {
    let own = |device: &&Value| device["node"] == name && is_board(&device["body"]["board"], event, board);
    let found: Vec<&Value> = devices.iter().filter(own).collect();
    if found.is_empty() {
        return vec![format!("board {board}: no device was ever there")];
    }
    let bad = found.into_iter().filter(|device| device["body"]["state"] != "online");
    let sentences = bad.map(|device| {
        let body = &device["body"];
        let what = if body["kind"] == "clock" { "clock of board" } else { "board" };
        let why = body["problem"].as_str().map(|why| format!(": {why}")).unwrap_or_default();
        format!("{what} {board} is {}{why}", body["state"].as_str().unwrap_or("in no known state"))
    });
    sentences.collect()
}

fn health_problems(health: &Value, now: Utc) -> Vec<String> {
    let (body, time) = (&health["body"], &health["t"]);
    let mut problems = Vec::new();
    let utc = time["utc"].as_str().and_then(Utc::parse);
    let off = utc.map(|utc| (now.0 - utc.0) / 1_000_000);
    if off.is_none_or(|off| !(-AHEAD..=OLDEST).contains(&off)) {
        problems.push(format!("its clock is wrong: it says {}", time["utc"].as_str().unwrap_or("nothing")));
    }
    if !matches!(time["sync"].as_str(), Some("ntp" | "ptp" | "gps")) {
        problems.push("its clock is not synchronised".to_owned());
    }
    if let Some(free) = body["disk_free_mib"].as_u64().filter(|free| *free < LITTLE) {
        problems.push(format!("has {free} MiB free for journals"));
    }
    if body["journal_ok"] == false {
        problems.push("cannot record: look at its card".to_owned());
    }
    if body["under_voltage"] == true {
        problems.push("its supply voltage is too low".to_owned());
    }
    if body["name_taken"] == true {
        problems.push("a second machine publishes under its name".to_owned());
    }
    if let Some(refused) = body["refused"].as_u64().filter(|refused| *refused > 0) {
        problems.push(format!(
            "the broker refused {refused} of its messages since its start: look at its log, and whether the broker has the access rules \
             of this file (a spare board is in fleet.spares)"
        ));
    }
    for (key, what) in [
        ("failed_boards", "has failed and is not served"),
        ("withheld_boards", "is served by another machine too"),
        ("refused_boards", "has messages that the broker does not take"),
    ] {
        let boards = body[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        problems.extend(boards.map(|board| format!("board {board} {what}")));
    }
    problems
}

#[cfg(test)]
mod tests;
