//! Detects that another node claims a board of this node. The node that claims a board second publishes nothing about it: the
//! claim of another node counts if it was there before this node was ready, and if the event's file does not give the board to a machine
//! with another name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::types::Settings;
use crate::config::Fleet;
use crate::wire::node::Presence;

/// The largest number of nodes that are remembered. One event does not have more.
const NODES: usize = 256;
/// The largest number of boards of one node that are remembered.
const LISTED: usize = 1024;

/// The claims of other nodes, as far as they concern boards of this node.
pub(super) struct Claims {
    node: String,
    event: String,
    round: String,
    /// Our boards.
    boards: Vec<String>,
    /// Who may serve a board.
    fleet: Fleet,
    peers: BTreeMap<String, Peer>,
    /// The claims that count: board and node.
    counted: BTreeSet<(String, String)>,
    /// This node is ready: later claims do not count, except on boards that another node has already.
    established: bool,
    /// A connection began. The retained messages of other nodes come first, and are judged when all of them are here.
    gathering: bool,
}

#[derive(Default)]
struct Peer {
    /// The boards of this node that the other node lists.
    boards: Vec<String>,
    /// All boards that it lists and may serve.
    listed: Vec<String>,
    state: Presence,
}

/// A claim that counts from now on, or counts no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClaimChange {
    pub(super) board: String,
    pub(super) node: String,
    pub(super) live: bool,
}

impl Claims {
    pub(super) fn new(settings: &Settings) -> Claims {
        let Settings { node, event, round, boards, fleet, .. } = settings.clone();
        let (peers, counted) = (BTreeMap::new(), BTreeSet::new());
        Claims { node, event, round, boards, fleet, peers, counted, established: false, gathering: true }
    }

    /// Begins a new connection: the retained messages of other nodes will come again.
    pub(super) fn connected(&mut self) {
        self.peers.clear();
        self.established = false;
        self.gathering = true;
    }

    /// All retained messages are here.
    pub(super) fn gathered(&mut self) -> Vec<ClaimChange> {
        self.gathering = false;
        self.update_counted()
    }

    /// This node is ready.
    pub(super) fn establish(&mut self) {
        self.established = true;
    }

    /// Handles a node's `info` or `status`; an empty payload deletes it.
    pub(super) fn handle_message(&mut self, node: &str, leaf: &str, payload: &[u8]) -> Vec<ClaimChange> {
        if node == self.node || (self.peers.len() >= NODES && !self.peers.contains_key(node)) {
            return Vec::new();
        }
        let message = serde_json::from_slice::<Value>(payload).unwrap_or_default();
        let body = &message["body"];
        let listed = (leaf == "info").then(|| self.listed_boards(node, body));
        let boards = listed.map(|listed| (self.our_boards(body, &listed), listed));
        let peer = self.peers.entry(node.to_owned()).or_default();
        match boards {
            Some((boards, listed)) => (peer.boards, peer.listed) = (boards, listed),
            None => peer.state = Presence::of(body),
        }
        if self.gathering { Vec::new() } else { self.update_counted() }
    }

    /// The boards that an info lists and its node may serve: `<event>/<round>/<board>`, names, or objects with `id`.
    fn listed_boards(&self, node: &str, body: &Value) -> Vec<String> {
        let listed = body["boards"].as_array().map(Vec::as_slice).unwrap_or_default().iter().take(LISTED);
        let listed = listed.filter_map(|board| board.as_str().or_else(|| board["id"].as_str()));
        let may_serve = |listed: &&str| self.fleet.may_serve(node, listed.rsplit('/').next().unwrap_or_default());
        listed.filter(may_serve).map(str::to_owned).collect()
    }

    /// The boards of this node among those that an info of its event and round lists.
    fn our_boards(&self, body: &Value, listed: &[String]) -> Vec<String> {
        let same = |key: &str, mine: &str| body[key].as_str().is_none_or(|theirs| theirs == mine);
        if !same("event", &self.event) || !same("round", &self.round) {
            return Vec::new();
        }
        let whole = |board: &str| format!("{}/{}/{board}", self.event, self.round);
        let is_listed = |board: &&String| listed.iter().any(|listed| *listed == board.as_str() || *listed == whole(board));
        self.boards.iter().filter(is_listed).cloned().collect()
    }

    /// Whether another node that is alive lists this board of our event.
    pub(super) fn is_listed(&self, round: &str, board: &str) -> bool {
        let whole = format!("{}/{round}/{board}", self.event);
        let alive = self.peers.values().filter(|peer| peer.state != Presence::Away);
        alive.flat_map(|peer| &peer.listed).any(|listed| *listed == whole || listed == board)
    }

    /// Determines which claims count now, and returns the changes.
    fn update_counted(&mut self) -> Vec<ClaimChange> {
        let mut now = BTreeSet::new();
        for (node, peer) in &self.peers {
            for board in &peer.boards {
                let claim = (board.clone(), node.clone());
                let taken = || self.counted.iter().any(|(counted, _)| counted == board);
                // Of two nodes that start together, the first by name keeps the board.
                let first = peer.state == Presence::Ready || (peer.state == Presence::Init && *node < self.node);
                let goes_on = peer.state != Presence::Away && self.counted.contains(&claim);
                if goes_on || (first && (!self.established || taken())) {
                    now.insert(claim);
                }
            }
        }
        let change = |(board, node): &(String, String), live| ClaimChange { board: board.clone(), node: node.clone(), live };
        let mut changes: Vec<ClaimChange> = now.difference(&self.counted).map(|claim| change(claim, true)).collect();
        changes.extend(self.counted.difference(&now).map(|claim| change(claim, false)));
        self.counted = now;
        changes
    }
}

#[cfg(test)]
mod tests;
