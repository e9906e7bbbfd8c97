//! Checks whether every message of the demonstration arrived: compares what a subscriber and an arbiter received with what was
//! played.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use flagfall_protocols::trace::Audience;

use super::topic::Topic;
use crate::emulate::games::Expected;
use crate::outputs::moves_parts::whole_state;

/// The largest number of problems that are listed. More are only counted.
const MAX_LISTED: usize = 50;

/// The messages that have arrived, and what must arrive.
#[derive(Clone, Debug)]
pub struct Check {
    boards: BTreeMap<String, Board>,
    public: bool,
    unreadable: u64,
}

/// What arrived of one board.
#[derive(Clone, Debug)]
struct Board {
    expected: Expected,
    series: BTreeMap<Audience, Series>,
    /// The payloads of the last states, and of the parts with earlier moves by their numbers.
    states: BTreeMap<Audience, Vec<u8>>,
    parts: BTreeMap<(Audience, String), Vec<u8>>,
    ruling: Option<Value>,
    alerts: BTreeSet<String>,
}

/// The events of one audience.
#[derive(Clone, Debug, Default)]
struct Series {
    numbers: BTreeSet<u64>,
    moves: BTreeMap<u64, String>,
}

impl Check {
    /// Boards by their ids in topics. With `public` that audience must also get everything, which it does only without delay.
    pub fn new(boards: impl IntoIterator<Item = (String, Expected)>, public: bool) -> Check {
        let board = |expected| Board {
            expected,
            series: BTreeMap::new(),
            states: BTreeMap::new(),
            parts: BTreeMap::new(),
            ruling: None,
            alerts: BTreeSet::new(),
        };
        let boards = boards.into_iter().map(|(id, expected)| (id, board(expected))).collect();
        Check { boards, public, unreadable: 0 }
    }

    /// Handles a message. Messages may come more than once.
    pub fn handle_message(&mut self, topic: &str, payload: &[u8]) {
        let Some(topic) = Topic::read(topic) else { return };
        let Some(board) = self.boards.get_mut(topic.board) else { return };
        if payload.is_empty() {
            return;
        }
        let Ok(message) = serde_json::from_slice::<Value>(payload) else {
            self.unreadable += 1;
            return;
        };
        match topic.kind {
            "state" => drop(board.states.insert(topic.audience, payload.to_vec())),
            "moves" => drop(board.parts.insert((topic.audience, topic.rest.unwrap_or_default().to_owned()), payload.to_vec())),
            _ => board.handle_message(topic, &message),
        }
    }

    /// Returns what has not arrived; empty if everything has.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        if self.unreadable > 0 {
            missing.push(format!("{} payloads are no JSON", self.unreadable));
        }
        for (id, board) in &self.boards {
            let mut of = Vec::new();
            for audience in [Audience::Public, Audience::Live, Audience::Arbiter] {
                if audience != Audience::Public || self.public {
                    board.audience(audience, &mut of);
                }
            }
            board.ending(&mut of);
            missing.extend(of.into_iter().map(|what| format!("board {id}: {what}")));
        }
        let more = missing.len().saturating_sub(MAX_LISTED);
        if more > 0 {
            missing.truncate(MAX_LISTED);
            missing.push(format!("and {more} more"));
        }
        missing
    }
}

impl Board {
    fn handle_message(&mut self, topic: Topic<'_>, message: &Value) {
        let body = &message["body"];
        let series = self.series.entry(topic.audience).or_default();
        if let Some(number) = message["no"].as_u64() {
            series.numbers.insert(number);
        }
        match topic.kind {
            "move" => series.play(body),
            "revision" => series.revise(body),
            // Arbiters get their revisions in the audit.
            "audit" if body["what"] == "revision" => series.revise(body),
            "ruling" => self.ruling = Some(body.clone()),
            "alert" => drop(body["kind"].as_str().map(|kind| self.alerts.insert(kind.to_owned()))),
            _ => {}
        }
    }

    /// The moves that an audience must have: a move that was not pressed is a move for all except arbiters.
    fn moves(&self, audience: Audience) -> Vec<&str> {
        let unpressed = self.expected.unpressed.iter().filter(|_| audience != Audience::Arbiter);
        self.expected.moves.iter().chain(unpressed).map(String::as_str).collect()
    }

    /// The body of the last state with all its moves.
    fn state(&self, audience: Audience) -> Option<Value> {
        let part = |number: u32| self.parts.get(&(audience, number.to_string())).map(Vec::as_slice);
        let whole = whole_state(self.states.get(&audience)?, part);
        serde_json::from_slice::<Value>(&whole).ok().map(|mut state| state["body"].take())
    }

    fn audience(&self, audience: Audience, missing: &mut Vec<String>) {
        let name = audience.name();
        let nothing = Series::default();
        let series = self.series.get(&audience).unwrap_or(&nothing);
        let last = series.numbers.last().copied().unwrap_or(0);
        let gaps: Vec<String> = (1..=last).filter(|no| !series.numbers.contains(no)).take(5).map(|no| no.to_string()).collect();
        if !gaps.is_empty() {
            missing.push(format!("{name}: events {} of {last}", gaps.join(", ")));
        }
        let expected = self.moves(audience);
        let came: Vec<&str> = series.moves.values().map(String::as_str).collect();
        differs(&format!("{name} moves"), &expected, &came, missing);
        let Some(state) = self.state(audience) else {
            return missing.push(format!("{name}: no state"));
        };
        differs(&format!("{name} state"), &expected, &sans(&state["moves"]), missing);
        if audience == Audience::Arbiter {
            let pending: Vec<&str> = self.expected.unpressed.iter().map(String::as_str).collect();
            differs("arbiter state, pending", &pending, &sans(&state["pending"]), missing);
        }
    }

    fn ending(&self, missing: &mut Vec<String>) {
        let state = self.state(Audience::Arbiter).unwrap_or_default();
        if state["ending"].as_str() != self.expected.ending {
            missing.push(format!("ending {} instead of {:?}", state["ending"], self.expected.ending));
        }
        let flags = state["flags"].as_array().map_or(&[][..], Vec::as_slice);
        let first = flags.first().and_then(|flag| flag["side"].as_str());
        if first != self.expected.flag {
            missing.push(format!("flag of {first:?} instead of {:?}", self.expected.flag));
        }
        let Some(side) = self.expected.flag else {
            if self.ruling.is_some() {
                missing.push("an unexpected ruling".to_owned());
            }
            return;
        };
        if !self.alerts.contains("flag") {
            missing.push("the alarm of the flag".to_owned());
        }
        match &self.ruling {
            None => missing.push("the ruling".to_owned()),
            Some(ruling) if ruling["flag"].as_str() != Some(side) || ruling["phase"] != "made" => {
                missing.push(format!("a ruling on {side}'s made move; it is on {}, {}", ruling["flag"], ruling["phase"]));
            }
            Some(_) => {}
        }
    }
}

impl Series {
    fn play(&mut self, body: &Value) {
        if let (Some(ply), Some(san)) = (body["ply"].as_u64(), body["san"].as_str()) {
            self.moves.insert(ply, san.to_owned());
        }
    }

    fn revise(&mut self, body: &Value) {
        if let Some(from) = body["from_ply"].as_u64() {
            self.moves.retain(|ply, _| *ply < from);
            body["moves"].as_array().into_iter().flatten().for_each(|mv| self.play(mv));
        }
    }
}

fn sans(moves: &Value) -> Vec<&str> {
    moves.as_array().into_iter().flatten().filter_map(|mv| mv["san"].as_str()).collect()
}

/// Reports the first move that differs.
fn differs(what: &str, expected: &[&str], came: &[&str], missing: &mut Vec<String>) {
    let most = expected.len().max(came.len());
    if let Some(index) = (0..most).find(|&index| expected.get(index) != came.get(index)) {
        let name = |moves: &[&str]| moves.get(index).map_or("nothing".to_owned(), |san| (*san).to_owned());
        missing.push(format!("{what}: ply {} is {} instead of {}", index + 1, name(came), name(expected)));
    }
}
