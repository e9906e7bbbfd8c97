//! Judges whether every board of a round is ready, from what nodes have published and the broker keeps.

use std::collections::BTreeMap;

use flagfall_game::clock::control::TimeControl;
use serde::Serialize;
use serde_json::Value;

use super::bind::natural;
use super::model::EventFile;
use crate::outputs::names;
use crate::wire::meta::{Meta, MetaRound, Pairing};
use crate::wire::topics;

/// A battery with less than this, in percent, is a problem.
const LOW_BATTERY: u64 = 30;

/// What is known of one board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BoardReport {
    /// The id of the board.
    pub board: String,
    /// Its number.
    pub number: u32,
    /// The device that serves it.
    pub device: Option<String>,
    /// The node that serves it.
    pub node: Option<String>,
    /// The charge of the device, percent.
    pub battery: Option<u64>,
    /// White's and Black's time, milliseconds.
    pub clock_ms: [Option<u64>; 2],
    /// White and Black.
    pub players: [Option<String>; 2],
    /// What is wrong, a sentence each; empty if the board is ready.
    pub problems: Vec<String>,
}

/// The report on a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether everything is right.
    pub ready: bool,
    /// The round.
    pub round: u32,
    /// What is wrong with the round as a whole.
    pub problems: Vec<String>,
    /// What is worth knowing and nothing is wrong with.
    pub notes: Vec<String>,
    /// The boards.
    pub boards: Vec<BoardReport>,
}

/// The retained messages that are needed, as filters.
pub fn filters(root: &str, event: &str, round: u32) -> Vec<String> {
    let below = |rest: &str| format!("{root}/1/{rest}");
    vec![
        topics::meta_event(root, event),
        topics::meta_round(root, event, &round.to_string()),
        below("device/+/status"),
        below("node/+/status"),
        below("node/+/info"),
        below(&format!("live/{event}/{round}/+/state")),
        below(&format!("arbiter/{event}/{round}/+/alert/+")),
    ]
}

/// The messages by topic, without root and version.
pub(crate) struct Heard(BTreeMap<String, Value>);

impl Heard {
    pub(crate) fn new(root: &str, messages: &[(String, Vec<u8>)]) -> Heard {
        let prefix = format!("{root}/1/");
        let below = messages.iter().filter_map(|(topic, payload)| {
            // A message that is no JSON says nothing, so what it should say is missing below.
            Some((topic.strip_prefix(&prefix)?.to_owned(), serde_json::from_slice(payload).ok()?))
        });
        Heard(below.collect())
    }

    pub(crate) fn message(&self, topic: &str) -> Option<&Value> {
        self.0.get(topic)
    }

    /// The nodes that serve this board, `<event>/<round>/<board>`; some may have ended.
    pub(crate) fn serving(&self, place: &str) -> impl Iterator<Item = &str> {
        self.all("node/", "/info").filter(move |(_, info)| has(&info["boards"], place)).map(|(node, _)| node)
    }

    /// A living node that serves this board in another round of its event, and that round.
    pub(crate) fn serving_in_another_round<'a>(&'a self, place: &'a str) -> Option<(&'a str, &'a str)> {
        let (round, board) = place.rsplit_once('/')?;
        let (event, _) = round.split_once('/')?;
        let other = move |boards: &'a Value| {
            let places = boards.as_array().into_iter().flatten().filter_map(Value::as_str).filter(move |other| *other != place);
            let mut rounds = places
                .filter_map(move |other| other.strip_prefix(event)?.strip_prefix('/')?.strip_suffix(board)?.strip_suffix('/'));
            rounds.next()
        };
        let alive = self.all("node/", "/info").filter(|(node, _)| self.is_alive(node));
        alive.filter_map(|(node, info)| Some((node, other(&info["boards"])?))).next()
    }

    fn body(&self, topic: &str) -> Option<&Value> {
        self.0.get(topic).map(|message| &message["body"])
    }

    pub(crate) fn is_alive(&self, node: &str) -> bool {
        self.body(&format!("node/{node}/status")).is_some_and(|status| status["state"] == "ready")
    }

    /// The middle level and the body of all topics of this form.
    fn all<'a>(&'a self, begin: &'a str, end: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let middle = move |topic: &'a String| topic.strip_prefix(begin)?.strip_suffix(end);
        self.0.iter().filter_map(move |(topic, message)| Some((middle(topic)?, &message["body"])))
    }
}

fn has(boards: &Value, place: &str) -> bool {
    boards.as_array().is_some_and(|boards| boards.iter().any(|board| *board == *place))
}

/// Judges the current round.
///
/// # Errors
/// The event has no pairings of its current round.
pub fn judge(file: &EventFile, root: &str, messages: &[(String, Vec<u8>)]) -> Result<Report, String> {
    let round = file.current().and_then(|number| file.rounds.get(&number));
    let round = round.filter(|round| !round.boards.is_empty()).ok_or_else(|| {
        let round = &file.event.round;
        format!(
            "the current round {round} has no pairings: import them first. Until they are published, every board that is on is broadcast"
        )
    })?;
    let heard = Heard::new(root, messages);
    let mut problems = round_problems(file, round, &heard);
    let notes = unpaired_boards(file, round, &heard, &mut problems);
    // In an event without rating nobody has a number of FIDE.
    let rated = round.boards.iter().flat_map(|pairing| [&pairing.white, &pairing.black]).any(|player| player.fide_id.is_some());
    let boards: Vec<BoardReport> = round.boards.iter().map(|pairing| board(file, pairing, rated, &heard)).collect();
    let ready = problems.is_empty() && boards.iter().all(|board| board.problems.is_empty());
    Ok(Report { ready, round: round.number, problems, notes, boards })
}

fn round_problems(file: &EventFile, round: &MetaRound, heard: &Heard) -> Vec<String> {
    let mut problems = Vec::new();
    let published = heard.0.get(&format!("meta/{}/{}", file.id, round.number));
    let published = published.and_then(|message| serde_json::from_value::<Meta<MetaRound>>(message.clone()).ok());
    let event = heard.body(&format!("meta/{}", file.id));
    if published.is_none_or(|meta| meta.body != *round) || event.is_none_or(|event| event["round"] != *file.event.round) {
        problems.push("what is published is not this file: run `flagfall event publish`".to_owned());
    }
    for (node, info) in heard.all("node/", "/info") {
        let of_node = info["problems"].as_array().into_iter().flatten().filter_map(Value::as_str);
        problems.extend(of_node.map(|problem| format!("node {node}: {problem}")));
    }
    problems
}

/// The boards that are on and have no pairing. Those that are published although nobody is paired there are problems.
fn unpaired_boards(file: &EventFile, round: &MetaRound, heard: &Heard, problems: &mut Vec<String>) -> Vec<String> {
    let place = format!("{}/{}/", file.id, file.event.round);
    let mut unpaired = BTreeMap::new();
    for (node, info) in heard.all("node/", "/info").filter(|(node, _)| heard.is_alive(node)) {
        let boards = info["boards"].as_array().into_iter().flatten().filter_map(|board| board.as_str()?.strip_prefix(&place));
        let others = boards.filter(|board| round.boards.iter().all(|pairing| pairing.board != *board));
        unpaired.extend(others.map(|board| ((natural(board), board), node)));
    }
    let is_published = |board: &str| {
        let state = heard.body(&format!("live/{place}{board}/state"));
        state.is_some_and(|state| state["withdrawn"] != true)
    };
    let (published, private): (Vec<_>, Vec<_>) = unpaired.into_iter().partition(|((_, board), _)| is_published(board));
    problems.extend(published.into_iter().map(|((_, board), node)| {
        format!("board {board} has no pairing and is published, because its node {node} does not follow the pairings (event.from_meta)")
    }));
    let private: Vec<&str> = private.into_iter().map(|((_, board), _)| board).collect();
    let notes =
        (!private.is_empty()).then(|| format!("boards without a pairing, which only arbiters see: {}", private.join(", ")));
    notes.into_iter().collect()
}

fn board(file: &EventFile, pairing: &Pairing, rated: bool, heard: &Heard) -> BoardReport {
    let place = format!("{}/{}/{}", file.id, file.event.round, pairing.board);
    let mut report = BoardReport { board: pairing.board.clone(), number: pairing.number, ..BoardReport::default() };
    report.players = [pairing.white.name.clone(), pairing.black.name.clone()];
    for (side, player) in [("White", &pairing.white), ("Black", &pairing.black)] {
        match player.name.as_deref() {
            None => report.problems.push(format!("{side} has no name")),
            Some(name) if !names::is_known(name) => {
                report.problems.push(format!("{side}'s name is {name:?}; receivers get {side} {}", pairing.number));
            }
            Some(_) => {}
        }
        if rated && player.fide_id.is_none() {
            report.problems.push(format!("{side} has no number of FIDE"));
        }
    }
    // A pairing with a result is not played on the board.
    if pairing.result.is_some() {
        return report;
    }
    find_node(&place, heard, &mut report);
    find_device(&place, pairing, heard, &mut report);
    find_clock(file, &place, heard, &mut report);
    for (id, alert) in heard.all(&format!("arbiter/{place}/alert/"), "") {
        if alert["class"] == "loud" {
            let kind = alert["kind"].as_str().unwrap_or_default().replace('_', " ");
            report.problems.push(format!("the alarm {id} is open: {}", alert["sentence"].as_str().unwrap_or(&kind)));
        }
    }
    report
}

fn find_node(place: &str, heard: &Heard, report: &mut BoardReport) {
    let nodes: Vec<&str> = heard.serving(place).filter(|node| heard.is_alive(node)).collect();
    match nodes.as_slice() {
        [] => report.problems.push(why_unserved(place, heard)),
        [node] => report.node = Some((*node).to_owned()),
        several => report.problems.push(format!("several nodes serve this board: {}", several.join(", "))),
    }
}

/// Why no living node serves this board: a node waits before it changes to the round, a node has ended, or nobody ever served it.
pub(crate) fn why_unserved(place: &str, heard: &Heard) -> String {
    let state =
        |node: &str| heard.body(&format!("node/{node}/status")).and_then(|status| status["state"].as_str()).unwrap_or("lost");
    for (node, info) in heard.all("node/", "/info").filter(|(node, _)| state(node) == "ready") {
        let Some(next) = info.get("next_round").filter(|next| has(&next["boards"], place)) else { continue };
        let rounds = info["rounds"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let rounds: Vec<&str> = rounds.map(|round| round.rsplit('/').next().unwrap_or(round)).collect();
        let held: Vec<&str> = next["held_by"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let held = if held.is_empty() { "it changes now".to_owned() } else { held.join(" ") };
        return format!("node {node} still serves round {}: {held}", rounds.join(", "));
    }
    match heard.serving(place).next() {
        Some(node) => format!("node {node} serves this board, and is {}", state(node)),
        None => "no node serves this board".to_owned(),
    }
}

fn find_device(place: &str, pairing: &Pairing, heard: &Heard, report: &mut BoardReport) {
    let serving: Vec<(&str, &Value)> =
        heard.all("device/", "/status").filter(|(_, status)| status["board"] == *place && status["kind"] != "clock").collect();
    let found = match &pairing.device {
        Some(device) => {
            if let Some((other, _)) = serving.iter().find(|(serving, _)| serving != device) {
                report.problems.push(format!("the device {other} serves it, but {device} is bound to it"));
            }
            heard.body(&format!("device/{device}/status")).map(|status| (device.as_str(), status))
        }
        None => serving.first().copied(),
    };
    let Some((device, status)) = found else {
        report.problems.push("no device is heard".to_owned());
        return;
    };
    report.device = Some(device.to_owned());
    if status["state"] != "online" {
        let problem = status["problem"].as_str().map(|why| format!(": {why}")).unwrap_or_default();
        report.problems.push(format!("the device is {}{problem}", status["state"].as_str().unwrap_or("unknown")));
    }
    report.battery = status["battery_percent"].as_u64();
    if let Some(battery) = report.battery.filter(|battery| *battery < LOW_BATTERY && status["charging"] != true) {
        report.problems.push(format!("the battery has {battery} %"));
    }
    for warning in status["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        report.problems.push(warning.replace('_', " "));
    }
}

fn find_clock(file: &EventFile, place: &str, heard: &Heard, report: &mut BoardReport) {
    let Some(state) = heard.body(&format!("live/{place}/state")) else {
        report.problems.push("the board has published no state".to_owned());
        return;
    };
    report.clock_ms = ["white_ms", "black_ms"].map(|side| state["clock"][side].as_u64());
    if state["clock_status"] != "reporting" {
        report.problems.push("the clock is not heard".to_owned());
        return;
    }
    // A game that has begun shows other times.
    if state["moves"].as_array().is_some_and(|moves| !moves.is_empty()) || state["parts"].is_object() {
        return;
    }
    let control = file.event.time_control.as_deref().and_then(|text| TimeControl::parse(text).ok());
    let Some(period) = control.as_ref().map(|control| control.period(0)) else { return };
    let (main, added) = (u64::from(period.main_ms), u64::from(period.per_move_ms));
    let wanted = [main, main + added];
    for (side, time) in ["White", "Black"].into_iter().zip(report.clock_ms) {
        // A clock shows whole seconds, and some give the first addition at once.
        let near = |time: u64| wanted.iter().any(|wanted| time.abs_diff(*wanted) < 1000);
        if let Some(time) = time.filter(|time| !near(*time)) {
            let shown = format!("{}:{:02}:{:02}", time / 3_600_000, time / 60_000 % 60, time / 1000 % 60);
            report.problems.push(format!("{side}'s clock shows {shown}, not the time control"));
        }
    }
}
